//! Files that workers need: on the server and in a cache, by their BLAKE3 sums.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use kiki_platform::{MOST_NETWORK, read_regular_file};
use kiki_run::files::{blake3_of, write_atomically};
use tokio::io::AsyncReadExt as _;

use crate::server::{Server, causes};

/// Puts a file on the server unless it is there.
pub(crate) async fn put(server: &Server, path: &Path, blake3: &str) -> Result<()> {
    if server.files.info(blake3).await.is_ok() {
        return Ok(());
    }
    let place = || path.display().to_string();
    let bytes = read_regular_file(path, MOST_NETWORK).with_context(place)?;
    ensure!(blake3::hash(&bytes).to_string() == blake3, "{} has changed since the run began", place());
    let put = server.files.put(blake3, &mut bytes.as_slice()).await;
    put.map(drop).map_err(|error| anyhow!("{}: {}", place(), causes(&error)))
}

/// The files that came from servers, each under its sum.
#[derive(Clone, Debug)]
pub(crate) struct FileCache {
    pub(crate) folder: PathBuf,
}

impl FileCache {
    /// The cached file of this sum; fetches it if it is missing or damaged.
    pub(crate) async fn file(&self, server: &Server, blake3: &str) -> Result<PathBuf> {
        let is_sum = blake3.len() == 64 && blake3.bytes().all(|byte| byte.is_ascii_hexdigit());
        ensure!(is_sum, "a file whose name is no BLAKE3 sum");
        let path = self.folder.join(blake3);
        if path.is_file() && blake3_of(&path)? == blake3 {
            return Ok(path);
        }
        let bytes = fetch(server, blake3).await.with_context(|| format!("file {blake3}"))?;
        fs::create_dir_all(&self.folder).with_context(|| self.folder.display().to_string())?;
        write_atomically(&path, &bytes)?;
        Ok(path)
    }
}

async fn fetch(server: &Server, blake3: &str) -> Result<Vec<u8>> {
    let mut object = server.files.get(blake3).await.map_err(|error| anyhow!("{}", causes(&error)))?;
    let mut bytes = Vec::new();
    let mut part = vec![0; 1 << 16];
    loop {
        let read = object.read(&mut part).await?;
        if read == 0 {
            break;
        }
        bytes.extend_from_slice(&part[..read]);
        if bytes.len() as u64 > MOST_NETWORK {
            bail!("more than {MOST_NETWORK} bytes");
        }
    }
    ensure!(blake3::hash(&bytes).to_string() == blake3, "the server has other bytes under this sum");
    Ok(bytes)
}
