//! The valid forms of `info` and `option` lines.

use kiki_usi::Reply;

/// Fields that take one whole number.
const NUMBERS: [&str; 9] =
    ["depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "time", "currmovenumber", "cpuload"];

/// Checks the numbers and the score of an `info` line.
pub(crate) fn check_info_line(line: &str) -> Result<(), String> {
    let mut words = line.split_ascii_whitespace();
    while let Some(word) = words.next() {
        if word == "string" {
            break;
        } else if word == "score" {
            check_score(words.next().unwrap_or(""), words.next().unwrap_or(""))?;
        } else if NUMBERS.contains(&word) {
            let value = words.next().unwrap_or("");
            value.parse::<u64>().map_err(|_| format!("`{word} {value}` has no whole number"))?;
        }
    }
    Ok(())
}

fn check_score(kind: &str, number: &str) -> Result<(), String> {
    let fault = match (kind, number.parse::<i64>()) {
        ("cp", Err(_)) => "has no whole number of centipawns",
        ("mate", Err(_)) => "has no number of plies",
        ("mate", _) if matches!(number, "-0" | "+0") => "is a zero with a sign, which GUIs read as they like",
        ("cp" | "mate", Ok(_)) => return Ok(()),
        _ => "is neither cp nor mate",
    };
    Err(format!("`score {kind} {number}` {fault}"))
}

pub(crate) fn check_option_line(line: &str) -> Result<(), String> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let ["option", "name", name, "type", kind, fields @ ..] = &words[..] else {
        return Err("it is not `option name NAME type TYPE ..` with a name of one word".to_owned());
    };
    let takes: &[&str] = match *kind {
        "check" | "string" | "filename" => &["default"],
        "spin" => &["default", "min", "max"],
        "combo" => &["default", "var"],
        "button" => &[],
        _ => return Err(format!("`{kind}` is not one of check, spin, combo, string, filename, button")),
    };
    let pairs: Vec<(&str, &str)> = fields.chunks(2).map(|pair| (pair[0], pair.get(1).copied().unwrap_or(""))).collect();
    for (key, value) in &pairs {
        if !takes.contains(key) {
            return Err(format!(
                "`{key}` of `{name}`: values are single words, and a {kind} takes {}",
                takes.join(", ")
            ));
        }
        if value.is_empty() {
            return Err(format!("`{name}`: nothing follows `{key}`"));
        }
    }
    let value_of = |wanted: &str| pairs.iter().find(|(key, _)| *key == wanted).map(|(_, value)| *value);
    if let Some(key) = takes.iter().find(|key| value_of(key).is_none()) {
        return Err(format!("`{name}` lacks `{key}`"));
    }
    if *kind == "check" && !matches!(value_of("default"), Some("true" | "false")) {
        return Err(format!("`{name}`: a default of a check is true or false"));
    }
    if *kind == "spin"
        && let Some(key) = takes.iter().find(|key| value_of(key).is_some_and(|value| value.parse::<i64>().is_err()))
    {
        return Err(format!("`{name}`: `{key}` is no number"));
    }
    match Reply::parse(line.as_bytes()) {
        Reply::Option(declaration) => declaration.check_words().map_err(|error| error.to_string()),
        _ => Err("it cannot be read".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_of_an_info_line_is_found() {
        for line in [
            "info score mate +",
            "info score mate -0",
            "info score mate",
            "info score cp 0.5",
            "info score 30",
            "info depth x",
            "info nodes -1",
            "info multipv",
        ] {
            assert!(check_info_line(line).is_err(), "{line}");
        }
        assert_eq!(check_info_line("info depth 3 score cp -5 lowerbound pv 7g7f string score mate +"), Ok(()));
    }

    #[test]
    fn every_fault_of_a_declaration_is_found() {
        for line in [
            "option name Clear Hash type button",
            "option name A type dial default 3",
            "option name A type check default yes",
            "option name A type check",
            "option name A type spin default 3 min 0 max 2",
            "option name A type spin default x min 0 max 2",
            "option name A type spin default 1 min 0",
            "option name A type combo default z var x var y",
            "option name A type string default",
            "option name A type string default my book",
            "option name A type button default 1",
            "option name A",
        ] {
            assert!(check_option_line(line).is_err(), "{line}");
        }
    }
}
