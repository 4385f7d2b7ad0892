//! From a path to the file that defines what it names.

use std::collections::HashSet;

use super::modules::{Crate, Name};

/// What a path leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    /// An item, by the number of its file.
    Item(usize),
    /// A module, by its number.
    Module(usize),
}

/// Names whose meaning is being looked for, so that a `use` that leads back to itself ends.
type Open = HashSet<(usize, String)>;

impl Crate {
    /// The files, by their numbers, that define the item which a path in a module names. Empty for modules and for all that comes
    /// from outside of the crate.
    pub(crate) fn defining_files(&self, module: usize, path: &[String]) -> Vec<usize> {
        let targets = self.resolve(module, path, &mut Open::new());
        let item = |target| if let Target::Item(file) = target { Some(file) } else { None };
        targets.into_iter().filter_map(item).collect()
    }

    fn resolve(&self, module: usize, path: &[String], open: &mut Open) -> Vec<Target> {
        let Some((first, rest)) = path.split_first() else { return vec![Target::Module(module)] };
        let start = match first.as_str() {
            "crate" => vec![Target::Module(0)],
            "self" => vec![Target::Module(module)],
            "super" => self.modules[module].parent.map(Target::Module).into_iter().collect(),
            name => self.lookup(module, name, open),
        };
        start.into_iter().flat_map(|target| self.descend(target, rest, open)).collect()
    }

    /// Follows the rest of a path. What stands behind an item, a variant or an associated function, belongs to it.
    fn descend(&self, target: Target, rest: &[String], open: &mut Open) -> Vec<Target> {
        let (Target::Module(module), Some((first, behind))) = (target, rest.split_first()) else { return vec![target] };
        if first == "super" || first == "self" {
            return self.resolve(module, rest, open);
        }
        let found = self.lookup(module, first, open);
        if found.is_empty() && self.modules[module].has_made_names {
            return vec![Target::Item(self.modules[module].file)];
        }
        found.into_iter().flat_map(|target| self.descend(target, behind, open)).collect()
    }

    /// What a name stands for in a module; what a glob brings gives way to what is named.
    fn lookup(&self, module: usize, name: &str, open: &mut Open) -> Vec<Target> {
        let key = (module, name.to_owned());
        if !open.insert(key.clone()) {
            return Vec::new();
        }
        let here = &self.modules[module];
        let mut found: Vec<Target> = Vec::new();
        for meaning in here.names.get(name).into_iter().flatten() {
            match meaning {
                Name::Item => found.push(Target::Item(here.file)),
                Name::Module(child) => found.push(Target::Module(*child)),
                Name::Import(path) => found.extend(self.resolve(module, path, open)),
            }
        }
        if found.is_empty() {
            for glob in &here.globs {
                for target in self.resolve(module, glob, open) {
                    if let Target::Module(from) = target {
                        found.extend(self.lookup(from, name, open));
                    }
                }
            }
        }
        open.remove(&key);
        found
    }
}
