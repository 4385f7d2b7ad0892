//! Files named by options and arguments.
//!
//! A path may name anything: a folder, a pipe without a writer, an endless device. These functions
//! open only regular files, and read files whole only up to a size. Anything else is an immediate
//! error that says what is there instead.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

/// Maximum number of bytes of settings, of a note, or of a model that is text.
pub const MOST_SETTINGS: u64 = 16 << 20;

/// Maximum number of bytes of games, positions or results that are read as a whole.
pub const MOST_RECORDS: u64 = 2 << 30;

/// Maximum number of bytes of a network: four times the widest in use.
pub const MOST_NETWORK: u64 = 1 << 30;

/// Opens a regular file of any size for reading. Never waits, unlike the opening of a pipe.
pub fn open_regular_file(path: impl AsRef<Path>) -> io::Result<File> {
    let path = path.as_ref();
    // Checked first: opening waits at a pipe and may move a device.
    check_kind(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    check_kind(&file.metadata()?)?;
    Ok(file)
}

/// Reads a regular file. Refuses one of more than `most` bytes.
pub fn read_regular_file(path: impl AsRef<Path>, most: u64) -> io::Result<Vec<u8>> {
    let file = open_regular_file(path)?;
    let length = file.metadata()?.len();
    if length > most {
        return Err(too_large(length, most));
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length as usize).map_err(|_| ErrorKind::OutOfMemory)?;
    // A file may grow while it is read, and files under /proc report no length.
    let read = file.take(most + 1).read_to_end(&mut bytes)? as u64;
    if read > most { Err(too_large(read, most)) } else { Ok(bytes) }
}

/// Like [`read_regular_file`], for UTF-8 text.
pub fn read_regular_text(path: impl AsRef<Path>, most: u64) -> io::Result<String> {
    let mut bytes = read_regular_file(path, most)?;
    if bytes.starts_with("\u{feff}".as_bytes()) {
        bytes.drain(.."\u{feff}".len());
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        io::Error::new(ErrorKind::InvalidData, format!("it is not UTF-8 text: byte {at} is invalid"))
    })
}

/// Opens a file for appending, and creates it if needed. A device such as a terminal is allowed. A
/// pipe is refused, because opening it may wait for a reader.
pub fn append_to_file(path: impl AsRef<Path>) -> io::Result<File> {
    let path = path.as_ref();
    match fs::metadata(path).map(|metadata| describe(&metadata)) {
        Ok(Some(kind)) if kind != DEVICE => Err(not_regular(kind)),
        _ => OpenOptions::new().create(true).append(true).open(path),
    }
}

/// A folder of the user, by a variable of the XDG base directories and its usual place under the
/// home folder. On Windows it is that of local data. `None` without any.
#[must_use]
pub fn user_folder(variable: &str, under_home: &str) -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = folder(variable).or_else(|| folder("LOCALAPPDATA"));
    base.or_else(|| folder("HOME").map(|home| home.join(under_home)))
}

const DEVICE: &str = "a device";

fn check_kind(metadata: &Metadata) -> io::Result<()> {
    describe(metadata).map_or(Ok(()), |kind| Err(not_regular(kind)))
}

fn not_regular(kind: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, format!("it is {kind}, not a file"))
}

fn too_large(length: u64, most: u64) -> io::Error {
    let text = format!("its {length} bytes are too many: at most {most} are allowed");
    io::Error::new(ErrorKind::FileTooLarge, text)
}

/// What the path names, unless it is a regular file.
fn describe(metadata: &Metadata) -> Option<&'static str> {
    if metadata.is_file() {
        return None;
    }
    if metadata.is_dir() {
        return Some("a folder");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        let kind = metadata.file_type();
        if kind.is_fifo() {
            return Some("a pipe");
        }
        if kind.is_char_device() || kind.is_block_device() {
            return Some(DEVICE);
        }
        if kind.is_socket() {
            return Some("a socket");
        }
    }
    Some("something else")
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_regular_file_is_read_up_to_its_greatest_size() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "５六歩").unwrap();
        assert_eq!(read_regular_file(&path, 9).unwrap(), "５六歩".as_bytes());
        assert_eq!(read_regular_text(&path, 9).unwrap(), "５六歩");
        let error = read_regular_file(&path, 8).unwrap_err();
        assert_eq!(error.to_string(), "its 9 bytes are too many: at most 8 are allowed");
        fs::write(&path, b"abc\xff").unwrap();
        assert_eq!(read_regular_text(&path, 9).unwrap_err().to_string(), "it is not UTF-8 text: byte 3 is invalid");
        fs::write(&path, "").unwrap();
        assert_eq!(read_regular_file(&path, 0).unwrap(), b"");
        assert_eq!(read_regular_file(folder.path().join("none"), 9).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[test]
    fn a_file_that_is_mostly_a_hole_is_refused_by_its_length() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hole");
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(read_regular_file(&path, MOST_RECORDS).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert!(open_regular_file(&path).is_ok(), "what is read line by line may be long");
    }

    #[test]
    fn a_folder_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        for error in [
            open_regular_file(folder.path()).unwrap_err(),
            read_regular_file(folder.path(), 9).unwrap_err(),
            append_to_file(folder.path()).unwrap_err(),
        ] {
            assert_eq!(error.to_string(), "it is a folder, not a file");
        }
    }

    #[cfg(unix)]
    #[test]
    fn pipes_sockets_and_devices_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, socket) = (folder.path().join("pipe"), folder.path().join("socket"));
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let refused = |path: &Path| open_regular_file(path).unwrap_err().to_string();
        assert_eq!(refused(&pipe), "it is a pipe, not a file");
        assert_eq!(refused(&socket), "it is a socket, not a file");
        for device in ["/dev/zero", "/dev/null"] {
            assert_eq!(refused(device.as_ref()), "it is a device, not a file");
        }
        assert_eq!(append_to_file(&pipe).unwrap_err().to_string(), "it is a pipe, not a file");
    }

    #[test]
    fn what_is_written_at_the_end_of_a_file_stands_behind_what_it_had() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        for line in ["one\n", "two\n"] {
            append_to_file(&path).unwrap().write_all(line.as_bytes()).unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\n");
    }

    /// Its length is not known before it has been read.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_the_system_makes_up_is_bounded_too() {
        assert!(!read_regular_file("/proc/self/maps", 1 << 20).unwrap().is_empty());
        assert_eq!(read_regular_file("/proc/self/maps", 3).unwrap_err().kind(), ErrorKind::FileTooLarge);
    }
}
