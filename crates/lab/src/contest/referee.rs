//! One game under the rules: the referee's own board decides what is legal, what is a draw and who has won.

use std::time::{Duration, SystemTime};

use kiki_board::{DeclarationVerdict, Position};
use kiki_usi::{BestMove, GameResult, PositionSpec};

use super::game::{Fault, Game, Reason, Thought, Verdict};
use super::limit::{Clock, go};
use super::player::{Foul, Player};
use super::rules::{self, Rules, Runs};

/// The contest has been stopped in the middle of a game, which then does not count.
#[derive(Debug)]
pub(crate) struct Stopped;

/// What a game starts from.
pub(crate) struct Start {
    /// The place of the game in the schedule, from 1.
    pub(crate) game: usize,
    /// The number of the opening, from 1.
    pub(crate) opening: usize,
    pub(crate) spec: PositionSpec,
    pub(crate) position: Position,
}

/// A game that is being played.
struct Table<'a, 'b> {
    rules: &'a Rules,
    players: [&'a mut Player<'b>; 2],
    clocks: [Clock; 2],
    runs: Runs,
    spec: PositionSpec,
    position: Position,
    game: Game,
}

/// How a game ended; the fault is the loser's.
struct End {
    result: Verdict,
    reason: Reason,
    fault: Option<(String, Vec<String>)>,
}

impl From<(Verdict, Reason)> for End {
    fn from((result, reason): (Verdict, Reason)) -> Self {
        Self { result, reason, fault: None }
    }
}

/// Plays a game between Black and White.
pub(crate) fn play(start: Start, players: [&mut Player<'_>; 2], rules: &Rules) -> Result<Game, Stopped> {
    let [black, white] = [&players[0].spec, &players[1].spec];
    let game = Game {
        game: start.game,
        black: black.name.clone(),
        white: white.name.clone(),
        result: Verdict::Draw,
        reason: Reason::MaxPlies,
        opening: start.opening,
        root: root_of(&start.spec),
        opening_plies: start.spec.moves.len(),
        moves: start.spec.moves.clone(),
        scores: Vec::new(),
        depths: Vec::new(),
        nodes: Vec::new(),
        times: Vec::new(),
        pvs: Vec::new(),
        started: humantime::format_rfc3339_millis(SystemTime::now()).to_string(),
        fault: None,
        voided: false,
    };
    let clocks = [Clock::new(black.limit), Clock::new(white.limit)];
    let (spec, position, runs) = (start.spec, start.position, Runs::default());
    Table { rules, players, clocks, runs, spec, position, game }.play()
}

/// `startpos` or `sfen ..`.
fn root_of(spec: &PositionSpec) -> String {
    let root = PositionSpec { moves: Vec::new(), ..spec.clone() }.to_string();
    root.trim_start_matches("position ").to_owned()
}

impl Table<'_, '_> {
    fn play(mut self) -> Result<Game, Stopped> {
        let end = self.until_the_end()?;
        let results = match end.result {
            Verdict::Black => [GameResult::Win, GameResult::Lose],
            Verdict::White => [GameResult::Lose, GameResult::Win],
            Verdict::Draw => [GameResult::Draw; 2],
        };
        for (player, result) in self.players.iter_mut().zip(results) {
            player.dismiss(result);
        }
        let mut game = self.game;
        (game.result, game.reason) = (end.result, end.reason);
        let loser = game.loser().map(str::to_owned);
        game.fault = loser.zip(end.fault).map(|(engine, (detail, said))| Fault { engine, detail, said });
        Ok(game)
    }

    fn until_the_end(&mut self) -> Result<End, Stopped> {
        for side in [0, 1] {
            if let Err(foul) = self.players[side].prepare() {
                return self.judge(side, foul);
            }
        }
        loop {
            let plies = self.spec.moves.len();
            let end = rules::end(&self.position, plies, self.rules.max_plies);
            if let Some(end) = end.or_else(|| self.runs.end(self.rules, plies)) {
                return Ok(end.into());
            }
            let side = self.position.side_to_move().array_index();
            match self.one_move(side) {
                Ok(None) => {}
                Ok(Some(end)) => return Ok(end),
                Err(foul) => return self.judge(side, foul),
            }
        }
    }

    /// Lets a side move. `Some` is the end of the game.
    fn one_move(&mut self, side: usize) -> Result<Option<End>, Foul> {
        let tolerance = Duration::from_millis(self.rules.tolerance);
        let allowance = self.clocks[side].allowance().map(|allowance| allowance + tolerance);
        let patience = Duration::from_millis(self.rules.patience);
        let go = go(side, &self.clocks);
        let answer = self.players[side].think(&self.spec, &go, allowance, patience)?;
        self.clocks[side].spend(answer.elapsed);
        let thought = Thought::new(&answer.info, answer.elapsed.as_millis() as u64);
        let score = thought.score;
        self.game.push(thought);
        let claim = self.position.declaration(self.rules.declaration.rule());
        let (text, expected) = match answer.best {
            BestMove::Resign => return Ok(Some((Verdict::win_of(1 - side), Reason::Resignation).into())),
            BestMove::Win => return Ok(Some(self.declared(side, claim))),
            BestMove::Move { best, ponder } => (best, ponder),
        };
        let Ok(mv) = self.position.parse_move(&text) else {
            let said = self.players[side].said();
            let fault = Some((format!("played `{text}`, which is illegal"), said));
            return Ok(Some(End { result: Verdict::win_of(1 - side), reason: Reason::IllegalMove, fault }));
        };
        self.position.make(mv);
        self.spec.moves.push(mv.to_string());
        self.game.moves.push(mv.to_string());
        if claim == DeclarationVerdict::WinBy(mv) {
            return Ok(Some((Verdict::win_of(side), Reason::Declaration).into()));
        }
        self.runs.note(self.rules, side, score);
        if let Some(expected) = expected.filter(|_| self.players[side].spec.ponder) {
            self.ponder(side, &expected)?;
        }
        Ok(None)
    }

    /// Lets the side that has just moved think about the answer that it expects, if that is a move.
    fn ponder(&mut self, side: usize, expected: &str) -> Result<(), Foul> {
        let Ok(mv) = self.position.parse_move(expected) else { return Ok(()) };
        let mut spec = self.spec.clone();
        spec.moves.push(mv.to_string());
        self.players[side].ponder(&spec, go(side, &self.clocks))
    }

    fn declared(&self, side: usize, claim: DeclarationVerdict) -> End {
        match claim {
            DeclarationVerdict::Win | DeclarationVerdict::WinBy(_) => {
                (Verdict::win_of(side), Reason::Declaration).into()
            }
            DeclarationVerdict::Draw => (Verdict::Draw, Reason::Declaration).into(),
            DeclarationVerdict::No => {
                let detail = "declared a win that it does not have".to_owned();
                let fault = Some((detail, self.players[side].said()));
                End { result: Verdict::win_of(1 - side), reason: Reason::FalseDeclaration, fault }
            }
        }
    }

    fn judge(&mut self, side: usize, foul: Foul) -> Result<End, Stopped> {
        let Foul::Lost { reason, detail, said, elapsed } = foul else { return Err(Stopped) };
        self.game.push(Thought::none(elapsed.as_millis() as u64));
        Ok(End { result: Verdict::win_of(1 - side), reason, fault: Some((detail, said)) })
    }
}
