//! Whether the declaration of an option is one that every GUI understands.

use kiki_usi::Reply;

/// What is wrong with an `option` line.
///
/// # Errors
/// The fault, for people.
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
        _ => return Err(format!("`{kind}` is none of check, spin, combo, string, filename, button")),
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
    fn good_declarations_are_taken() {
        for line in [
            "option name A type check default true",
            "option name A type spin default 1 min 0 max 2",
            "option name A type combo default x var x var y",
            "option name A type string default <empty>",
            "option name A type filename default a/b",
            "option name A type button",
        ] {
            assert_eq!(check_option_line(line), Ok(()), "{line}");
        }
    }

    #[test]
    fn every_fault_is_found() {
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
