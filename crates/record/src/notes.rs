//! What a player told about its move, in the words that the comments of every form share.

use std::fmt::Write as _;
use std::num::NonZeroI32;

use shogi_core::Color;

use crate::game::{MoveScore, PlayedMove};

/// The score that floodgate writes for a mate.
const MATE: i64 = 100_000;

/// What there is no other place for, in the words of USI: `info depth 12 score mate -5 nodes 1000 time 1250`. The time is among it if
/// it has milliseconds and the form has whole seconds.
pub(crate) fn info(played: &PlayedMove, has_milliseconds: bool) -> Option<String> {
    let mut text = String::new();
    if let Some(depth) = played.depth {
        let _ = write!(text, " depth {depth}");
    }
    if let Some(MoveScore::Mate(plies)) = played.score {
        let _ = write!(text, " score mate {plies}");
    }
    if let Some(nodes) = played.nodes {
        let _ = write!(text, " nodes {nodes}");
    }
    if let Some(time_ms) = played.time_ms.filter(|time_ms| !has_milliseconds && time_ms % 1000 != 0) {
        let _ = write!(text, " time {time_ms}");
    }
    (!text.is_empty()).then(|| format!("info{text}"))
}

/// A score from Black's view in centipawns, as floodgate writes it: ±100000 for a mate. `mover` made the move.
pub(crate) fn from_blacks_view(score: MoveScore, mover: Color) -> i64 {
    let value = match score {
        MoveScore::Cp(centipawns) => i64::from(centipawns),
        MoveScore::Mate(plies) => MATE * i64::from(plies.get().signum()),
    };
    if mover == Color::Black { value } else { -value }
}

/// A number of centipawns from Black's view as the score that a side sees.
pub(crate) fn seen_by(value: i64, side: Color) -> MoveScore {
    let seen = if side == Color::Black { value } else { value.saturating_neg() };
    MoveScore::Cp(seen.clamp(i32::MIN.into(), i32::MAX.into()) as i32)
}

/// Reads the text after `*info` into `played`; returns whether it could. Otherwise it is a comment like others.
pub(crate) fn read_info(text: &str, played: &mut PlayedMove) -> bool {
    let known = info_in(text, played);
    let is_known = known.is_some();
    if let Some(known) = known {
        *played = known;
    }
    is_known
}

/// The move with what the words say; `None` if a word is not known.
fn info_in(text: &str, played: &PlayedMove) -> Option<PlayedMove> {
    let mut known = played.clone();
    let mut words = text.split_ascii_whitespace();
    while let Some(word) = words.next() {
        match word {
            "depth" => known.depth = Some(words.next()?.parse().ok()?),
            "nodes" => known.nodes = Some(words.next()?.parse().ok()?),
            "time" => known.time_ms = Some(words.next()?.parse().ok()?),
            "mate" => known.score = Some(MoveScore::Mate(words.next()?.parse::<NonZeroI32>().ok()?)),
            "score" => {}
            _ => return None,
        }
    }
    Some(known)
}

/// Reads a time in seconds, which CSA 3 writes with decimals, into milliseconds.
pub(crate) fn read_time(token: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(token).ok()?;
    let (seconds, decimals) = text.split_once('.').unwrap_or((text, ""));
    if ![seconds, decimals].iter().all(|digits| digits.bytes().all(|byte| byte.is_ascii_digit())) {
        return None;
    }
    let thousandths: u64 = format!("{decimals:0<3.3}").parse().ok()?;
    seconds.parse::<u64>().ok()?.checked_mul(1000)?.checked_add(thousandths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds_with_or_without_decimals() {
        assert_eq!(read_time(b"12"), Some(12_000));
        assert_eq!(read_time(b"1.250"), Some(1250));
        assert_eq!(read_time(b"0.5"), Some(500));
        assert_eq!(read_time(b"0.00099"), Some(0));
        assert_eq!(read_time(b"18446744073709551"), Some(18_446_744_073_709_551_000));
        for bad in ["", ".5", "-1", "1:30", "x", "18446744073709552", "99999999999999999999"] {
            assert_eq!(read_time(bad.as_bytes()), None, "{bad}");
        }
    }
}
