//! The secret part of the address, kept so that an open tab finds the next start.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use rand::RngExt as _;
use tempfile::NamedTempFile;

const DIGITS: usize = 32;

pub(crate) fn fresh() -> String {
    format!("{:0DIGITS$x}", rand::rng().random::<u128>())
}

/// The token of a file. A file that is missing, broken or open to others gets a fresh one.
pub(crate) fn kept(path: &Path) -> io::Result<String> {
    if let Some(token) = read(path) {
        return Ok(token);
    }
    let token = fresh();
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    // Only their owner can read temporary files.
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(token.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(token)
}

fn read(path: &Path) -> Option<String> {
    let file = kiki_platform::open_regular_file(path).ok().filter(is_private)?;
    let token = io::read_to_string(io::Read::take(file, DIGITS as u64 + 1)).ok()?;
    (token.len() == DIGITS && token.bytes().all(|letter| letter.is_ascii_hexdigit())).then_some(token)
}

#[cfg(unix)]
fn is_private(file: &File) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o077 == 0)
}

/// Folders of a user are closed to others on other systems.
#[cfg(not(unix))]
fn is_private(_: &File) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_kept_in_a_file_of_its_own_user() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kiki/token");
        let token = kept(&path).unwrap();
        assert_eq!((token.len(), kept(&path).unwrap()), (DIGITS, token.clone()));
        for broken in ["", "short", "/../../etc/passwd", &"0".repeat(DIGITS + 1)] {
            fs::write(&path, broken).unwrap();
            let mended = kept(&path).unwrap();
            assert!(mended.len() == DIGITS && mended != token, "{broken}");
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(), 0o600);
            let known = kept(&path).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
            assert!(kept(&path).unwrap() != known);
            assert_eq!(mode(), 0o600);
        }
        assert!(kept(&folder.path().join("kiki/token/below")).is_err());
    }
}
