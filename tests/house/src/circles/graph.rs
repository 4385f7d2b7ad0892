//! Which file uses which, and the circles among them.

use std::collections::BTreeMap;
use std::fmt;

use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;

use super::modules::Crate;
use super::paths::{Named, paths};
use crate::source::Sources;

/// Files of which each uses, directly or by way of others, all of the others.
pub(crate) struct Circle {
    /// Sorted.
    pub(crate) files: Vec<String>,
    /// All among these files.
    pub(crate) arrows: Vec<Arrow>,
}

/// That a file uses another.
pub(crate) struct Arrow {
    pub(crate) from: String,
    pub(crate) to: String,
    /// The first line of `from` that does so, counted from 1.
    pub(crate) line: usize,
    /// That line without the space around it.
    pub(crate) text: String,
}

/// The circles of the crate that begins in a file.
pub(crate) fn circles(sources: &Sources, root: &str) -> Vec<Circle> {
    let this = Crate::read(sources, root);
    let uses = uses(&this);
    let graph = DiGraph::<(), (), usize>::from_edges(uses.keys().copied());
    let components = tarjan_scc(&graph).into_iter().filter(|component| component.len() > 1);
    components
        .map(|component| {
            let members: Vec<usize> = component.into_iter().map(|node| node.index()).collect();
            let within = uses.iter().filter(|((from, to), _)| members.contains(from) && members.contains(to));
            let arrows = within.map(|(&ends, &line)| arrow(sources, &this, ends, line)).collect();
            let mut files: Vec<String> = members.into_iter().map(|file| this.files[file].clone()).collect();
            files.sort();
            Circle { files, arrows }
        })
        .collect()
}

/// All uses of one file by another in the crate that begins in a file.
pub(crate) fn arrows(sources: &Sources, root: &str) -> Vec<Arrow> {
    let this = Crate::read(sources, root);
    uses(&this).into_iter().map(|(ends, line)| arrow(sources, &this, ends, line)).collect()
}

fn arrow(sources: &Sources, this: &Crate, (from, to): (usize, usize), line: usize) -> Arrow {
    let (from, to) = (this.files[from].clone(), this.files[to].clone());
    let text = sources[&from].lines().nth(line - 1).unwrap_or_default().trim().to_owned();
    Arrow { from, to, line, text }
}

/// For each file and each other one that it uses, by their numbers, the first line that does so, counted from 1.
fn uses(this: &Crate) -> BTreeMap<(usize, usize), usize> {
    let mut found: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (number, module) in this.modules.iter().enumerate() {
        for named in module.items.iter().flat_map(paths) {
            let line = named.place.start().line;
            for to in defining_files(this, number, &named).into_iter().filter(|&to| to != module.file) {
                let first = found.entry((module.file, to)).or_insert(line);
                *first = line.min(*first);
            }
        }
    }
    found
}

/// The files, by their numbers, that define what a path in a module names.
fn defining_files(this: &Crate, module: usize, named: &Named) -> Vec<usize> {
    match &named.path[..] {
        [name] if named.is_macro => this.macros.get(name).copied().into_iter().collect(),
        path => this.defining_files(module, path),
    }
}

impl fmt::Display for Circle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}", self.files.join(", "))?;
        for Arrow { from, to, line, text } in &self.arrows {
            writeln!(formatter, "    {from}:{line} uses {to}: {text}")?;
        }
        Ok(())
    }
}
