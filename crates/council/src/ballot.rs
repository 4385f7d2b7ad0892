//! What a member says, on a scale that all share.

use kiki_usi::{Info, ScoreBound, ScoreValue};

use crate::settings::MemberSettings;

/// Values beyond this, in centipawns, are taken to be this: a mate that a member has not proved decides nothing by itself.
const LARGEST_VALUE: f64 = 3000.0;

/// A member's move with its value.
#[derive(Clone, PartialEq, Debug)]
pub struct Ballot {
    /// The number of the member; the first is 0.
    pub member: usize,
    /// The move that it names.
    pub best: String,
    /// The answer that it expects.
    pub ponder: Option<String>,
    /// The value of the move in centipawns that all share; none if the member told none.
    pub value: Option<f64>,
    /// Plies to a mate that the member gives, if it has proved one.
    pub mate: Option<i32>,
    /// The standard deviation of its errors in these centipawns.
    pub noise: f64,
    /// Moves with their values, best first; with `MultiPV` more than one.
    pub lines: Vec<BallotLine>,
    /// Its line of play, which begins with its move.
    pub info: Info,
}

/// A line of play of a member.
#[derive(Clone, PartialEq, Debug)]
pub struct BallotLine {
    /// The move that it begins with.
    pub best: String,
    /// The value of the move in centipawns that all share.
    pub value: f64,
    /// As the member told it.
    pub info: Info,
}

impl Ballot {
    /// The ballot of a member that names this move and has told these lines.
    #[must_use]
    pub fn new(member: usize, settings: &MemberSettings, best: String, ponder: Option<String>, told: &[Info]) -> Self {
        let mut info = told.iter().find(|info| info.pv.first() == Some(&best)).cloned().unwrap_or_default();
        if info.pv.is_empty() {
            info.pv.push(best.clone());
        }
        let value = |info: &Info| info.score.map(|score| centipawns(score.value, settings.scale));
        let line =
            |info: &Info| Some(BallotLine { best: info.pv.first()?.clone(), value: value(info)?, info: info.clone() });
        let lines = told.iter().filter_map(line).collect();
        let mate = info.score.and_then(|score| match score.value {
            // A value that is at most that of a mate proves none.
            ScoreValue::Mate(plies) if plies.get() > 0 && score.bound != ScoreBound::Upper => Some(plies.get()),
            _ => None,
        });
        Self { member, value: value(&info), ponder, mate, noise: settings.noise, lines, best, info }
    }
}

/// A value on the scale that all share.
pub(crate) fn centipawns(value: ScoreValue, scale: f64) -> f64 {
    match value {
        ScoreValue::Cp(centipawns) => (scale * f64::from(centipawns)).clamp(-LARGEST_VALUE, LARGEST_VALUE),
        ScoreValue::Mate(plies) => LARGEST_VALUE * f64::from(plies.get().signum()),
    }
}

#[cfg(test)]
mod tests {
    use kiki_usi::Reply;

    use super::*;

    fn ballot(best: &str, lines: &[&str]) -> Ballot {
        let told: Vec<Info> = lines
            .iter()
            .map(|line| match Reply::parse(line.as_bytes()) {
                Reply::Info(info) => *info,
                other => panic!("{other:?}"),
            })
            .collect();
        let settings = MemberSettings { scale: 0.5, ..MemberSettings::of_command("x") };
        Ballot::new(0, &settings, best.to_owned(), None, &told)
    }

    #[test]
    fn the_value_is_that_of_the_move_on_the_common_scale() {
        let lines = ["info multipv 1 score cp 90 pv 2g2f", "info multipv 2 score cp 30 pv 7g7f 3c3d"];
        let found = ballot("7g7f", &lines);
        assert_eq!((found.value, found.mate, found.info.pv.len()), (Some(15.0), None, 2));
        let lines: Vec<_> = found.lines.iter().map(|line| (line.best.as_str(), line.value)).collect();
        assert_eq!(lines, [("2g2f", 45.0), ("7g7f", 15.0)]);
        assert_eq!(found.lines[1].info.pv, ["7g7f", "3c3d"]);
    }

    #[test]
    fn mates_and_silence_are_no_values_like_others() {
        let mates = ballot("2g2f", &["info score mate 5 pv 2g2f"]);
        assert_eq!((mates.value, mates.mate), (Some(LARGEST_VALUE), Some(5)));
        for (score, mate) in [("mate 5 lowerbound", Some(5)), ("mate 5 upperbound", None)] {
            assert_eq!(ballot("2g2f", &[&format!("info score {score} pv 2g2f")]).mate, mate, "{score}");
        }
        let mated = ballot("2g2f", &["info score mate -4 pv 2g2f"]);
        assert_eq!((mated.value, mated.mate), (Some(-LARGEST_VALUE), None));
        let silent = ballot("2g2f", &[]);
        assert_eq!((silent.value, silent.info.pv), (None, vec!["2g2f".to_owned()]));
    }
}
