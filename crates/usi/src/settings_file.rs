//! A file of option values beside the program: a line `Name Value` for each, comments behind `#` or `//`.

use crate::text::{Words, decode, excerpt, is_damaged};

/// A line of a settings file, to hand to [`crate::OptionSet::set`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OptionSetting {
    /// The number of the line; the first is 1.
    pub line: usize,
    /// The option's name.
    pub name: String,
    /// What follows it, blanks inside included; `None` for nothing.
    pub value: Option<String>,
}

/// Why a line of a settings file cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SettingError {
    /// The line has bytes that are neither UTF-8 nor Shift_JIS.
    #[error("line {line} is neither UTF-8 nor Shift_JIS: `{text}`")]
    NotText {
        /// The number of the line; the first is 1.
        line: usize,
        /// The line, shortened and ASCII.
        text: String,
    },
}

/// Reads the contents of a settings file, line by line. Blank lines and comments are left out.
///
/// A comment is a line of its own: in other places `#` and `//` may belong to a file name.
///
/// ```
/// let file = b"# my settings\r\nThreads 4\nBookDir C:\\my books\n";
/// let settings: Vec<_> = kiki_usi::settings(file).collect::<Result<_, _>>()?;
/// assert_eq!((settings[0].name.as_str(), settings[0].value.as_deref()), ("Threads", Some("4")));
/// assert_eq!((settings[1].line, settings[1].value.as_deref()), (3, Some("C:\\my books")));
/// # Ok::<(), kiki_usi::SettingError>(())
/// ```
pub fn settings(contents: &[u8]) -> impl Iterator<Item = Result<OptionSetting, SettingError>> {
    let lines = contents.split(|&byte| byte == b'\n');
    lines.enumerate().filter_map(|(index, line)| setting(index + 1, line).transpose())
}

fn setting(line: usize, bytes: &[u8]) -> Result<Option<OptionSetting>, SettingError> {
    let text = decode(bytes);
    let mut words = Words::new(&text);
    let Some(name) = words.next().filter(|word| !word.starts_with('#') && !word.starts_with("//")) else {
        return Ok(None);
    };
    if is_damaged(bytes, &text) {
        return Err(SettingError::NotText { line, text: excerpt(&text) });
    }
    let value = Some(words.rest()).filter(|value| !value.is_empty());
    Ok(Some(OptionSetting { line, name: name.to_owned(), value: value.map(str::to_owned) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blank_lines_are_left_out() {
        assert_eq!(settings(b"\xef\xbb\xbf# a\n // b\r\n\r\n \t\n#\xff").count(), 0);
        assert_eq!(settings(b"").count(), 0);
    }

    #[test]
    fn a_name_may_stand_alone() {
        let setting = settings(b"\nClear_Hash  \r\n").next();
        assert_eq!(setting, Some(Ok(OptionSetting { line: 2, name: "Clear_Hash".to_owned(), value: None })));
    }

    #[test]
    fn each_line_is_utf8_or_shift_jis() {
        let file = ["BookDir 定跡\n".as_bytes(), b"BookFile \x92\xe8\x90\xd5.db\r\n"].concat();
        let values: Vec<_> = settings(&file).map(|setting| setting.unwrap().value.unwrap()).collect();
        assert_eq!(values, ["定跡", "定跡.db"]);
    }

    #[test]
    fn a_line_that_is_no_text_is_named_and_the_next_is_read() {
        let read: Vec<_> = settings(b"BookFile \x92\xff\nThreads 4").collect();
        let error = read[0].as_ref().unwrap_err();
        assert_eq!(error.to_string(), "line 1 is neither UTF-8 nor Shift_JIS: `BookFile \\u{fffd}\\u{fffd}`");
        assert!(read[1].is_ok());
    }
}
