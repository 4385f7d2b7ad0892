//! Ballots of members on a common scale, and the decision that follows.

use kiki_usi::{Info, ScoreBound, ScoreValue};

use crate::model::{
    BestValue, CandidateEvidence, MemberLines, Opinion, Weighing, extreme_value, greatest_mean, mean_value, most_votes,
    strongest, weigh,
};
use crate::settings::{MemberSettings, Rule};

/// Limit of values, in centipawns. Larger ones are clamped: an unproved mate must not decide alone.
const LARGEST_VALUE: f64 = 3000.0;

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Ballot {
    /// From 0.
    pub(crate) member: usize,
    pub(crate) best: String,
    pub(crate) ponder: Option<String>,
    /// The value of the move in shared centipawns; `None` if the member gave none.
    pub(crate) value: Option<f64>,
    /// Plies to a mate that the member has proved.
    pub(crate) mate: Option<i32>,
    /// The standard deviation of its errors, in shared centipawns.
    pub(crate) noise: f64,
    /// Moves with their values, best first; with `MultiPV` more than one.
    pub(crate) lines: Vec<BallotLine>,
    /// Its line of play, which begins with its move.
    pub(crate) info: Info,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct BallotLine {
    pub(crate) best: String,
    /// The value of the move in shared centipawns.
    pub(crate) value: f64,
    pub(crate) info: Info,
}

impl Ballot {
    /// `best` is the move that the member names, `told` the lines that it has printed.
    pub(crate) fn new(
        member: usize,
        settings: &MemberSettings,
        best: String,
        ponder: Option<String>,
        told: &[Info],
    ) -> Self {
        let mut info = told.iter().find(|info| info.pv.first() == Some(&best)).cloned().unwrap_or_default();
        if info.pv.is_empty() {
            info.pv.push(best.clone());
        }
        let value = |info: &Info| info.score.map(|score| centipawns(score.value, settings.scale));
        let line =
            |info: &Info| Some(BallotLine { best: info.pv.first()?.clone(), value: value(info)?, info: info.clone() });
        let lines = told.iter().filter_map(line).collect();
        let mate = info.score.and_then(|score| match score.value {
            // An upper bound proves no mate.
            ScoreValue::Mate(plies) if plies.get() > 0 && score.bound != ScoreBound::Upper => Some(plies.get()),
            _ => None,
        });
        Self { member, value: value(&info), ponder, mate, noise: settings.noise, lines, best, info }
    }
}

/// Converts a value to shared centipawns; a mate becomes the largest value.
pub(crate) fn centipawns(value: ScoreValue, scale: f64) -> f64 {
    match value {
        ScoreValue::Cp(centipawns) => (scale * f64::from(centipawns)).clamp(-LARGEST_VALUE, LARGEST_VALUE),
        ScoreValue::Mate(plies) => LARGEST_VALUE * f64::from(plies.get().signum()),
    }
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Decision {
    pub(crate) best: String,
    pub(crate) reason: Reason,
    /// The candidates: the chosen move, then all other moves that members name, the likeliest
    /// first.
    pub(crate) candidates: Vec<Candidate>,
    /// One for each ballot, in their order.
    pub(crate) weights: Vec<f64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reason {
    /// A member has proved a mate.
    Mate {
        member: usize,
        plies: i32,
    },
    Rule(Rule),
}

/// A move that a member names, or that the mean has chosen.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Candidate {
    pub(crate) best: String,
    /// The probability that it is the best of the candidates, by the weighted vote.
    pub(crate) posterior: f64,
    /// Index of the strongest ballot that names it or, if none does, that has a line with it.
    pub(crate) ballot: usize,
    /// The mean value from all lines, in centipawns, if no member names it.
    pub(crate) mean: Option<f64>,
}

/// `None` without ballots. A member without a value gets the mean of the others.
pub(crate) fn decide(rule: Rule, ballots: &[Ballot], loss: f64) -> Option<Decision> {
    let (moves, opinions) = opinions_of(ballots);
    let weighing = weigh(&opinions, loss, best_value(rule, &opinions)).ok()?;
    let by_mate = ballots.iter().filter_map(|ballot| Some((ballot.mate?, ballot))).min_by_key(|(plies, _)| *plies);
    let (chosen, reason) = match by_mate {
        Some((plies, ballot)) => (ballot.best.clone(), Reason::Mate { member: ballot.member, plies }),
        None => {
            // Without lines there is no mean: the weighted vote decides.
            let by_mean = if rule == Rule::Mean { by_mean(ballots, loss) } else { None };
            let chosen = by_mean.or_else(|| Some(moves[candidate_of(rule, &opinions, loss).ok()?]))?;
            (chosen.to_owned(), Reason::Rule(rule))
        }
    };
    let mut candidates = candidates_of(ballots, &moves, &weighing);
    // A mean may choose a move that no member names.
    if !candidates.iter().any(|candidate| candidate.best == chosen) {
        candidates.extend(unnamed(&chosen, ballots, loss));
    }
    candidates.sort_by_key(|candidate| candidate.best != chosen);
    Some(Decision { best: chosen, reason, candidates, weights: weighing.weights })
}

/// The number of a move in a list, at whose end a new move is added.
fn number_of<'a>(moves: &mut Vec<&'a str>, best: &'a str) -> usize {
    moves.iter().position(|&known| known == best).unwrap_or_else(|| {
        moves.push(best);
        moves.len() - 1
    })
}

/// The named moves, each once, and the opinions on them.
fn opinions_of(ballots: &[Ballot]) -> (Vec<&str>, Vec<Opinion>) {
    let told: Vec<f64> = ballots.iter().filter_map(|ballot| ballot.value).collect();
    let mean = if told.is_empty() { 0.0 } else { told.iter().sum::<f64>() / told.len() as f64 };
    let (mut moves, mut opinions) = (Vec::new(), Vec::new());
    for ballot in ballots {
        let (candidate, value) = (number_of(&mut moves, &ballot.best), ballot.value.unwrap_or(mean));
        opinions.push(Opinion { candidate, value, noise: ballot.noise });
    }
    (moves, opinions)
}

fn best_value(rule: Rule, opinions: &[Opinion]) -> BestValue {
    match (rule, strongest(opinions.iter())) {
        (Rule::Best, Some(strongest)) => BestValue::Known(strongest.value),
        (Rule::Predicted, _) => BestValue::Predicted,
        _ => BestValue::PredictedByPrecision,
    }
}

/// The candidate that a rule chooses among opinions alone; for the mean, the weighted vote.
pub(crate) fn candidate_of(rule: Rule, opinions: &[Opinion], loss: f64) -> kiki_stats::Result<usize> {
    match rule {
        Rule::Majority => most_votes(opinions),
        Rule::Optimistic => extreme_value(opinions, true),
        Rule::Pessimistic => extreme_value(opinions, false),
        Rule::Best | Rule::Predicted | Rule::Precision | Rule::Mean => {
            weigh(opinions, loss, best_value(rule, opinions)).map(|weighing| weighing.best())
        }
    }
}

fn by_mean(ballots: &[Ballot], loss: f64) -> Option<&str> {
    let (moves, members) = lines_of(ballots);
    Some(moves[greatest_mean(&members, loss).ok()?])
}

/// The candidate for a move that has lines but no votes.
fn unnamed(best: &str, ballots: &[Ballot], loss: f64) -> Option<Candidate> {
    let (moves, members) = lines_of(ballots);
    let mean = mean_value(&members, moves.iter().position(|&known| known == best)?, loss);
    let tells = |ballot: &Ballot| ballot.lines.iter().any(|line| line.best == best);
    let ballot = strongest_that(ballots, tells)?;
    Some(Candidate { best: best.to_owned(), posterior: 0.0, ballot, mean })
}

/// The index of the strongest member's ballot among those that meet a condition.
pub(crate) fn strongest_that(ballots: &[Ballot], is_one: impl Fn(&Ballot) -> bool) -> Option<usize> {
    let found = ballots.iter().enumerate().filter(|(_, ballot)| is_one(ballot));
    found.min_by(|a, b| a.1.noise.total_cmp(&b.1.noise)).map(|(index, _)| index)
}

/// The moves with lines, each once, and the lines of each member.
fn lines_of(ballots: &[Ballot]) -> (Vec<&str>, Vec<MemberLines>) {
    let (mut moves, mut members) = (Vec::new(), Vec::new());
    for ballot in ballots {
        let lines = ballot.lines.iter().map(|line| (number_of(&mut moves, &line.best), line.value)).collect();
        members.push(MemberLines { noise: ballot.noise, lines });
    }
    (moves, members)
}

fn candidates_of(ballots: &[Ballot], moves: &[&str], weighing: &Weighing) -> Vec<Candidate> {
    let candidate = |found: &CandidateEvidence| {
        let best = moves[found.candidate];
        let ballot = strongest_that(ballots, |ballot| ballot.best == best)?;
        Some(Candidate { best: best.to_owned(), posterior: found.posterior, ballot, mean: None })
    };
    weighing.candidates.iter().filter_map(candidate).collect()
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;
    use kiki_usi::{Reply, UsiScore};

    use super::*;

    fn ballot_of_lines(best: &str, lines: &[&str]) -> Ballot {
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
        let found = ballot_of_lines("7g7f", &lines);
        assert_eq!((found.value, found.mate, found.info.pv.len()), (Some(15.0), None, 2));
        let lines: Vec<_> = found.lines.iter().map(|line| (line.best.as_str(), line.value)).collect();
        assert_eq!(lines, [("2g2f", 45.0), ("7g7f", 15.0)]);
        assert_eq!(found.lines[1].info.pv, ["7g7f", "3c3d"]);
    }

    #[test]
    fn mates_and_silence_are_no_values_like_others() {
        let mates = ballot_of_lines("2g2f", &["info score mate 5 pv 2g2f"]);
        assert_eq!((mates.value, mates.mate), (Some(LARGEST_VALUE), Some(5)));
        for (score, mate) in [("mate 5 lowerbound", Some(5)), ("mate 5 upperbound", None)] {
            assert_eq!(ballot_of_lines("2g2f", &[&format!("info score {score} pv 2g2f")]).mate, mate, "{score}");
        }
        let mated = ballot_of_lines("2g2f", &["info score mate -4 pv 2g2f"]);
        assert_eq!((mated.value, mated.mate), (Some(-LARGEST_VALUE), None));
        let silent = ballot_of_lines("2g2f", &[]);
        assert_eq!((silent.value, silent.info.pv), (None, vec!["2g2f".to_owned()]));
    }

    fn ballot(member: usize, noise: f64, lines: &[(&str, UsiScore)]) -> Ballot {
        let told: Vec<Info> = lines
            .iter()
            .map(|&(best, score)| Info { pv: vec![best.to_owned()], score: Some(score), ..Info::default() })
            .collect();
        let settings = MemberSettings { noise, ..MemberSettings::of_command("x") };
        Ballot::new(member, &settings, lines[0].0.to_owned(), None, &told)
    }

    /// One reliable member against two others.
    fn divided() -> Vec<Ballot> {
        vec![
            ballot(0, 100.0, &[("7g7f", UsiScore::cp(120)), ("2g2f", UsiScore::cp(110))]),
            ballot(1, 250.0, &[("2g2f", UsiScore::cp(60)), ("7g7f", UsiScore::cp(-300))]),
            ballot(2, 250.0, &[("2g2f", UsiScore::cp(55)), ("5g5f", UsiScore::cp(50))]),
        ]
    }

    fn chosen(rule: Rule, ballots: &[Ballot]) -> String {
        decide(rule, ballots, 80.0).unwrap().best
    }

    #[test]
    fn the_candidates_are_told_with_the_chosen_one_first() {
        let decision = decide(Rule::Majority, &divided(), 80.0).unwrap();
        let moves: Vec<&str> = decision.candidates.iter().map(|found| found.best.as_str()).collect();
        assert_eq!(moves, ["2g2f", "7g7f"]);
        assert_eq!((decision.candidates[0].ballot, decision.weights.len()), (1, 3));
        assert!((decision.candidates.iter().map(|found| found.posterior).sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_proved_mate_decides_and_the_shortest_of_several() {
        let mut ballots = divided();
        ballots.push(ballot(3, 900.0, &[("9g9f", UsiScore::mate(7))]));
        ballots.push(ballot(4, 900.0, &[("1g1f", UsiScore::mate(3))]));
        for &rule in Rule::value_variants() {
            let decision = decide(rule, &ballots, 80.0).unwrap();
            assert_eq!((decision.best.as_str(), decision.reason), ("1g1f", Reason::Mate { member: 4, plies: 3 }));
        }
        let mated = [ballot(0, 100.0, &[("9g9f", UsiScore::mate(-3))]), ballot(1, 100.0, &[("1g1f", UsiScore::cp(0))])];
        assert_eq!(chosen(Rule::Optimistic, &mated), "1g1f");
    }

    #[test]
    fn silent_members_vote_and_nobody_decides_nothing() {
        let silent =
            |member, best: &str| Ballot::new(member, &MemberSettings::of_command("x"), best.to_owned(), None, &[]);
        let ballots = [silent(0, "7g7f"), silent(1, "2g2f"), silent(2, "2g2f")];
        assert_eq!(chosen(Rule::Majority, &ballots), "2g2f");
        assert_eq!(chosen(Rule::Precision, &ballots), "2g2f");
        assert_eq!(chosen(Rule::Mean, &ballots), "2g2f");
        assert_eq!(decide(Rule::Majority, &[], 80.0), None);
    }
}
