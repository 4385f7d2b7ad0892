//! What to start.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program with its arguments and the folder that it works in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    executable: PathBuf,
    arguments: Vec<String>,
    directory: Option<PathBuf>,
}

/// Why a command line names no program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ProgramError {
    /// There is no first word.
    #[error("the command is empty")]
    Empty,
    /// The first word is a path at which there is no file.
    #[error("there is no file `{0}`")]
    NoFile(String),
}

impl Program {
    /// The first word names the program, either as a path or as something that the system finds in its search path; the others are
    /// its arguments. A relative path is taken from the current folder, whatever folder the engine is to work in.
    ///
    /// # Errors
    /// No words, or a path without a file.
    pub fn from_words<T: Into<String>>(words: impl IntoIterator<Item = T>) -> Result<Self, ProgramError> {
        let mut words = words.into_iter().map(Into::into);
        let first: String = words.next().filter(|word: &String| !word.is_empty()).ok_or(ProgramError::Empty)?;
        let is_path = first.contains(std::path::is_separator);
        let executable = if is_path {
            let path = std::path::absolute(&first).ok().filter(|path| path.is_file());
            path.ok_or(ProgramError::NoFile(first))?
        } else {
            PathBuf::from(first)
        };
        Ok(Self { executable, arguments: words.collect(), directory: None })
    }

    /// The same program in another working folder.
    #[must_use]
    pub fn in_directory(self, directory: Option<&Path>) -> Self {
        Self { directory: directory.map(Path::to_owned), ..self }
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
        command
    }
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
}
