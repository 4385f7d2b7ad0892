//! One game under the rules. The referee's own board decides which moves are legal, what is a draw
//! and who has won.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use kiki_board::{DeclarationVerdict, Position};
use kiki_record::{EndReason, GameEnd, GameOutcome};
use kiki_text::excerpt;
use kiki_usi::{BestMove, GameResult, PositionSpec};
use shogi_core::Color;

use crate::clock::{PlayerClock, go_command};
use crate::error::PlayError;
use crate::game::{EngineFault, MoveInfo, PlayedGame};
use crate::player::{Player, PlayerFailure};
use crate::rules::{MatchRules, ScoreStreaks, end_of_position};

pub struct GameStart {
    /// From 1.
    pub game: usize,
    /// From 1.
    pub opening: usize,
    /// The opening as the engines get it.
    pub spec: PositionSpec,
    pub position: Position,
}

struct RunningGame<'a, 'b> {
    rules: &'a MatchRules,
    /// By colour.
    players: [&'a mut Player<'b>; 2],
    clocks: [PlayerClock; 2],
    streaks: ScoreStreaks,
    spec: PositionSpec,
    position: Position,
    record: PlayedGame,
}

/// The first player is Black. A player that fails loses; the only error is
/// [`PlayError::Cancelled`].
pub fn play_game(start: GameStart, players: [&mut Player<'_>; 2], rules: &MatchRules) -> Result<PlayedGame, PlayError> {
    let [black, white] = [&players[0].spec, &players[1].spec];
    let record = PlayedGame {
        game: start.game,
        black: black.name.clone(),
        white: white.name.clone(),
        outcome: GameOutcome::Unknown,
        reason: EndReason::Interrupted,
        opening: start.opening,
        root: root_of(&start.spec),
        opening_plies: start.spec.moves.len(),
        moves: start.spec.moves.clone(),
        scores: Vec::new(),
        depths: Vec::new(),
        nodes: Vec::new(),
        times: Vec::new(),
        pvs: Vec::new(),
        impossible_counts: BTreeSet::new(),
        started: humantime::format_rfc3339_millis(SystemTime::now()).to_string(),
        fault: None,
        voided: false,
    };
    let clocks = [PlayerClock::new(black.limits), PlayerClock::new(white.limits)];
    let (spec, position, streaks) = (start.spec, start.position, ScoreStreaks::default());
    RunningGame { rules, players, clocks, streaks, spec, position, record }.play()
}

/// `startpos` or `sfen ..`.
fn root_of(spec: &PositionSpec) -> String {
    let root = PositionSpec { moves: Vec::new(), ..spec.clone() }.to_string();
    root.trim_start_matches("position ").to_owned()
}

impl<'b> RunningGame<'_, 'b> {
    fn play(mut self) -> Result<PlayedGame, PlayError> {
        let end = self.play_moves()?;
        let results = match end.outcome.winner() {
            Some(Color::Black) => [GameResult::Win, GameResult::Lose],
            Some(Color::White) => [GameResult::Lose, GameResult::Win],
            None => [GameResult::Draw; 2],
        };
        for (player, result) in self.players.iter_mut().zip(results) {
            player.end_game(result);
        }
        let mut record = self.record;
        (record.outcome, record.reason) = (end.outcome, end.reason);
        Ok(record)
    }

    fn play_moves(&mut self) -> Result<GameEnd, PlayError> {
        for side in Color::all() {
            if let Err(failure) = self.player(side).prepare() {
                return self.judge_failure(side, failure);
            }
        }
        loop {
            let plies = self.spec.moves.len();
            let end = end_of_position(&self.position, plies, self.rules.max_plies);
            if let Some(end) = end.or_else(|| self.streaks.end(self.rules, plies)) {
                return Ok(end);
            }
            let side = self.position.side_to_move();
            match self.play_move(side) {
                Ok(None) => {}
                Ok(Some(end)) => return Ok(end),
                Err(failure) => return self.judge_failure(side, failure),
            }
        }
    }

    fn player(&mut self, side: Color) -> &mut Player<'b> {
        self.players[side.array_index()]
    }

    /// Asks a side for its move. `Some` ends the game.
    fn play_move(&mut self, side: Color) -> Result<Option<GameEnd>, PlayerFailure> {
        let own = side.array_index();
        let tolerance = Duration::from_millis(self.rules.tolerance);
        let allowance = self.clocks[own].allowance().map(|allowance| allowance + tolerance);
        let patience = Duration::from_millis(self.rules.patience);
        let go = go_command(side, &self.clocks);
        let answer = self.players[own].think(&self.spec, &go, allowance, patience)?;
        self.clocks[own].spend(answer.elapsed);
        if answer.info.has_impossible_count {
            self.record.impossible_counts.insert(self.players[own].spec.name.clone());
        }
        let info = MoveInfo::new(&answer.info, answer.elapsed);
        let score = info.score;
        self.record.push(info);
        let declaration = self.position.declaration(self.rules.declaration.board_rule());
        let (text, expected) = match answer.best {
            BestMove::Resign => return Ok(Some(GameEnd::loss_of(side, EndReason::Resignation))),
            BestMove::Win => return Ok(Some(self.judge_declaration(side, declaration))),
            BestMove::Move { best, ponder } => (best, ponder),
        };
        let Ok(mv) = self.position.parse_move(&text) else {
            let detail = format!("played `{}`, which is illegal", excerpt(&text));
            return Ok(Some(self.lost_by_play(side, EndReason::IllegalMove, detail)));
        };
        self.position.make(mv);
        self.spec.moves.push(mv.to_string());
        self.record.moves.push(mv.to_string());
        if declaration == DeclarationVerdict::WinBy(mv) {
            return Ok(Some(GameEnd::win_of(side, EndReason::Declaration)));
        }
        self.streaks.record(self.rules, side, score);
        if let Some(expected) = expected.filter(|_| self.players[own].spec.ponder) {
            self.ponder(side, &expected)?;
        }
        Ok(None)
    }

    /// Lets the side that has just moved ponder on the reply that it expects, if that is legal.
    fn ponder(&mut self, side: Color, expected: &str) -> Result<(), PlayerFailure> {
        let Ok(mv) = self.position.parse_move(expected) else { return Ok(()) };
        let mut spec = self.spec.clone();
        spec.moves.push(mv.to_string());
        let go = go_command(side, &self.clocks);
        self.player(side).ponder(&spec, go)
    }

    fn judge_declaration(&mut self, side: Color, declaration: DeclarationVerdict) -> GameEnd {
        match declaration {
            DeclarationVerdict::Win | DeclarationVerdict::WinBy(_) => GameEnd::win_of(side, EndReason::Declaration),
            DeclarationVerdict::Draw => GameEnd::draw(EndReason::Declaration),
            DeclarationVerdict::No => {
                let detail = "declared a win that it does not have".to_owned();
                self.lost_by_play(side, EndReason::FailedDeclaration, detail)
            }
        }
    }

    fn lost_by_play(&mut self, side: Color, reason: EndReason, detail: String) -> GameEnd {
        let last_lines = self.player(side).last_lines();
        self.lost_by_fault(side, reason, detail, last_lines)
    }

    fn lost_by_fault(&mut self, side: Color, reason: EndReason, detail: String, last_lines: Vec<String>) -> GameEnd {
        let engine = self.player(side).spec.name.clone();
        self.record.fault = Some(EngineFault { engine, detail, last_lines });
        GameEnd::loss_of(side, reason)
    }

    fn judge_failure(&mut self, side: Color, failure: PlayerFailure) -> Result<GameEnd, PlayError> {
        let PlayerFailure::Lost { reason, detail, last_lines, elapsed } = failure else {
            return Err(PlayError::Cancelled);
        };
        // Only the side to move has an entry: a side that fails earlier, in `prepare` or pondering,
        // has none.
        if self.position.side_to_move() == side {
            self.record.push(MoveInfo { time: elapsed, ..MoveInfo::default() });
        }
        Ok(self.lost_by_fault(side, reason, detail, last_lines))
    }
}
