//! PGN text as a sequence of tags and of what matters between them.

use crate::error::{ReadError, ReadProblem};

/// A piece of PGN.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Item {
    /// `[Name "value"]`.
    Tag {
        /// The number of its line.
        line: usize,
        /// The name.
        name: String,
        /// The value without its escapes.
        value: String,
    },
    /// An empty line.
    Gap,
    /// A move, a number, a result or a variation.
    Movetext,
}

/// Reads PGN item by item.
pub(super) struct Scanner<'a> {
    rest: &'a str,
    /// The line where `rest` begins.
    line: usize,
    /// Whether only blanks stand before `rest` on its line.
    at_line_start: bool,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text, line: 1, at_line_start: true }
    }

    pub(super) fn next_item(&mut self) -> Result<Option<Item>, ReadError> {
        while let Some(first) = self.rest.chars().next() {
            let line_start = std::mem::take(&mut self.at_line_start);
            match first {
                '\n' => {
                    self.skip(1);
                    if line_start {
                        return Ok(Some(Item::Gap));
                    }
                }
                _ if first.is_whitespace() => {
                    self.skip(first.len_utf8());
                    self.at_line_start = line_start;
                }
                '[' => return self.tag().map(Some),
                '{' => self.skip_comment()?,
                ';' => self.skip_line(),
                '%' if line_start => self.skip_line(),
                '(' => {
                    self.skip_variation()?;
                    return Ok(Some(Item::Movetext));
                }
                _ => {
                    let ends = |c: char| c.is_whitespace() || matches!(c, '[' | '{' | ';' | '(');
                    let after_first = self.rest.get(first.len_utf8()..).unwrap_or_default();
                    self.skip(first.len_utf8() + after_first.find(ends).unwrap_or(after_first.len()));
                    return Ok(Some(Item::Movetext));
                }
            }
        }
        Ok(None)
    }

    /// Moves on by so many bytes, counting lines.
    fn skip(&mut self, bytes: usize) {
        let (skipped, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.line += skipped.bytes().filter(|&byte| byte == b'\n').count();
        self.at_line_start = skipped.ends_with('\n');
        self.rest = rest;
    }

    /// The rest of the current line.
    fn current_line(&self) -> &'a str {
        self.rest.split('\n').next().unwrap_or_default()
    }

    fn skip_line(&mut self) {
        self.skip(self.current_line().len());
    }

    fn skip_comment(&mut self) -> Result<(), ReadError> {
        match self.rest.find('}') {
            Some(end) => {
                self.skip(end + 1);
                Ok(())
            }
            None => Err(self.unclosed('}')),
        }
    }

    /// Skips a variation with the variations and comments inside it.
    fn skip_variation(&mut self) -> Result<(), ReadError> {
        let error = self.unclosed(')');
        let mut depth = 0_usize;
        loop {
            match self.rest.chars().next() {
                Some('{') => self.skip_comment()?,
                Some(';') => self.skip_line(),
                Some(character) => {
                    self.skip(character.len_utf8());
                    match character {
                        '(' => depth += 1,
                        ')' => depth -= 1,
                        _ => {}
                    }
                    if depth == 0 {
                        return Ok(());
                    }
                }
                None => return Err(error),
            }
        }
    }

    fn tag(&mut self) -> Result<Item, ReadError> {
        let line = self.line;
        let text = self.current_line().trim_end();
        let malformed = || ReadProblem::malformed(text, "a tag like [Name \"value\"]").at(line);
        let inner = text.strip_prefix('[').ok_or_else(malformed)?.trim_start();
        let name_end = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').ok_or_else(malformed)?;
        let (name, after_name) = inner.split_at_checked(name_end).ok_or_else(malformed)?;
        let quoted = after_name.trim_start().strip_prefix('"').ok_or_else(malformed)?;
        let (value, after_value) = unquote(quoted).ok_or_else(|| self.unclosed('"'))?;
        let after_tag = after_value.trim_start().strip_prefix(']').ok_or_else(|| self.unclosed(']'))?;
        if name.is_empty() {
            return Err(malformed());
        }
        self.skip(text.len() - after_tag.len());
        Ok(Item::Tag { line, name: name.to_owned(), value })
    }

    fn unclosed(&self, closing: char) -> ReadError {
        ReadProblem::Unclosed { token: kiki_board::excerpt(self.current_line().trim_end()), closing }.at(self.line)
    }
}

/// Reads to the closing quotation mark; gives the text without escapes and what follows. A backslash before anything but itself
/// or a quotation mark stands for itself, as in paths of Windows.
fn unquote(quoted: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((index, character)) = characters.next() {
        match character {
            '"' => return Some((value, quoted.get(index + 1..)?)),
            '\\' => match characters.clone().next() {
                Some((_, escaped @ ('"' | '\\'))) => {
                    value.push(escaped);
                    characters.next();
                }
                _ => value.push('\\'),
            },
            _ => value.push(character),
        }
    }
    None
}
