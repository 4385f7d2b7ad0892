//! Files that options and arguments name.
//!
//! Whoever writes a path may mean anything: a folder, a pipe that nobody writes into, a device without an end. What is opened here is a regular
//! file, and what is read as a whole has a size that can be right. Everything else is an error at once, which says what is there instead.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

/// The most bytes of a file of settings, of a note, or of a model that is text.
pub const MOST_SETTINGS: u64 = 16 << 20;

/// The most bytes of games, positions or results that are read as a whole.
pub const MOST_RECORDS: u64 = 2 << 30;

/// The most bytes of a network. The widest in use has a quarter of that.
pub const MOST_NETWORK: u64 = 1 << 30;

/// Opens a regular file of any size for reading. Never waits, as opening a pipe does.
///
/// # Errors
/// The file does not exist, may not be read, or is not regular.
pub fn open_regular_file(path: impl AsRef<Path>) -> io::Result<File> {
    let path = path.as_ref();
    // Before it is opened: that waits at a pipe, and may move a device.
    check_kind(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    check_kind(&file.metadata()?)?;
    Ok(file)
}

/// Reads a regular file of at most `most` bytes.
///
/// # Errors
/// The file does not exist, may not be read, is not regular, or has more bytes: then nothing of it is read.
pub fn read_regular_file(path: impl AsRef<Path>, most: u64) -> io::Result<Vec<u8>> {
    let file = open_regular_file(path)?;
    let length = file.metadata()?.len();
    if length > most {
        return Err(too_large(length, most));
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length as usize).map_err(|_| ErrorKind::OutOfMemory)?;
    // A file may grow while it is read, and some that the system makes up tell no length.
    let read = file.take(most + 1).read_to_end(&mut bytes)? as u64;
    if read > most { Err(too_large(read, most)) } else { Ok(bytes) }
}

/// Reads a regular file of UTF-8 text of at most `most` bytes.
///
/// # Errors
/// As [`read_regular_file`], and if it is no UTF-8.
pub fn read_regular_text(path: impl AsRef<Path>, most: u64) -> io::Result<String> {
    String::from_utf8(read_regular_file(path, most)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        io::Error::new(ErrorKind::InvalidData, format!("it is no UTF-8 text: byte {at} belongs to none"))
    })
}

/// Opens a file to write at its end, and creates it if needed. A device such as a terminal is allowed, a pipe, which might wait for a
/// reader, is not.
///
/// # Errors
/// If it is something else, or may not be written.
pub fn append_to_file(path: impl AsRef<Path>) -> io::Result<File> {
    let path = path.as_ref();
    match fs::metadata(path).map(|metadata| describe(&metadata)) {
        Ok(Some(kind)) if kind != DEVICE => Err(not_regular(kind)),
        _ => OpenOptions::new().create(true).append(true).open(path),
    }
}

const DEVICE: &str = "a device";

fn check_kind(metadata: &Metadata) -> io::Result<()> {
    describe(metadata).map_or(Ok(()), |kind| Err(not_regular(kind)))
}

fn not_regular(kind: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, format!("it is {kind}, not a file"))
}

fn too_large(length: u64, most: u64) -> io::Error {
    let text = format!("its {length} bytes are too many: at most {most} can be right");
    io::Error::new(ErrorKind::FileTooLarge, text)
}

/// What it is, if it is no regular file.
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
mod tests;
