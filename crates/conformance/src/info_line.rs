//! What an `info` line may look like.

/// Fields of one whole number.
const NUMBERS: [&str; 9] =
    ["depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "time", "currmovenumber", "cpuload"];

/// Words that end a line of play.
fn is_keyword(word: &str) -> bool {
    NUMBERS.contains(&word)
        || matches!(
            word,
            "score" | "pv" | "string" | "currmove" | "lowerbound" | "upperbound" | "tbhits" | "refutation"
        )
}

/// The fields of a line that matter to the cases.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct InfoLine<'a> {
    /// Centipawns, or plies to a mate: positive if the side to move is ahead.
    pub(crate) score: Option<i64>,
    /// Whether the score is a bound.
    pub(crate) bound: bool,
    pub(crate) multipv: Option<u64>,
    pub(crate) pv: Vec<&'a str>,
}

/// Reads a line, strictly where a known field stands; unknown words are left to others. `None`: it is no `info` line.
///
/// # Errors
/// The fault, for people.
pub(crate) fn read_info(line: &str) -> Option<Result<InfoLine<'_>, String>> {
    let mut words = line.split_ascii_whitespace().peekable();
    (words.next() == Some("info")).then(|| read_fields(words))
}

fn read_fields<'a>(mut words: std::iter::Peekable<impl Iterator<Item = &'a str>>) -> Result<InfoLine<'a>, String> {
    let mut info = InfoLine::default();
    while let Some(word) = words.next() {
        match word {
            "string" => break,
            "score" => {
                let (kind, number) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
                info.score = Some(read_score(kind, number)?);
            }
            "lowerbound" | "upperbound" => info.bound = true,
            "pv" => {
                while let Some(mv) = words.next_if(|word| !is_keyword(word)) {
                    info.pv.push(mv);
                }
            }
            _ if NUMBERS.contains(&word) => {
                let value = words.next().unwrap_or("");
                let number = value.parse().map_err(|_| format!("`{word} {value}` has no whole number"))?;
                if word == "multipv" {
                    info.multipv = Some(number);
                }
            }
            _ => {}
        }
    }
    Ok(info)
}

fn read_score(kind: &str, number: &str) -> Result<i64, String> {
    let fault = match (kind, number.parse()) {
        ("cp", Err(_)) => "has no whole number of centipawns",
        ("mate", Err(_)) => "has no number of plies",
        ("mate", _) if matches!(number, "-0" | "+0") => "is a zero with a sign, which GUIs read as they like",
        ("cp" | "mate", Ok(score)) => return Ok(score),
        _ => "is neither cp nor mate",
    };
    Err(format!("`score {kind} {number}` {fault}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<InfoLine<'_>, String> {
        read_info(line).unwrap()
    }

    #[test]
    fn fields_are_read() {
        let info = read("info depth 3 multipv 2 score cp -5 lowerbound nodes 7 pv 7g7f 3c3d time 1").unwrap();
        assert_eq!(info, InfoLine { score: Some(-5), bound: true, multipv: Some(2), pv: vec!["7g7f", "3c3d"] });
        assert_eq!(read("info string score mate +"), Ok(InfoLine::default()));
        assert!(read_info("bestmove 7g7f").is_none());
    }

    #[test]
    fn every_fault_is_found() {
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
            assert!(read(line).is_err(), "{line}");
        }
    }
}
