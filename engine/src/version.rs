//! Which program this is: version, commit and network.

use std::sync::LazyLock;

use serde_json::Value;

/// What `kiki --version` prints after the name of the program.
pub(crate) static VERSION: LazyLock<String> = LazyLock::new(|| {
    let commit = option_env!("KIKI_COMMIT").unwrap_or("unknown: the sources had no repository");
    format!("{}\ncommit {commit}\nnetwork {}", env!("CARGO_PKG_VERSION"), network())
});

/// The shape of the network in the program, and the sum by which `docs/networks.md` and its note name it.
fn network() -> String {
    let note: Value = serde_json::from_str(kiki_network::NOTE).unwrap_or_default();
    let text = |path: &str| note.pointer(path).and_then(Value::as_str).unwrap_or("unknown").to_owned();
    format!("{}, blake3 {}", text("/settings/shape"), text("/result/best/blake3"))
}
