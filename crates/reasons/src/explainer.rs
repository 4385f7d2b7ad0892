//! The searches behind a reason, and the order in which the patterns are tried.

use kiki_board::{Move, Position, opponent};
use kiki_eval::Evaluator;
use kiki_mate::{MateResult, Solver};
use kiki_search::{Limits, Options, ResourceError, RootScore, SoloSearcher};

use crate::sentence::{Reason, Role, Theme};
use crate::tactics::{LEAST_GAIN, after, gains, promotion, recaptures, theme_of_reply, theme_of_win, win};

/// How much an explanation may search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Nodes of a search; an explanation takes two or three.
    pub nodes: u64,
    /// Nodes of the mate solver for a position; an explanation asks it up to eight times.
    pub mate_nodes: u64,
}

/// Together about a quarter of a second (docs/reasons.md).
impl Default for Effort {
    fn default() -> Self {
        Self { nodes: 100_000, mate_nodes: 50_000 }
    }
}

/// Size of the transposition table and of the solver's, in MiB.
const TABLE: usize = 16;
/// Number of plies after which the squares near the kings are compared.
const HORIZON: usize = 6;
/// Centipawns that a bad move loses.
const LEAST_LOSS: i32 = 50;
/// Centipawns of a mate.
const MATE: i32 = 30_000;
/// Least difference of the counts of effects near a king.
const LEAST_EFFECTS: i32 = 4;

/// Says why moves are bad. Its caller's thread needs a stack of
/// [`kiki_search::SEARCH_STACK_SIZE`].
pub struct Explainer<E: Evaluator> {
    searcher: SoloSearcher<E>,
    solver: Solver,
    effort: Effort,
}

/// A line from a position with its value for the side to move there.
struct Line {
    score: RootScore,
    moves: Vec<Move>,
}

/// The two lines that an explanation compares, both from the position before the move.
struct Comparison<'a> {
    position: &'a Position,
    best: Vec<Move>,
    /// For the side to move.
    best_score: RootScore,
    /// Begins with the played move.
    played: Vec<Move>,
    /// For the other side.
    reply_score: RootScore,
}

impl<E: Evaluator> Explainer<E> {
    /// An explainer with this evaluation.
    ///
    /// # Errors
    /// If there is no memory for the tables.
    pub fn new(weights: E::Weights, effort: Effort) -> Result<Self, ResourceError> {
        let options = Options { table_mebibytes: TABLE, ..Options::default() };
        Ok(Self { searcher: SoloSearcher::new(weights, options)?, solver: Solver::new(TABLE), effort })
    }

    /// Why a legal move is worse than the best one. [`Theme::Sound`] if the search would play
    /// it too, or loses little by it.
    pub fn explain(&mut self, position: &Position, played: Move) -> Reason {
        self.searcher.clear();
        self.solver.clear();
        let after = after(position, &[played]);
        let best = self.line(position);
        let sound = Reason::new(Role::Does, Theme::Sound, &[]);
        if best.moves.first() == Some(&played) || after.is_checkmate() {
            return sound;
        }
        let reply = self.line(&after);
        if centipawns(best.score) + centipawns(reply.score) < LEAST_LOSS {
            return sound;
        }
        if best.moves.is_empty() || reply.moves.is_empty() {
            // A side declares the win of an entered king, or has no move: there is no line to show.
            return Reason::new(Role::Allows, Theme::Unknown, &[played]);
        }
        let comparison = Comparison {
            position,
            best: best.moves,
            best_score: best.score,
            played: [&[played], reply.moves.as_slice()].concat(),
            reply_score: reply.score,
        };
        self.mate(&comparison, &after)
            .or_else(|| self.material(&comparison))
            .or_else(|| self.threat_of_mate(&comparison))
            .or_else(|| self.promotion(&comparison))
            .or_else(|| self.unmet_threat(&comparison))
            .or_else(|| near_the_kings(&comparison))
            .unwrap_or_else(|| Reason::new(Role::Allows, Theme::Unknown, &comparison.played))
    }

    /// Why a legal move is good: what it does, or what the other side would do after a pass instead.
    pub fn merit(&mut self, position: &Position, mv: Move) -> Reason {
        self.searcher.clear();
        self.solver.clear();
        let after = after(position, &[mv]);
        let does = |theme, line: &[Move]| Reason::new(Role::Does, theme, line);
        if after.is_checkmate() {
            return does(Theme::Mate { plies: 1 }, &[mv]);
        }
        let reply = self.line(&after);
        let line = [&[mv], reply.moves.as_slice()].concat();
        if let Some(mate) = self.mate_by_checks(position).filter(|mate| mate[0] == mv) {
            return does(Theme::Mate { plies: mate.len() }, &mate);
        }
        if let RootScore::Mate(plies @ ..0) = reply.score {
            return does(Theme::ForcedMate { plies: (1 - plies) as usize }, &line);
        }
        let mover = position.side_to_move();
        let won = win(position, &line, mover);
        if let Some((theme, won)) = won.and_then(|won| told_win(position, &line, won.plies, theme_of_win)) {
            return does(theme, won);
        }
        if let Some(mate) = self.threatened_mate(&after) {
            return does(Theme::ThreatOfMate { plies: mate.len() }, &line[..1]).with_threat(mate);
        }
        let stops = |theme, line: &[Move]| Reason::new(Role::Stops, theme, line);
        let passed = passed(position);
        if let Some(mate) = passed.as_ref().and_then(|passed| self.mate_by_checks(passed))
            && self.mate_by_checks(&after).is_none()
        {
            return stops(Theme::Mate { plies: mate.len() }, &mate);
        }
        if let Some(theme) = promotion(position, &line) {
            return does(theme, &line[..1]);
        }
        if let Some(passed) = passed {
            let threat = self.line(&passed).moves;
            let is_stopped = win(position, &line, opponent(mover)).is_none();
            let won = win(&passed, &threat, opponent(mover)).filter(|_| is_stopped);
            let told = won.and_then(|won| told_win(&passed, &threat, won.plies, theme_of_win));
            if let Some((theme, won)) = told {
                return stops(theme, won);
            }
        }
        does(Theme::Unknown, &line)
    }

    /// The best line; without a legal move it is empty.
    fn line(&mut self, position: &Position) -> Line {
        let limits = Limits { nodes: Some(self.effort.nodes), ..Limits::default() };
        let searched = self.searcher.search(position, &limits, 1);
        let moves = searched.best_lines().first().map(|line| line.pv.clone()).unwrap_or_default();
        Line { score: searched.result.score, moves }
    }

    /// A mate by checks of the side to move.
    fn mate_by_checks(&mut self, position: &Position) -> Option<Vec<Move>> {
        let most = self.effort.mate_nodes;
        match self.solver.solve(&mut position.clone(), &mut |nodes| nodes < most) {
            MateResult::Mate(line) => Some(line),
            MateResult::NoMate | MateResult::Unknown => None,
        }
    }

    /// The mate by checks that the side which has just moved threatens.
    fn threatened_mate(&mut self, position: &Position) -> Option<Vec<Move>> {
        self.mate_by_checks(&passed(position)?)
    }

    fn mate(&mut self, lines: &Comparison<'_>, after: &Position) -> Option<Reason> {
        let mates = |score| if let RootScore::Mate(plies) = score { plies } else { 0 };
        let (best, reply) = (lines.best_score, lines.reply_score);
        // `reply` is the other side's: below 0 the played move mates too.
        if mates(reply) >= 0 {
            if let Some(mate) = self.mate_by_checks(lines.position) {
                if mate[0] == lines.played[0] {
                    // The solver sees further than the search.
                    return Some(Reason::new(Role::Does, Theme::Sound, &[]));
                }
                return Some(Reason::new(Role::Misses, Theme::Mate { plies: mate.len() }, &mate));
            }
            if let plies @ 1.. = mates(best) {
                return Some(Reason::new(Role::Misses, Theme::ForcedMate { plies: plies as usize }, &lines.best));
            }
        }
        if mates(best) < 0 {
            // No move saves the king.
            return None;
        }
        if let Some(mate) = self.mate_by_checks(after) {
            let line = [&lines.played[..1], &mate].concat();
            let old = passed(lines.position).and_then(|passed| self.mate_by_checks(&passed));
            let is_old = old.is_some_and(|old| old[0] == mate[0] && old.len() == mate.len());
            return Some(Reason::new(Role::Allows, Theme::Mate { plies: mate.len() }, &line).threatened(is_old));
        }
        let plies @ 1.. = mates(reply) else { return None };
        Some(Reason::new(Role::Allows, Theme::ForcedMate { plies: plies as usize }, &lines.played))
    }

    fn material(&mut self, lines: &Comparison<'_>) -> Option<Reason> {
        let Comparison { position, best, played, .. } = lines;
        let mover = position.side_to_move();
        let last = |line: &[Move], side| gains(position, line, side).last().copied().unwrap_or(0);
        let lost = win(position, played, opponent(mover))
            .filter(|win| last(best, mover) > LEAST_GAIN - win.gain)
            .and_then(|win| {
                let (theme, line) = told_win(position, played, win.plies, theme_of_reply)?;
                Some(Reason::new(Role::Allows, theme, line))
            });
        if let Some(lost) = lost {
            let threat = self.threat(lines);
            let is_old = threat.is_some_and(|(passed, threat)| win(&passed, &threat.moves, opponent(mover)).is_some());
            return Some(lost.threatened(is_old));
        }
        let missed = win(position, best, mover).filter(|win| last(played, mover) < win.gain - LEAST_GAIN)?;
        let (theme, line) = told_win(position, best, missed.plies, theme_of_win)?;
        Some(Reason::new(Role::Misses, theme, line))
    }

    fn threat_of_mate(&mut self, lines: &Comparison<'_>) -> Option<Reason> {
        let mut threat = |line: &[Move]| self.threatened_mate(&after(lines.position, line));
        if let Some(reply) = lines.played.get(..2)
            && let Some(mate) = threat(reply)
            && lines.best.get(..2).is_none_or(|line| threat(line).is_none())
        {
            let theme = Theme::ThreatOfMate { plies: mate.len() };
            return Some(Reason::new(Role::Allows, theme, reply).with_threat(mate));
        }
        let best = lines.best.get(..1)?;
        let mate = threat(best)?;
        threat(&lines.played[..1]).is_none().then(|| {
            let theme = Theme::ThreatOfMate { plies: mate.len() };
            Reason::new(Role::Misses, theme, best).with_threat(mate)
        })
    }

    fn promotion(&mut self, lines: &Comparison<'_>) -> Option<Reason> {
        let replied = |line: &[Move]| promotion(&after(lines.position, &line[..1]), &line[1..]);
        if let Some(theme) = replied(&lines.played).filter(|_| replied(&lines.best).is_none()) {
            let threat = self.threat(lines);
            let is_old = threat.is_some_and(|(passed, threat)| promotion(&passed, &threat.moves).is_some());
            return Some(Reason::new(Role::Allows, theme, &lines.played[..2]).threatened(is_old));
        }
        let missed = promotion(lines.position, &lines.best);
        let theme = missed.filter(|_| promotion(lines.position, &lines.played).is_none())?;
        Some(Reason::new(Role::Misses, theme, &lines.best[..1]))
    }

    /// The reply was threatened if a pass would have lost at least half as much, and to the same
    /// reply. A quiet reply may only defend against a chance that the mover missed, so it has to
    /// win something.
    fn unmet_threat(&mut self, lines: &Comparison<'_>) -> Option<Reason> {
        let (passed, threat) = self.threat(lines)?;
        let mv = threat.moves[0];
        let is_quiet = !(passed.is_capture(mv) || mv.is_promotion() || mv.is_drop());
        let wins = || win(&passed, &threat.moves, passed.side_to_move()).is_some();
        if is_quiet && !after(&passed, &[mv]).in_check() && !wins() {
            return None;
        }
        let [best, reply, passed] = [lines.best_score, lines.reply_score, threat.score].map(centipawns);
        (2 * (best + passed) >= best + reply)
            .then(|| Reason::new(Role::Allows, Theme::Threat, &lines.played).threatened(true))
    }

    /// The best line of the other side after a pass instead of the played move, with the position
    /// in which it begins, if it begins with the reply to the played move.
    fn threat(&mut self, lines: &Comparison<'_>) -> Option<(Position, Line)> {
        let passed = passed(lines.position)?;
        let threat = self.line(&passed);
        let is_same = threat.moves.first().is_some_and(|first| lines.played.get(1) == Some(first));
        is_same.then_some((passed, threat))
    }
}

/// The theme of a win by the first `plies` moves of a line from `first`, and the moves that its
/// sentence shows. The recaptures that the sentence counts are among them.
fn told_win<'a>(
    first: &Position,
    line: &'a [Move],
    plies: usize,
    theme: fn(&Position, &[Move]) -> Option<Theme>,
) -> Option<(Theme, &'a [Move])> {
    let won = &line[..plies];
    let theme = theme(first, won)?;
    let counted = match theme {
        Theme::Exchange { .. } => recaptures(&after(first, won), line[plies - 1].to()),
        _ => Vec::new(),
    };
    let shown = counted.iter().zip(&line[plies..]).take_while(|(counted, mv)| counted.to() == mv.to()).count();
    Some((theme, &line[..plies + shown]))
}

/// A mate counts as a value that no other reaches.
fn centipawns(score: RootScore) -> i32 {
    match score {
        RootScore::Centipawns(value) => value,
        RootScore::Mate(plies) => MATE * plies.signum(),
    }
}

/// The position after a pass of the side to move; `None` in check.
fn passed(position: &Position) -> Option<Position> {
    (!position.in_check()).then(|| {
        let mut passed = position.clone();
        passed.make_null();
        passed
    })
}

/// Compares the effects on the squares next to the kings at the ends of both lines.
fn near_the_kings(lines: &Comparison<'_>) -> Option<Reason> {
    let Comparison { position, best, played, .. } = lines;
    let mover = position.side_to_move();
    let plies = HORIZON.min(best.len()).min(played.len());
    let effects = |line: &[Move], attacker| -> i32 {
        let end = after(position, &line[..plies]);
        let ring = end.king_ring(opponent(attacker));
        ring.into_iter().map(|sq| i32::from(end.effects().count(attacker, sq))).sum()
    };
    let of = |attacker| [played, best].map(|line| effects(line, attacker));
    let [own, others] = [of(mover), of(opponent(mover))];
    let reason = |role, [played, best]: [i32; 2], line: &[Move]| {
        Reason::new(role, Theme::NearKing { played, best }, &line[..plies])
    };
    if others[0] - others[1] >= LEAST_EFFECTS {
        return Some(reason(Role::Allows, others, played));
    }
    (own[1] - own[0] >= LEAST_EFFECTS).then(|| reason(Role::Misses, own, best))
}

#[cfg(test)]
mod tests {
    use std::thread::Builder;

    use kiki_eval::{Formula, Weights};
    use kiki_search::SEARCH_STACK_SIZE;

    use super::*;
    use crate::sentence::ToldReason;

    /// What `judge` says of the best line and the played one.
    fn reason(
        sfen: &str,
        [best, played]: [&str; 2],
        judge: fn(&mut Explainer<Formula>, &Comparison<'_>) -> Option<Reason>,
    ) -> Option<ToldReason> {
        let position = Position::from_sfen(sfen).unwrap();
        let line = |words: &str| words.split(' ').map(|mv| mv.parse().unwrap()).collect();
        let scores = [100, 200].map(RootScore::Centipawns);
        let (position, [best, played]) = (&position, [best, played].map(line));
        let lines = Comparison { position, best, best_score: scores[0], played, reply_score: scores[1] };
        let effort = Effort { nodes: 1000, mate_nodes: 1000 };
        let explain = || {
            let mut explainer = Explainer::<Formula>::new(Weights::default(), effort).unwrap();
            judge(&mut explainer, &lines).map(|reason| reason.told(position))
        };
        std::thread::scope(|scope| {
            Builder::new().stack_size(SEARCH_STACK_SIZE).spawn_scoped(scope, explain).unwrap().join().unwrap()
        })
    }

    #[test]
    fn a_promotion_that_both_lines_have_is_no_reason() {
        let own = "4k4/9/9/7R1/9/9/9/9/4K4 b - 1";
        let promotion = Explainer::promotion;
        assert_eq!(reason(own, ["2d2c+ 5a5b", "5i5h 5a5b"], promotion).unwrap().pattern, "misses-promotion");
        assert_eq!(reason(own, ["2d2c+ 5a5b", "2d2b+ 5a6a"], promotion), None);
        let others = "4k4/9/9/9/9/7r1/9/9/4K4 b - 1";
        assert_eq!(reason(others, ["5i5h 5a5b", "5i6h 2f2g+ 6h5h"], promotion).unwrap().pattern, "allows-promotion");
        assert_eq!(reason(others, ["5i5h 2f2h+ 5h5g", "5i6h 2f2g+ 6h5h"], promotion), None);
    }

    #[test]
    fn what_the_best_line_wins_was_missed() {
        let pinned = "l1sg3nl/3k1s3/2ppp4/p4pp1p/1SP6/PG2B3B/2LPPPPnP/9/3KG2+rL w RGN4Psn 78";
        let told = reason(pinned, ["S*4h 5f3d 2i5i", "2i2h 5f3d"], Explainer::material).unwrap();
        assert_eq!(told.japanese, "△４八銀で、動けない５九の金を取れました: △４八銀▲３四角左△５九竜。");
        assert_eq!(told.english, "S*4h could win the gold on 5i, which is pinned: S*4h B5fx3d +Rx5i.");
        let exchange = "ln1g1gs1l/1rs1k4/2ppppn1p/p4bpR1/1p7/P7P/BPPPPPP2/6K2/LNSG1GSNL b Pp 19";
        let best = "2d2a+ 3c4e 3i4h 8e8f 9g8f";
        let told = reason(exchange, [best, "1f1e 4d3e"], Explainer::material).unwrap();
        assert_eq!(told.japanese, "歩を取って飛を成れました: ▲２一飛成△４五桂▲４八銀△８六歩▲同角。");
        assert_eq!(told.english, "R-2a+ could win a pawn and promote a rook: R-2a+ N-4e S-4h P-8f Bx8f.");
    }

    #[test]
    fn what_is_taken_back_is_not_won() {
        let taken_back = "l1+Rp4l/3g1kgs1/4p+b1pp/p2g2p2/1pP2p1N1/9/P1SK2PRP/3P5/LN3S1NL b GS4Pbnp 99";
        let best = "G*6f";
        let played = "S*5e 6d5e 2g2f 2c2d G*5f 5e5f";
        let told = |played: &str| reason(taken_back, [best, played], Explainer::material).unwrap().english;
        let silver = "Gx5e wins a silver: Gx5e R-2f P-2d G*5f Gx5f";
        assert_eq!(told(played), format!("{silver}."));
        assert_eq!(told(&format!("{played} 6g5f")), format!("{silver} Kx5f."));
        let promoted = "ln2g2nl/5rks1/pspp1p1pp/4G1p2/Pp7/4P3P/1PN2PPP1/1+s2GKB+B1/L6NL b RPgs2p 55";
        let best = "7g6e 8c7b 6e5c+ P*5b 5c4b 3b4b";
        let told = reason(promoted, [best, "5d5c P*5b"], Explainer::material).unwrap().english;
        assert_eq!(told, "N-6e could win a rook for a knight: N-6e S-7b N-5c+ P*5b +Nx4b Kx4b.");
    }

    #[test]
    fn a_defence_is_no_threat() {
        // Black could mate; White would run after a pass too.
        let mate = "4k2gg/9/4P4/9/9/9/9/9/4K4 b G 1";
        let judge = |explainer: &mut Explainer<Formula>, lines: &Comparison<'_>| {
            assert!(explainer.threat(lines).is_some(), "White has the same move after a pass");
            explainer.unmet_threat(lines)
        };
        assert_eq!(reason(mate, ["G*5b", "5i5h 5a4b"], judge), None);
    }

    #[test]
    fn a_move_that_begins_the_mate_misses_none() {
        let mate = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
        let judge = |explainer: &mut Explainer<Formula>, lines: &Comparison<'_>| {
            explainer.mate(lines, &after(lines.position, &lines.played[..1]))
        };
        assert_eq!(reason(mate, ["5i5h 5a4a", "5i6h 5a4a"], judge).unwrap().pattern, "misses-mate");
        assert_eq!(reason(mate, ["5i5h 5a4a", "G*5b"], judge).unwrap().pattern, "sound");
    }
}
