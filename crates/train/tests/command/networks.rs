//! Network files: `data network info` and `data network convert`.

use std::fs;
use std::path::Path;

use kiki_tests::networks::{network_file, sfnn_file};
use serde_json::Value;

use crate::laboratory::{run, succeed};

fn info(arguments: &[&str], folder: &Path) -> Value {
    let said = succeed(&[&["data", "network", "info", "--json"], arguments].concat(), folder);
    serde_json::from_str(&said).unwrap()
}

#[test]
fn a_network_is_the_same_in_every_form() {
    let folder = tempfile::tempdir().unwrap();
    let classic = network_file(1, [32, 8, 16]);
    let stacks = sfnn_file(2, "kp_64_7_8_k3k3");
    for (name, file) in [("classic.bin", &classic), ("stacks.bin", &stacks)] {
        fs::write(folder.path().join(name), file).unwrap();
        for (from, to, more) in
            [(name, "packed.gz", None), ("packed.gz", "again.bin", None), (name, "short.bin", Some("--leb128"))]
        {
            let arguments = [&["data", "network", "convert", from, "--out", to], more.as_slice()].concat();
            let (status, said, errors) = run(&arguments, folder.path());
            let refused = more.is_some() && name == "stacks.bin";
            assert_eq!(status, Some(i32::from(refused)), "{said}{errors}");
            assert!(!refused || errors.contains("is in LEB128 anyway"), "{errors}");
        }
        assert!(fs::read(folder.path().join("again.bin")).unwrap() == *file, "{name}");
        assert!(fs::read(folder.path().join("packed.gz")).unwrap().len() < file.len());
        let architecture = info(&[name], folder.path())["architecture"].clone();
        if name == "classic.bin" {
            let short = fs::read(folder.path().join("short.bin")).unwrap();
            assert!(short.len() < file.len() * 6 / 10, "{}", short.len());
            assert_eq!(info(&["short.bin"], folder.path())["tables"], info(&[name], folder.path())["tables"]);
            assert_eq!(architecture, "HalfKP 32x2-8-16");
            fs::remove_file(folder.path().join("short.bin")).unwrap();
        } else {
            assert_eq!(architecture, "SFNN_kp_64_7_8_k3k3");
        }
        let (status, _, errors) = run(&["data", "network", "convert", name, "--out", "again.bin"], folder.path());
        assert!(status == Some(1) && errors.contains("again.bin exists already"), "{errors}");
        ["packed.gz", "again.bin"].iter().for_each(|file| fs::remove_file(folder.path().join(file)).unwrap());
    }
}

#[test]
fn numbers_and_activations_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("stacks.bin"), sfnn_file(1, "kp_64_15_8_k3k3")).unwrap();
    succeed(
        &["selfplay", "--out", "data.games", "--positions", "100", "--nodes", "40", "--table", "1", "--seed", "7"],
        folder.path(),
    );
    let info = info(&["stacks.bin", "--positions", "data.games", "--count", "50"], folder.path());
    let table = |name: &str| {
        let tables = info["tables"].as_array().unwrap();
        tables.iter().find(|table| table["name"] == name).unwrap_or_else(|| panic!("{name}: {tables:?}")).clone()
    };
    assert_eq!(table("biases of the transformer")["count"], 64);
    assert_eq!(table("weights of the transformer")["count"], 64 * 1710);
    // 16 outputs, of which 15 are seen twice, in 9 stacks.
    assert_eq!(table("weights of layer 1")["count"], 9 * 16 * 64);
    assert_eq!(table("weights of layer 2")["count"], 9 * 8 * 30);
    let weights = table("weights of layer 1");
    let sizes: u64 = weights["sizes"].as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(weights["count"], sizes);
    let activations = &info["activations"];
    assert_eq!(activations["positions"], 50);
    assert_eq!(activations["sums"]["count"], 50 * 2 * 64);
    let inputs: Vec<u64> =
        activations["inputs"].as_array().unwrap().iter().map(|input| input["count"].as_u64().unwrap()).collect();
    assert_eq!(inputs, [50 * 64, 50 * 30, 50 * 8]);
    let stacks: u64 = activations["stacks"].as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(stacks, 50);
    let said = succeed(&["data", "network", "info", "stacks.bin", "--positions", "data.games"], folder.path());
    assert!(said.contains("SFNN_kp_64_15_8_k3k3") && said.contains("always 127"), "{said}");
}

#[test]
fn a_file_that_is_no_network_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("text.bin"), "no network, and longer than twelve bytes").unwrap();
    fs::write(folder.path().join("packed.gz"), [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 9, 9]).unwrap();
    for (file, problem) in [
        ("text.bin", "text.bin: it is no network file"),
        ("packed.gz", "packed.gz: "),
        ("missing.bin", "missing.bin: "),
    ] {
        for command in [&["info", file][..], &["convert", file, "--out", "out.bin"]] {
            let (status, _, errors) = run(&[&["data", "network"], command].concat(), folder.path());
            assert!(status == Some(1) && errors.contains(problem) && errors.lines().count() == 1, "{errors}");
        }
    }
    assert!(!folder.path().join("out.bin").exists());
}
