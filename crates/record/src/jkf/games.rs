//! The games in a JKF file: objects in an array, or one after the other.

use serde_json::Deserializer;
use serde_json::value::RawValue;

use crate::error::{ReadError, ReadProblem};

/// Limit on rereading broken games, in lengths of the file, so that a file of unclosed brackets
/// ends in reasonable time.
const MOST_PASSES: usize = 16;

/// A value that should be a game.
pub(super) struct Found<'a> {
    pub(super) value: &'a RawValue,
    pub(super) line: usize,
}

/// The games of a file whose `bytes` decode to `text`. After a broken game, the next line that
/// begins like it starts the next game.
pub(super) fn find_games<'a>(bytes: &[u8], text: &'a str) -> Vec<Result<Found<'a>, ReadError>> {
    let broken_bytes_left = text.len().saturating_mul(MOST_PASSES);
    let mut finder = Finder { text, at: 0, line: 1, array: None, broken_bytes_left };
    let undecoded = undecoded_lines(bytes);
    let mut games = Vec::new();
    while let Some(game) = finder.next_game() {
        let (first, last) = match &game {
            Ok(found) => (found.line, found.line + newlines(found.value.get())),
            Err(broken) => (broken.first, broken.error.line),
        };
        let bad = undecoded.get(undecoded.partition_point(|&line| line < first));
        games.push(match bad {
            Some(&line) if line <= last => Err(ReadProblem::Json("JKF is UTF-8, and this is not".to_owned()).at(line)),
            _ => game.map_err(|broken| broken.error),
        });
    }
    games
}

/// The text of an error without the position that serde adds.
pub(super) fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.as_str(), |(problem, _)| problem).to_owned()
}

fn undecoded_lines(bytes: &[u8]) -> Vec<usize> {
    if std::str::from_utf8(bytes).is_ok() {
        return Vec::new();
    }
    let lines = bytes.split(|&byte| byte == b'\n').enumerate();
    lines.filter(|(_, line)| std::str::from_utf8(line).is_err()).map(|(index, _)| index + 1).collect()
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b'\n').count()
}

struct Broken {
    first: usize,
    error: ReadError,
}

/// Walks through the values of a text.
struct Finder<'a> {
    text: &'a str,
    /// The next byte, and its line.
    at: usize,
    line: usize,
    /// The line where an open array of games began.
    array: Option<usize>,
    /// The number of bytes of broken games that may still be reread.
    broken_bytes_left: usize,
}

impl<'a> Finder<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip(&mut self, bytes: usize) {
        self.line += newlines(self.rest().get(..bytes).unwrap_or_default());
        self.at += bytes;
    }

    fn next_game(&mut self) -> Option<Result<Found<'a>, Broken>> {
        loop {
            let rest = self.rest();
            self.skip(rest.len() - rest.trim_start().len());
            match self.rest().bytes().next() {
                None => {
                    let first = self.array.take()?;
                    let problem = ReadProblem::Unclosed { token: "[".to_owned(), closing: ']' };
                    return Some(Err(Broken { first: self.line, error: problem.at(first) }));
                }
                Some(b'[') if self.array.is_none() => self.array = Some(self.line),
                Some(b']') if self.array.is_some() => self.array = None,
                Some(b',') if self.array.is_some() => {}
                Some(_) if self.broken_bytes_left == 0 => return Some(Err(self.give_up())),
                Some(_) => return self.value(),
            }
            self.skip(1);
        }
    }

    fn give_up(&mut self) -> Broken {
        (self.at, self.array) = (self.text.len(), None);
        let problem = ReadProblem::Json("reading stops here: too many games are not closed".to_owned());
        Broken { first: self.line, error: problem.at(self.line) }
    }

    fn value(&mut self) -> Option<Result<Found<'a>, Broken>> {
        let first = self.line;
        let mut values = Deserializer::from_str(self.rest()).into_iter::<&RawValue>();
        match values.next()? {
            Ok(value) => {
                self.skip(values.byte_offset());
                Some(Ok(Found { value, line: first }))
            }
            Err(error) => {
                let noticed = first + error.line().saturating_sub(1);
                // The parser notices a truncated game only at the next one.
                let line = self.skip_broken(noticed).map_or(noticed, |next| noticed.min(next - 1));
                Some(Err(Broken { first, error: ReadProblem::Json(without_place(&error)).at(line) }))
            }
        }
    }

    /// Skips to the next line that begins with a bracket and is indented no deeper than the broken
    /// game, and returns its number. The bracket of an array allows one more column. The parser had
    /// read the broken game up to line `read_to`.
    fn skip_broken(&mut self, read_to: usize) -> Option<usize> {
        let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
        let line_start = self.text.get(..self.at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
        let most = indent(self.text.get(line_start..).unwrap_or_default()) + 1;
        let (mut at, mut number) = (self.at, self.line);
        let mut next = None;
        for line in self.rest().split_inclusive('\n') {
            let begins = indent(line) <= most && line.trim_start().starts_with(['{', '[']);
            if next.is_none() && number > self.line && begins {
                next = Some((at, number));
            }
            if number > read_to && next.is_some() {
                break;
            }
            (at, number) = (at + line.len(), number + 1);
        }
        self.broken_bytes_left = self.broken_bytes_left.saturating_sub(at - self.at);
        match next {
            Some((at, number)) => (self.at, self.line) = (at, number),
            None => (self.at, self.array) = (self.text.len(), None),
        }
        next.map(|(_, number)| number)
    }
}
