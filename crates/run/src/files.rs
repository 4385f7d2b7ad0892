//! Files: openings and records are read, and results are written completely or not at all.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Error, Result, anyhow};
use kiki_platform::{MOST_RECORDS, MOST_SETTINGS, open_regular_file, read_regular_file, read_regular_text};
use kiki_play::openings;
use kiki_record::{Game, RecordForm, read_moves};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tempfile::NamedTempFile;

/// The openings of a file, in its order; see [`openings::parse`] for the form. Errors name file,
/// line and token.
pub fn read_openings(path: &Path) -> Result<Vec<String>> {
    let text = read_regular_text(path, MOST_RECORDS).with_context(|| format!("openings {}", path.display()))?;
    openings::parse(&text).with_context(|| path.display().to_string())
}

/// Whether the name is that of a game record: the extension of a form, but not `.json`, which other
/// files have too.
pub fn is_record(path: &Path) -> bool {
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    !is_json && path.to_str().and_then(RecordForm::of_extension).is_some()
}

/// Everything in a folder, by name. The error names the folder.
pub fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let place = || folder.display().to_string();
    let entries = fs::read_dir(folder).with_context(place)?.collect::<Result<Vec<_>, _>>().with_context(place)?;
    let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

/// The games of a record of any form, without principal variations and comments. The error of a
/// game names its line.
pub fn read_games(path: &Path) -> Result<Vec<Result<Game>>> {
    let games = read_moves(&path.to_string_lossy(), &read_regular_file(path, MOST_RECORDS)?);
    Ok(games.into_iter().map(|game| game.map_err(Error::new)).collect())
}

/// Absolute paths, for settings that are read from any folder.
pub fn absolute(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    paths.iter().map(|path| Ok(std::path::absolute(path)?)).collect()
}

pub fn read_lines(path: &Path) -> Result<Vec<String>> {
    let text = read_regular_text(path, MOST_RECORDS).with_context(|| path.display().to_string())?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// Reads a small text, such as settings. The error names the file.
pub fn read_text(path: &Path) -> Result<String> {
    read_regular_text(path, MOST_SETTINGS).with_context(|| path.display().to_string())
}

/// Reads a file of TOML. The error names the file, the line and the mistake.
pub fn read_toml<T: DeserializeOwned>(path: &Path) -> Result<T> {
    from_toml(&read_text(path)?).with_context(|| path.display().to_string())
}

/// Reads TOML. The error is one line: the place and the fault.
pub fn from_toml<T: DeserializeOwned>(text: &str) -> Result<T> {
    toml::from_str(text).map_err(|error| toml_error(&error, text))
}

/// The line and the fault of TOML; without the text, the fault and its key.
pub fn toml_error(error: &toml::de::Error, text: &str) -> Error {
    let Some(before) = error.span().and_then(|span| text.get(..span.start)) else {
        return anyhow!("{}", error.to_string().trim_end().replace('\n', ", "));
    };
    let line = before.matches('\n').count() + 1;
    anyhow!("line {line}: {}", error.message().trim_end().replace('\n', ", "))
}

/// Writes a file so that it has either its old content or all of the new one.
pub fn write_atomically(path: &Path, content: &[u8]) -> Result<()> {
    let place = || path.display().to_string();
    write_atomically_by(path, |file| file.write_all(content).with_context(place))
}

/// The same, with the content written piece by piece. Replaces the file that a link names, not the
/// link. Writes directly into a device or a pipe.
pub fn write_atomically_by<T>(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> Result<T>) -> Result<T> {
    let place = || path.display().to_string();
    if path.metadata().is_ok_and(|known| !known.is_file()) {
        return written_by(File::options().write(true).open(path).with_context(place)?, place, write);
    }
    let target = path.canonicalize();
    let target = target.as_deref().unwrap_or(path);
    let (file, written) = write_unnamed(target, write)?;
    file.persist(target).with_context(place)?;
    Ok(written)
}

fn written_by<T>(
    file: File,
    place: impl Fn() -> String,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<T>,
) -> Result<T> {
    let mut writer = BufWriter::new(file);
    let written = write(&mut writer)?;
    writer.flush().with_context(place)?;
    Ok(written)
}

/// The same, but never replaces a file.
pub fn write_new_by<T>(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> Result<T>) -> Result<T> {
    let (file, written) = write_unnamed(path, write)?;
    file.persist_noclobber(path).with_context(|| path.display().to_string())?;
    Ok(written)
}

/// Writes a complete file beside `path`.
fn write_unnamed<T>(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> Result<T>) -> Result<(NamedTempFile, T)> {
    let place = || path.display().to_string();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = NamedTempFile::new_in(folder).with_context(place)?;
    let written = written_by(file.as_file().try_clone().with_context(place)?, place, write)?;
    #[cfg(unix)]
    {
        // Temporary files are readable by their owner alone; results are for all.
        use std::fs::Permissions;
        use std::os::unix::fs::PermissionsExt as _;

        file.as_file().set_permissions(Permissions::from_mode(0o644)).with_context(place)?;
    }
    file.as_file().sync_all().with_context(place)?;
    Ok((file, written))
}

pub fn write_json(path: &Path, value: &impl Serialize) -> Result<()> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    write_atomically(path, text.as_bytes())
}

pub fn blake3_of(path: &Path) -> Result<String> {
    let place = || path.display().to_string();
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(open_regular_file(path).with_context(place)?).with_context(place)?;
    Ok(hasher.finalize().to_string())
}

/// A path as a word of a command line, quoted if the shell needs it.
pub fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    if cfg!(windows) {
        // No path has a quote there, and both shells know these quotes.
        let is_plain = |letter: char| letter.is_alphanumeric() || r"\/:._-+~".contains(letter);
        return if text.chars().all(is_plain) { text } else { format!("\"{text}\"") };
    }
    shell_words::quote(&text).into_owned()
}

/// Maximum bytes of a name. Systems allow about 255, and a number and an extension follow.
const LONGEST_STEM: usize = 200;

/// Takes a free name that is valid on all systems. `taken` holds names in lower case.
pub fn free_name(stem: &str, taken: &mut HashSet<String>) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "+-_.".contains(letter);
    let plain: String = stem.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
    let plain = &plain[..plain.floor_char_boundary(LONGEST_STEM)];
    let stem = if plain.is_empty() { "game".to_owned() } else { plain.to_owned() };
    let numbered = (2..).map(|number| format!("{stem}-{number}"));
    let mut names = [stem.clone()].into_iter().chain(numbered);
    // Some systems do not distinguish capital letters.
    names.find(|name| taken.insert(name.to_lowercase())).unwrap_or(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_taken_once() {
        let mut taken = HashSet::from(["analysis".to_owned()]);
        let names: Vec<String> =
            ["a b/c", "A_b_c", "analysis", "", "名人戦"].iter().map(|stem| free_name(stem, &mut taken)).collect();
        assert_eq!(names, ["a_b_c", "A_b_c-2", "analysis-2", "game", "名人戦"]);
        let long = free_name(&"名人戦".repeat(30), &mut taken);
        assert_eq!((long.len(), free_name(&long, &mut taken).len()), (198, 200));
    }

    #[test]
    #[cfg(unix)]
    fn a_link_and_a_pipe_stay_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let [target, link, pipe] = ["target", "link", "pipe"].map(|name| folder.path().join(name));
        fs::write(&target, "old").unwrap();
        std::os::unix::fs::symlink("target", &link).unwrap();
        write_atomically(&link, b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).unwrap()
        });
        write_atomically(&pipe, b"through").unwrap();
        assert_eq!(reader.join().unwrap(), b"through");
        assert!(!pipe.metadata().unwrap().is_file());
        assert!(write_atomically(folder.path(), b"").is_err());
    }

    #[test]
    fn an_error_of_toml_is_one_line_with_its_place() {
        let error = |text| from_toml::<std::collections::BTreeMap<String, u8>>(text).unwrap_err().to_string();
        assert_eq!(error("a = 1\nb = 'x'\n"), "line 2: invalid type: string \"x\", expected u8");
        for text in ["a = ", "a", "[a", "a = 1\na = 2", "a = 'x", "a = 1\n\n= 3", "a = 1 2"] {
            assert!(error(text).starts_with("line ") && error(text).lines().count() == 1, "{}", error(text));
        }
        let table: toml::Table = from_toml("a = { b = 'x' }").unwrap();
        let typed: Result<std::collections::BTreeMap<String, toml::value::Array>, _> = table.try_into();
        assert_eq!(toml_error(&typed.unwrap_err(), "").to_string().lines().count(), 1);
    }

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
