//! Network files: `data network info`, `convert` and `mean`.

use std::fs;

use kiki_eval::NetworkFile;
use kiki_tests::networks::{network_file, sfnn_file};
use serde_json::Value;

use crate::laboratory::Folder;

fn info(arguments: &str, folder: &Folder) -> Value {
    folder.json(&format!("data network info {arguments}"))
}

#[test]
fn a_network_is_the_same_in_every_form() {
    let folder = Folder::new();
    let classic = network_file(1, [32, 8, 16]);
    let stacks = sfnn_file(2, "kp_64_7_8_k3k3");
    for (name, file) in [("classic.bin", &classic), ("stacks.bin", &stacks)] {
        folder.write(name, file);
        for (from, to, more) in
            [(name, "packed.gz", ""), ("packed.gz", "again.bin", ""), (name, "short.bin", "--leb128")]
        {
            let convert = format!("data network convert {from} --out {to} {more}");
            let (status, said, errors) = folder.run(&convert);
            let refused = !more.is_empty() && name == "stacks.bin";
            assert_eq!(status, Some(i32::from(refused)), "{said}{errors}");
            assert!(!refused || errors.contains("is in LEB128 anyway"), "{errors}");
        }
        assert!(folder.bytes("again.bin") == *file, "{name}");
        assert!(folder.bytes("packed.gz").len() < file.len());
        let architecture = info(name, &folder)["architecture"].clone();
        if name == "classic.bin" {
            let short = folder.bytes("short.bin");
            assert!(short.len() < file.len() * 6 / 10, "{}", short.len());
            assert_eq!(info("short.bin", &folder)["tables"], info(name, &folder)["tables"]);
            assert_eq!(architecture, "HalfKP 32x2-8-16");
            fs::remove_file(folder.join("short.bin")).unwrap();
        } else {
            assert_eq!(architecture, "SFNN_kp_64_7_8_k3k3");
        }
        let (status, _, errors) = folder.run(&format!("data network convert {name} --out again.bin"));
        assert!(status == Some(1) && errors.contains("again.bin exists already"), "{errors}");
        ["packed.gz", "again.bin"].iter().for_each(|file| fs::remove_file(folder.join(file)).unwrap());
    }
}

#[test]
fn a_mean_has_the_numbers_between() {
    let folder = Folder::new();
    let [first, second] = [1, 2].map(|seed| sfnn_file(seed, "kp_64_7_8_k3k3"));
    folder.write("a.bin", &first);
    folder.write("b.bin", &second);
    folder.write("other.bin", network_file(1, [32, 8, 16]));
    folder.succeed("data network mean a.bin a.bin a.bin --out same.bin");
    assert!(folder.bytes("same.bin") == first);
    folder.succeed("data network mean a.bin b.bin --out mean.bin");
    let numbers = |bytes: &[u8]| -> Vec<i64> {
        let (file, _) = NetworkFile::from_bytes(bytes, None).unwrap();
        let layers = file.stacks.iter().flatten();
        let layers = layers.flat_map(|layer| {
            let weights = layer.weights.iter().map(|&weight| i64::from(weight));
            layer.biases.iter().map(|&bias| i64::from(bias)).chain(weights)
        });
        file.transformer_rows().flatten().map(|&number| i64::from(number)).chain(layers).collect()
    };
    let [a, b, mean] = [&first[..], &second, &folder.bytes("mean.bin")].map(numbers);
    assert!(a != b && a.len() == mean.len());
    // A half becomes the even neighbour.
    for (mean, sum) in mean.iter().zip(a.iter().zip(&b).map(|(a, b)| a + b)) {
        assert!(2 * mean == sum || (2 * mean - sum).abs() == 1 && mean % 2 == 0, "{mean} of {sum}");
    }
    for (line, reason) in [
        ("a.bin b.bin --out mean.bin", "mean.bin exists already"),
        ("a.bin other.bin --out x.bin", "other.bin: it is HalfKP 32x2-8-16, but the first is SFNN_kp_64_7_8_k3k3"),
        ("a.bin --out x.bin", "2 values required"),
    ] {
        let said = folder.fail(&format!("data network mean {line}"));
        assert!(said.contains(reason), "{line}: {said}");
    }
}

#[test]
fn numbers_and_activations_are_counted() {
    let folder = Folder::new();
    folder.write("stacks.bin", sfnn_file(1, "kp_64_15_8_k3k3"));
    folder.succeed("selfplay --out data.games --positions 100 --nodes 40 --table 1 --seed 7");
    let info = info("stacks.bin --positions data.games --count 50", &folder);
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
    let said = folder.succeed("data network info stacks.bin --positions data.games");
    assert!(said.contains("SFNN_kp_64_15_8_k3k3") && said.contains("always 127"), "{said}");
}

#[test]
fn positions_are_spread_over_all_files() {
    let folder = Folder::new();
    folder.write("stacks.bin", sfnn_file(1, "kp_64_15_8_k3k3"));
    for seed in [7, 8] {
        folder.succeed(&format!("selfplay --out {seed}.games --positions 100 --nodes 40 --table 1 --seed {seed}"));
    }
    let of = |files: &str, count: u64| {
        info(&format!("stacks.bin --positions {files} --count {count}"), &folder)["activations"].clone()
    };
    let first = of("7.games", 10_000);
    let count = first["positions"].as_u64().unwrap();
    let both = of("7.games 8.games", count);
    assert_eq!(both["positions"], count);
    assert_ne!(both, first, "as many as the first file has are of both");
}

#[test]
fn a_file_that_is_no_network_is_refused_in_one_line() {
    let folder = Folder::new();
    folder.write("text.bin", "no network, and longer than twelve bytes");
    folder.write("packed.gz", [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 9, 9]);
    for (file, problem) in [
        ("text.bin", "text.bin: it is no network file"),
        ("packed.gz", "packed.gz: "),
        ("missing.bin", "missing.bin: "),
    ] {
        for command in [format!("info {file}"), format!("convert {file} --out out.bin")] {
            let (status, _, errors) = folder.run(&format!("data network {command}"));
            assert!(status == Some(1) && errors.contains(problem) && errors.lines().count() == 1, "{errors}");
        }
    }
    assert!(!folder.join("out.bin").exists());
}
