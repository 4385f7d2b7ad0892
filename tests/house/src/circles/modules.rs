//! The modules of a crate: in which file each stands, and which names it holds.

use std::collections::HashMap;

use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, ItemUse, Meta, UseTree, Visibility};

use crate::source::Sources;

/// All modules of a crate that are not tests.
pub(crate) struct Crate {
    /// Paths from the repository's root; a module names its file by the place in this list.
    pub(crate) files: Vec<String>,
    /// The first is the crate itself.
    pub(crate) modules: Vec<Module>,
    /// The file of each `macro_rules!`, for calls without a path.
    pub(crate) macros: HashMap<String, usize>,
}

pub(crate) struct Module {
    pub(crate) file: usize,
    pub(crate) parent: Option<usize>,
    /// A name may stand for several things: a module and a function, say.
    pub(crate) names: HashMap<String, Vec<Name>>,
    /// The paths before the `*` of `use path::*`.
    pub(crate) globs: Vec<Vec<String>>,
    /// Whether a macro is called among the items: then it may define names that no parser sees.
    pub(crate) has_made_names: bool,
    /// All but modules and tests.
    pub(crate) items: Vec<Item>,
}

/// What a name of a module stands for.
pub(crate) enum Name {
    /// An item defined in this module.
    Item,
    /// A module below this one, by its number.
    Module(usize),
    /// What a `use` brought here, by the path as written.
    Import(Vec<String>),
}

impl Crate {
    /// Reads the crate that begins in a file.
    ///
    /// # Panics
    /// If a file is missing or is not Rust.
    pub(crate) fn read(sources: &Sources, root: &str) -> Self {
        let mut this = Self { files: Vec::new(), modules: Vec::new(), macros: HashMap::new() };
        let directory = root.rsplit_once('/').map_or("", |(directory, _)| directory);
        this.read_file(sources, root, directory, None);
        this
    }

    /// Adds the module in a file; `directory` holds the files of the modules below it. Returns its number.
    fn read_file(&mut self, sources: &Sources, name: &str, directory: &str, parent: Option<usize>) -> usize {
        let text = sources.get(name).unwrap_or_else(|| panic!("no file {name}"));
        let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        self.files.push(name.to_owned());
        self.add_module(sources, file.items, self.files.len() - 1, directory, parent)
    }

    fn add_module(
        &mut self,
        sources: &Sources,
        items: Vec<Item>,
        file: usize,
        directory: &str,
        parent: Option<usize>,
    ) -> usize {
        let number = self.modules.len();
        self.modules.push(Module {
            file,
            parent,
            names: HashMap::new(),
            globs: Vec::new(),
            has_made_names: false,
            items: Vec::new(),
        });
        for item in items.into_iter().filter(|item| !is_test(attributes(item))) {
            if let Item::Mod(module) = item {
                let name = module.ident.to_string();
                let child = self.add_child(sources, module, file, directory, number);
                self.modules[number].add(name, Name::Module(child));
            } else {
                if let Item::Macro(definition) = &item
                    && let Some(name) = &definition.ident
                {
                    self.macros.insert(name.to_string(), file);
                }
                self.modules[number].add_item(item);
            }
        }
        number
    }

    fn add_child(&mut self, sources: &Sources, module: ItemMod, file: usize, directory: &str, parent: usize) -> usize {
        let below = format!("{directory}/{}", module.ident);
        if let Some((_, items)) = module.content {
            return self.add_module(sources, items, file, &below, Some(parent));
        }
        let beside = format!("{below}.rs");
        let name = if sources.contains_key(&beside) { beside } else { format!("{below}/mod.rs") };
        self.read_file(sources, &name, &below, Some(parent))
    }
}

impl Module {
    fn add(&mut self, name: String, what: Name) {
        self.names.entry(name).or_default().push(what);
    }

    fn add_item(&mut self, item: Item) {
        if let Item::Macro(call) = &item
            && call.ident.is_none()
        {
            self.has_made_names = true;
        }
        if let Some(name) = defined(&item) {
            self.add(name.to_string(), Name::Item);
        }
        // A `use` within a function counts for the whole module.
        let mut uses = Uses(Vec::new());
        uses.visit_item(&item);
        for leaf in uses.0 {
            match leaf.name {
                Some(name) => self.add(name, Name::Import(leaf.path)),
                None => self.globs.push(leaf.path),
            }
        }
        self.items.push(item);
    }
}

/// One path of a `use`.
pub(crate) struct Leaf {
    pub(crate) path: Vec<String>,
    /// What it is called here; none for a glob, whose path is the one before the `*`.
    pub(crate) name: Option<String>,
    /// The word that ends it, for its place in the file.
    pub(crate) end: proc_macro2::Span,
}

/// All paths of a `use`.
pub(crate) fn leaves(item: &ItemUse) -> Vec<Leaf> {
    let mut found = Vec::new();
    // `::name` is a crate from outside.
    if item.leading_colon.is_none() {
        add_leaves(&item.tree, &mut Vec::new(), &mut found);
    }
    found
}

fn add_leaves(tree: &UseTree, before: &mut Vec<String>, found: &mut Vec<Leaf>) {
    let mut add = |last: &Ident, name: &Ident| {
        // `use a::b::{self}` is `use a::b`.
        let is_self = last == "self" && !before.is_empty();
        let path: Vec<String> = before.iter().cloned().chain((!is_self).then(|| last.to_string())).collect();
        let name = if name == "self" { path.last().cloned() } else { Some(name.to_string()) };
        found.push(Leaf { path, name, end: last.span() });
    };
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            add_leaves(&path.tree, before, found);
            before.pop();
        }
        UseTree::Name(name) => add(&name.ident, &name.ident),
        UseTree::Rename(rename) => add(&rename.ident, &rename.rename),
        UseTree::Glob(glob) => {
            found.push(Leaf { path: before.clone(), name: None, end: glob.star_token.spans[0] });
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| add_leaves(tree, before, found)),
    }
}

/// Whether the names of a `use` are for this module alone.
pub(crate) fn is_private(item: &ItemUse) -> bool {
    matches!(item.vis, Visibility::Inherited)
}

/// Collects every `use` of an item.
struct Uses(Vec<Leaf>);

impl<'ast> Visit<'ast> for Uses {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.0.extend(leaves(item));
    }
}

/// The name that an item defines.
fn defined(item: &Item) -> Option<&Ident> {
    match item {
        Item::Const(item) => Some(&item.ident),
        Item::Enum(item) => Some(&item.ident),
        Item::Fn(item) => Some(&item.sig.ident),
        Item::Macro(item) => item.ident.as_ref(),
        Item::Static(item) => Some(&item.ident),
        Item::Struct(item) => Some(&item.ident),
        Item::Trait(item) => Some(&item.ident),
        Item::TraitAlias(item) => Some(&item.ident),
        Item::Type(item) => Some(&item.ident),
        Item::Union(item) => Some(&item.ident),
        _ => None,
    }
}

pub(crate) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Whether it is compiled for tests alone: `#[cfg(test)]` or `#[cfg(all(test, ..))]`.
pub(crate) fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => {
            let condition = list.tokens.to_string();
            let all = condition.strip_prefix("all").map(|rest| rest.trim_matches([' ', '(', ')']));
            condition == "test" || all.is_some_and(|all| all.split(',').any(|part| part.trim() == "test"))
        }
        _ => false,
    })
}
