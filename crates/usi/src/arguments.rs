//! Commands given as arguments of the program.

use crate::text::trim;

/// The command lines that a program's arguments (without its own name) make up.
///
/// A comma separates two commands when a blank or the end of an argument is beside it, so that file names may hold commas.
///
/// ```
/// let lines = kiki_usi::command_lines(["usi", ",", "isready,", "go", "nodes", "1000", ",", "quit"]);
/// assert_eq!(lines, ["usi", "isready", "go nodes 1000", "quit"]);
///
/// let lines = kiki_usi::command_lines(["usi , setoption name BookFile value a,b.db"]);
/// assert_eq!(lines, ["usi", "setoption name BookFile value a,b.db"]);
/// ```
#[must_use]
pub fn command_lines<T: AsRef<str>>(arguments: impl IntoIterator<Item = T>) -> Vec<String> {
    let mut lines = vec![String::new()];
    for argument in arguments {
        for word in argument.as_ref().split(' ') {
            let (before, starts) = without(word.strip_prefix(','), word);
            let (text, ends) = without(before.strip_suffix(','), before);
            if starts {
                lines.push(String::new());
            }
            if let Some(line) = lines.last_mut() {
                line.push_str(text);
                line.push(' ');
            }
            if ends {
                lines.push(String::new());
            }
        }
    }
    let lines = lines.iter().map(|line| trim(line));
    lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// What is left of a word, and whether something was taken from it.
fn without<'a>(stripped: Option<&'a str>, word: &'a str) -> (&'a str, bool) {
    (stripped.unwrap_or(word), stripped.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_arguments_are_no_commands() {
        assert!(command_lines::<&str>([]).is_empty());
        assert!(command_lines(["", ",", " , ", ",,"]).is_empty());
    }

    #[test]
    fn blanks_inside_an_argument_stay() {
        let lines = command_lines(["setoption", "name", "BookDir", "value", "my  books", ",", "quit"]);
        assert_eq!(lines, ["setoption name BookDir value my  books", "quit"]);
    }
}
