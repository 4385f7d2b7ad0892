//! One search of all members.

use std::time::Instant;

use kiki_board::{DeclarationRule, DeclarationVerdict, Move, Position};
use kiki_text::excerpt;
use kiki_usi::{BestMove, Clocks, GoSpec, Info};

use crate::message::SearchNumber;
use crate::times::{SearchStep, SearchTimes};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum MemberState {
    /// It was not asked, or its move was refused.
    Out,
    /// It has failed; its lines of play still count if no member answers.
    Failed,
    Searching,
    Answered(BestMove),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct AnswerRefusal {
    pub(crate) reason: String,
    /// Its process has lost track of the position and must be restarted.
    pub(crate) is_fault: bool,
}

pub(crate) struct CouncilSearch {
    pub(crate) number: SearchNumber,
    pub(crate) position: Position,
    pub(crate) go: GoSpec,
    pub(crate) members: Vec<MemberState>,
    /// The answer is unused.
    pub(crate) muted: bool,
    /// `searchmoves`; empty for all moves.
    pub(crate) searchmoves: Vec<Move>,
    pub(crate) times: SearchTimes,
}

impl CouncilSearch {
    /// `members` selects the members to ask.
    pub(crate) fn new(
        number: SearchNumber,
        position: Position,
        go: GoSpec,
        members: Vec<MemberState>,
        times: SearchTimes,
    ) -> Self {
        let searchmoves = go.searchmoves.iter().filter_map(|mv| position.parse_move(mv).ok()).collect();
        Self { number, position, go, members, muted: false, searchmoves, times }
    }

    /// Records a member's answer. Refuses illegal moves, moves not among `searchmoves`, and
    /// declarations that no rule allows.
    pub(crate) fn answered(&mut self, member: usize, best: BestMove) -> Result<(), AnswerRefusal> {
        let refusal = self.refusal(&best);
        let Some(state) = self.members.get_mut(member) else { return Ok(()) };
        if let Some(refusal) = refusal {
            *state = MemberState::Out;
            return Err(refusal);
        }
        *state = MemberState::Answered(best);
        self.times.answered();
        Ok(())
    }

    fn refusal(&self, best: &BestMove) -> Option<AnswerRefusal> {
        let (is_legal, is_asked) = match best {
            BestMove::Move { best, .. } => (self.position.parse_move(best).is_ok(), self.may_play(best)),
            BestMove::Resign => (true, true),
            BestMove::Win => (may_declare(&self.position), true),
        };
        let quoted = excerpt(&best.to_string());
        if !is_legal {
            return Some(AnswerRefusal { reason: format!("`{quoted}` is illegal"), is_fault: true });
        }
        // Some programs do not know `searchmoves`.
        (!is_asked).then(|| AnswerRefusal { reason: format!("`{quoted}` is not among searchmoves"), is_fault: false })
    }

    /// Whether a move is legal and among `searchmoves`.
    pub(crate) fn may_play(&self, best: &str) -> bool {
        self.position.parse_move(best).is_ok_and(|best| self.searchmoves.is_empty() || self.searchmoves.contains(&best))
    }

    /// A line of play up to its first illegal move. `None` if its first move may not be played.
    pub(crate) fn playable(&self, told: &Info) -> Option<Info> {
        told.pv.first().filter(|first| self.may_play(first))?;
        let mut line = told.clone();
        line.pv.truncate(self.position.legal_line(&told.pv).len());
        Some(line)
    }

    pub(crate) fn lost(&mut self, member: usize, state: MemberState) {
        if let Some(known) = self.members.get_mut(member) {
            *known = state;
        }
    }

    /// The expected move was played: the clock runs since this moment, possibly with new times.
    pub(crate) fn ponder_hit(&mut self, clocks: Option<Clocks>, since: Instant) {
        self.go.clocks = clocks.unwrap_or(self.go.clocks);
        self.go.ponder = false;
        self.times.ponder_hit(&self.go, self.position.side_to_move(), since);
    }

    pub(crate) fn next_step(&self, now: Instant) -> SearchStep {
        self.times.next_step(!self.members.contains(&MemberState::Searching), now)
    }
}

/// Whether the side to move may declare by any rule that a member may use.
fn may_declare(position: &Position) -> bool {
    let rules = [
        DeclarationRule::Points27,
        DeclarationRule::Points24,
        DeclarationRule::Points27Handicap,
        DeclarationRule::Points24Handicap,
    ];
    rules.into_iter().any(|rule| position.declaration(rule) == DeclarationVerdict::Win)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use kiki_board::Color;
    use kiki_usi::Command;

    use super::*;
    use crate::times::Waiting;

    fn search(go: &str) -> CouncilSearch {
        let Ok(Command::Go(go)) = Command::parse(go.as_bytes()) else { panic!("{go}") };
        let times = SearchTimes::new(&go, Color::Black, Waiting::default(), Instant::now());
        CouncilSearch::new(1, Position::startpos(), go, vec![MemberState::Searching; 2], times)
    }

    #[test]
    fn times_that_come_with_ponderhit_become_the_clock() {
        let (mut search, since) = (search("go ponder byoyomi 1000"), Instant::now());
        search.ponder_hit(Some(Clocks { byoyomi: Some(200), ..Clocks::default() }), since);
        assert_eq!(search.next_step(since), SearchStep::Wait(Some(since + Duration::from_millis(200))));
    }

    #[test]
    fn illegal_answers_do_not_count() {
        let mut search = search("go nodes 1000");
        assert!(search.answered(0, BestMove::new("7g7c")).unwrap_err().reason.contains("7g7c"));
        let long = search.answered(0, BestMove::new("x".repeat(1_000_000))).unwrap_err().reason;
        assert!(long.contains("xxx") && long.len() < 100, "{long:.1000}");
        assert!(search.answered(1, BestMove::Win).unwrap_err().is_fault);
        assert_eq!(search.members, [MemberState::Out, MemberState::Out]);
        assert_eq!(search.next_step(Instant::now()), SearchStep::Answer);
    }
}
