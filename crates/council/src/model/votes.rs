//! The exact rate of the majority: all ways to vote.

/// A member as a voter.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Voter {
    pub(super) noise: f64,
    /// The probability that it names the best move; else it names one of the others, each as likely.
    pub(super) accuracy: f64,
    /// How many votes it has.
    pub(super) votes: u32,
}

/// The votes for a move. Moves stand in the order of their strongest voter.
#[derive(Clone, Copy)]
struct Votes {
    best: bool,
    count: u32,
}

/// How often the best of so many candidates has most votes, or as many as others and the strongest voter. Wrong moves differ by nothing but who
/// names them, so that only the ways are counted in which voters agree.
pub(super) fn majority_rate(mut voters: Vec<Voter>, candidates: u32) -> f64 {
    voters.sort_by(|a, b| a.noise.total_cmp(&b.noise));
    rate(&voters, f64::from(candidates - 1), &mut Vec::new())
}

/// The rate when these voters still have to vote.
fn rate(voters: &[Voter], wrong_moves: f64, moves: &mut Vec<Votes>) -> f64 {
    let Some((voter, others)) = voters.split_first() else { return f64::from(u8::from(best_wins(moves))) };
    let wrong = (1.0 - voter.accuracy) / wrong_moves;
    let mut sum = 0.0;
    for index in 0..moves.len() {
        let probability = if moves[index].best { voter.accuracy } else { wrong };
        moves[index].count += voter.votes;
        sum += probability * rate(others, wrong_moves, moves);
        moves[index].count -= voter.votes;
    }
    let named = moves.iter().filter(|votes| !votes.best).count() as f64;
    let best_named = moves.iter().any(|votes| votes.best);
    let new_wrong = wrong * (wrong_moves - named);
    for (best, probability) in [(true, if best_named { 0.0 } else { voter.accuracy }), (false, new_wrong)] {
        if probability > 0.0 {
            moves.push(Votes { best, count: voter.votes });
            sum += probability * rate(others, wrong_moves, moves);
            moves.pop();
        }
    }
    sum
}

/// If the first move with most votes is the best.
fn best_wins(moves: &[Votes]) -> bool {
    let most = moves.iter().map(|votes| votes.count).max();
    moves.iter().find(|votes| Some(votes.count) == most).is_some_and(|votes| votes.best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_voters_before_two_moves_are_binomial() {
        let voter = Voter { noise: 1.0, accuracy: 0.7, votes: 1 };
        let (p, q) = (0.7_f64, 0.3_f64);
        let five = p.powi(5) + 5.0 * p.powi(4) * q + 10.0 * p.powi(3) * q * q;
        assert!((majority_rate(vec![voter; 5], 2) - five).abs() < 1e-15);
        // A tie of four is that of any three of them.
        let three = p.powi(3) + 3.0 * p * p * q;
        assert!((majority_rate(vec![voter; 4], 2) - three).abs() < 1e-15);
    }

    #[test]
    fn two_who_differ_leave_it_to_the_stronger() {
        let voter = |noise, accuracy| Voter { noise, accuracy, votes: 1 };
        for voters in [vec![voter(1.0, 0.8), voter(2.0, 0.6)], vec![voter(2.0, 0.6), voter(1.0, 0.8)]] {
            assert!((majority_rate(voters, 4) - 0.8).abs() < 1e-15);
        }
    }
}
