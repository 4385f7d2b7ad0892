//! The program to start.

use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kiki_text::excerpt_of;

/// A program with its arguments, its working folder, and the environment variables that it does not
/// inherit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    executable: PathBuf,
    arguments: Vec<String>,
    directory: Option<PathBuf>,
    removed_variables: Vec<String>,
}

/// Number of characters of a command quoted in errors.
const LONGEST_COMMAND: usize = 100;

/// Why a command line names no program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ProgramError {
    /// There is no first word.
    #[error("the command is empty")]
    Empty,
    /// The first word is a path without a file.
    #[error("there is no file `{}`", excerpt_of(.0, LONGEST_COMMAND))]
    NoFile(String),
    /// The first word is the path of a folder.
    #[error("`{}` is a folder", excerpt_of(.0, LONGEST_COMMAND))]
    Folder(String),
    /// A quote is not closed.
    #[error("`{}`: a quote has no end", excerpt_of(.0, LONGEST_COMMAND))]
    OpenQuote(String),
}

impl Program {
    /// The first word names the program, as a path or as a name in the search path; the others are
    /// its arguments. A relative path starts at the current folder, whatever the engine's working
    /// folder. On Windows `.exe` may be missing.
    pub fn from_words<T: Into<String>>(words: impl IntoIterator<Item = T>) -> Result<Self, ProgramError> {
        let mut words = words.into_iter().map(Into::into);
        let first: String = words.next().filter(|word: &String| !word.is_empty()).ok_or(ProgramError::Empty)?;
        let is_path = first.contains(std::path::is_separator);
        let executable = if is_path {
            let names = [first.clone(), format!("{first}{EXE_SUFFIX}")];
            let path = names.iter().filter_map(|name| std::path::absolute(name).ok()).find(|path| path.is_file());
            let is_folder = Path::new(&first).is_dir();
            path.ok_or(if is_folder { ProgramError::Folder(first) } else { ProgramError::NoFile(first) })?
        } else {
            PathBuf::from(first)
        };
        Ok(Self { executable, arguments: words.collect(), directory: None, removed_variables: Vec::new() })
    }

    /// Like [`Program::from_words`] for a command line, split by [`split_words`].
    pub fn from_line(line: &str) -> Result<Self, ProgramError> {
        Self::from_words(split_words(line)?)
    }

    /// The program in another working folder.
    #[must_use]
    pub fn in_directory(self, directory: Option<&Path>) -> Self {
        Self { directory: directory.map(Path::to_owned), ..self }
    }

    /// The program without an environment variable that it would inherit, such as one with a
    /// password.
    #[must_use]
    pub fn without_variable(mut self, name: impl Into<String>) -> Self {
        self.removed_variables.push(name.into());
        self
    }

    /// The command line, for people.
    #[must_use]
    pub fn line(&self) -> String {
        let mut words = vec![self.executable.display().to_string()];
        words.extend(self.arguments.iter().cloned());
        words.join(" ")
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.executable);
        command.args(&self.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        for name in &self.removed_variables {
            command.env_remove(name);
        }
        command
    }
}

/// Splits a command line into words like a shell: quotes of either kind group their contents, and a
/// backslash escapes the next character. On Windows a backslash belongs to a path.
pub fn split_words(line: &str) -> Result<Vec<String>, ProgramError> {
    let words = if cfg!(windows) { shell_words::split(&escape_backslashes(line)) } else { shell_words::split(line) };
    words.map_err(|_| ProgramError::OpenQuote(line.to_owned()))
}

fn escape_backslashes(line: &str) -> String {
    let mut quote = None;
    let mut escaped = String::with_capacity(line.len());
    for character in line.chars() {
        match quote {
            None if matches!(character, '\'' | '"') => quote = Some(character),
            Some(open) if open == character => quote = None,
            _ => {}
        }
        // Between these quotes a backslash stands for itself anyway.
        if character == '\\' && quote != Some('\'') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_without_a_program_is_an_error() {
        assert_eq!(Program::from_words([""; 0]), Err(ProgramError::Empty));
        assert_eq!(Program::from_words([""]), Err(ProgramError::Empty));
        let error = Program::from_words(["./no/such/engine", "x"]).unwrap_err();
        assert_eq!(error.to_string(), "there is no file `./no/such/engine`");
    }

    #[test]
    fn a_path_is_taken_from_the_current_folder() {
        let program = Program::from_words(["./Cargo.toml", "usi"]).unwrap().in_directory(Some(Path::new("/")));
        assert!(program.executable.is_absolute());
        assert!(program.line().ends_with("Cargo.toml usi"));
    }

    #[test]
    fn variables_that_are_taken_out_are_not_inherited_and_all_others_are() {
        let program = Program::from_words(["x"]).unwrap().without_variable("A").without_variable("B");
        let command = program.command();
        let changed: Vec<_> = command.get_envs().map(|(name, value)| (name.to_str().unwrap(), value)).collect();
        assert_eq!(changed, [("A", None), ("B", None)]);
    }

    #[test]
    fn backslashes_are_those_of_paths_on_windows() {
        let words = |line| shell_words::split(&escape_backslashes(line)).unwrap();
        assert_eq!(words(r"C:\Kiki\kiki.exe --log a\ b"), [r"C:\Kiki\kiki.exe", "--log", r"a\", "b"]);
        assert_eq!(words(r#""C:\Program Files\" '\\server\my files'"#), [r"C:\Program Files\", r"\\server\my files"]);
        assert_eq!(words(r#"a"b\c"'d\e' "it's""#), [r"ab\cd\e", "it's"]);
        let path = r"C:\x";
        let expected = if cfg!(windows) { path } else { "C:x" };
        assert_eq!(split_words(path).unwrap(), [expected]);
    }

    #[test]
    fn errors_quote_commands_briefly_and_in_one_line() {
        let long = format!("./{}\n", "x".repeat(10_000));
        let errors =
            [Program::from_words([long.as_str()]).unwrap_err(), Program::from_line(&format!("'{long}")).unwrap_err()];
        let texts = errors.map(|error| error.to_string());
        assert!(texts.iter().all(|text| text.lines().count() == 1 && text.len() < 200), "{texts:?}");
    }
}
