//! Paths in commands that people are shown.

use std::path::Path;

/// A path as a word of a command line, which may be copied as it is: in quotes if it has blanks or other characters that mean something to a
/// shell.
pub fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    if cfg!(windows) {
        // No path has a quote there, and both shells know these quotes.
        let is_plain = |letter: char| letter.is_alphanumeric() || r"\/:._-+~".contains(letter);
        return if text.chars().all(is_plain) { text } else { format!("\"{text}\"") };
    }
    shell_words::quote(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_path_with_special_characters_is_quoted() {
        let word = |text: &str| shell_word(text.as_ref());
        assert_eq!(word("results/fairy-2.old"), "results/fairy-2.old");
        if cfg!(windows) {
            assert_eq!(word(r"C:\my games\x"), "\"C:\\my games\\x\"");
        } else {
            for path in ["o b", "it's", "a$b", "a;b", "日 本"] {
                assert_eq!(shell_words::split(&word(path)).unwrap(), [path]);
            }
            assert_eq!(word("o b"), "'o b'");
        }
    }
}
