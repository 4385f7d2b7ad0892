//! Chooses the network to embed: the file that `KIKI_EVALFILE` names, or else `nn.bin.gz`.

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=KIKI_EVALFILE");
    let path = std::env::var("KIKI_EVALFILE").unwrap_or_default();
    // A relative path starts from `src/lib.rs`.
    println!("cargo:rustc-env=KIKI_NETWORK={}", if path.is_empty() { "../nn.bin.gz" } else { &path });
    if let Some(name) = Path::new(&path).file_name() {
        println!("cargo:rustc-env=KIKI_OTHER_NETWORK={}", name.to_string_lossy());
    }
}
