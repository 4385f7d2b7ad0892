//! The paths that the code of a module names.

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{ImplItem, Item, ItemUse, Macro, PatIdent, Path};

use super::modules::{attributes, is_private, is_test, leaves};

/// A path and the place of its last word.
pub(crate) struct Named {
    pub(crate) path: Vec<String>,
    pub(crate) place: Span,
    /// The name of a macro that is called here.
    pub(crate) is_macro: bool,
}

/// All paths of an item but for those of tests, of attributes, and of names that are passed on.
pub(crate) fn paths(item: &Item) -> Vec<Named> {
    let mut collector = Collector { found: Vec::new(), bound: Vec::new() };
    collector.visit_item(item);
    collector.found
}

struct Collector {
    found: Vec<Named>,
    /// The variables of the items around, innermost last: they hide what has the same name outside.
    bound: Vec<HashSet<String>>,
}

impl Collector {
    fn add(&mut self, path: Vec<String>, place: Span) {
        let is_variable = path.len() == 1 && self.bound.iter().any(|names| names.contains(&path[0]));
        if !is_variable {
            self.found.push(Named { path, place, is_macro: false });
        }
    }

    /// The paths of a macro's arguments, which need not be Rust: words joined by `::`.
    fn add_tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            let start = at;
            at += 1;
            match &tokens[start] {
                TokenTree::Group(group) => self.add_tokens(group.stream()),
                TokenTree::Ident(first) => {
                    let mut path = vec![first];
                    while let [a, b, TokenTree::Ident(next), ..] = &tokens[at..]
                        && is_punctuation(a, ':')
                        && is_punctuation(b, ':')
                    {
                        path.push(next);
                        at += 3;
                    }
                    let before = start.checked_sub(1).map(|i| &tokens[i]);
                    if !is_no_path(before, &path, tokens.get(at)) {
                        self.add(words(&path), first.span());
                    }
                }
                _ => {}
            }
        }
    }
}

fn words(path: &[&Ident]) -> Vec<String> {
    path.iter().map(ToString::to_string).collect()
}

fn is_punctuation(token: &TokenTree, letter: char) -> bool {
    matches!(token, TokenTree::Punct(mark) if mark.as_char() == letter)
}

/// Whether words between two tokens are a field, a method, a macro's variable, or a name that gets its type.
fn is_no_path(before: Option<&TokenTree>, path: &[&Ident], behind: Option<&TokenTree>) -> bool {
    before.is_some_and(|token| is_punctuation(token, '.'))
        || before.is_some_and(|token| is_punctuation(token, '$')) && path[0] != "crate"
        || path.len() == 1 && behind.is_some_and(|token| is_punctuation(token, ':'))
}

impl<'ast> Visit<'ast> for Collector {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test(attributes(item)) {
            self.bound.push(variables(|names| names.visit_item(item)));
            visit::visit_item(self, item);
            self.bound.pop();
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attributes = match item {
            ImplItem::Const(item) => &item.attrs,
            ImplItem::Fn(item) => &item.attrs,
            ImplItem::Type(item) => &item.attrs,
            _ => return visit::visit_impl_item(self, item),
        };
        if !is_test(attributes) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if is_private(item) {
            self.found.extend(leaves(item).into_iter().filter(|leaf| leaf.name.is_some()).map(|leaf| Named {
                path: leaf.path,
                place: leaf.end,
                is_macro: false,
            }));
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        if path.leading_colon.is_none() {
            self.add(path.segments.iter().map(|segment| segment.ident.to_string()).collect(), span(path));
        }
        visit::visit_path(self, path);
    }

    /// A capitalised name in a pattern is a constant or a variant.
    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        if is_capitalised(&pattern.ident) {
            self.add(vec![pattern.ident.to_string()], pattern.ident.span());
        }
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        let path = call.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.found.push(Named { path, place: span(&call.path), is_macro: true });
        self.add_tokens(call.tokens.clone());
    }

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}
}

fn span(path: &Path) -> Span {
    path.segments.last().map_or_else(Span::call_site, |segment| segment.ident.span())
}

fn is_capitalised(name: &Ident) -> bool {
    name.to_string().starts_with(char::is_uppercase)
}

/// Collects the variables that patterns bind.
struct Variables(HashSet<String>);

fn variables(visit: impl FnOnce(&mut Variables)) -> HashSet<String> {
    let mut names = Variables(HashSet::new());
    visit(&mut names);
    names.0
}

impl<'ast> Visit<'ast> for Variables {
    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        if !is_capitalised(&pattern.ident) {
            self.0.insert(pattern.ident.to_string());
        }
        visit::visit_pat_ident(self, pattern);
    }
}
