//! The identity of this program: version, commit and network.

use std::sync::LazyLock;

use serde_json::Value;

/// The output of `kiki --version` after the program's name.
pub(crate) static VERSION: LazyLock<String> = LazyLock::new(|| {
    let commit = option_env!("KIKI_COMMIT").unwrap_or("unknown: the sources had no repository");
    format!("{}\ncommit {commit}\nnetwork {}", env!("CARGO_PKG_VERSION"), network())
});

/// The shape of the built-in network, and the checksum that `docs/networks.md` and its note use. A
/// network of another file has no note.
fn network() -> String {
    if let Some(name) = kiki_network::OTHER_FILE {
        return name.to_owned();
    }
    let note: Value = serde_json::from_str(kiki_network::NOTE).unwrap_or_default();
    let text = |path: &str| note.pointer(path).and_then(Value::as_str).unwrap_or("unknown").to_owned();
    format!("{}, blake3 {}", text("/settings/shape"), text("/result/best/blake3"))
}
