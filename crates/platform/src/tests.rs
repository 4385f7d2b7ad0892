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
    assert_eq!(error.to_string(), "its 9 bytes are too many: at most 8 can be right");
    fs::write(&path, b"abc\xff").unwrap();
    assert_eq!(read_regular_text(&path, 9).unwrap_err().to_string(), "it is no UTF-8 text: byte 3 belongs to none");
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
