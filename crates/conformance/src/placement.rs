//! A `position` command and the position that it names; positions of random games.

use kiki_board::{DeclarationRule, DeclarationVerdict, GameRepetition, Move, Position, opponent};
use kiki_usi::{Command, set_up};
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;

pub(crate) const MATE_IN_ONE: &str = "position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
pub(crate) const MATED: &str = "position sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";
pub(crate) const ONE_MOVE: &str = "position sfen 8k/9/8G/9/9/9/9/9/4K4 w - 1";
/// A king has three moves, nobody can win, and any depth is reached at once.
pub(crate) const BARE_KINGS: &str = "position sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1";
pub(crate) const NO_MATE: &str = "position sfen 4k4/9/9/9/9/9/9/9/4K4 b P 1";
/// A middle game with many checks.
pub(crate) const MATSURI: &str = "position sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";
pub(crate) const START: &str = "position startpos";

#[derive(Clone)]
pub(crate) struct CasePosition {
    pub(crate) command: String,
    pub(crate) position: Position,
    /// The side to move may be lost, so it may resign.
    pub(crate) may_be_lost: bool,
}

impl CasePosition {
    /// Reads a command of this crate's own.
    pub(crate) fn new(command: &str) -> Self {
        let Ok(Command::Position(spec)) = Command::parse(command.as_bytes()) else {
            unreachable!("`{command}` is a position command of this crate");
        };
        let position = set_up(&spec).unwrap_or_else(|error| unreachable!("`{command}`: {error}"));
        let may_be_lost = position.legal_moves().is_empty() || faces_pieces_with_nothing(&position);
        Self { command: command.to_owned(), position, may_be_lost }
    }

    pub(crate) fn lopsided(self) -> Self {
        Self { may_be_lost: true, ..self }
    }

    /// The same position, given by another command.
    pub(crate) fn told_as(&self, command: impl Into<String>) -> Self {
        Self { command: command.into(), ..self.clone() }
    }

    pub(crate) fn is_legal(&self, text: &str) -> bool {
        self.position.parse_move(text).is_ok()
    }

    /// `None` after an illegal move.
    pub(crate) fn after(&self, text: &str) -> Option<Position> {
        let mut position = self.position.clone();
        let mv = position.parse_move(text).ok()?;
        position.make(mv);
        Some(position)
    }

    /// Whether the side to move may declare a win by 27 points, the default rule of all engines.
    pub(crate) fn may_declare(&self) -> bool {
        self.position.declaration(DeclarationRule::Points27) == DeclarationVerdict::Win
    }
}

/// Whether the side to move has a bare king and the other side has more.
fn faces_pieces_with_nothing(position: &Position) -> bool {
    let us = position.side_to_move();
    let is_bare = |color| !position.pieces_of(color).several() && position.hand(color).is_empty();
    is_bare(us) && !is_bare(opponent(us))
}

/// The `position` command after random legal plies from the start, without mate or fourfold
/// repetition. Such games are soon lost for one side, so that an engine may resign.
pub(crate) fn playout(seed: u64, plies: usize) -> CasePosition {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut position = Position::startpos();
    let mut command = "position startpos moves".to_owned();
    for _ in 0..plies {
        let mut moves: Vec<Move> = position.legal_moves().iter().copied().collect();
        moves.shuffle(&mut random);
        let goes_on = |position: &mut Position, mv: Move| {
            position.make(mv);
            let goes_on = !position.legal_moves().is_empty() && position.game_repetition() == GameRepetition::None;
            position.unmake();
            goes_on
        };
        let Some(&mv) = moves.iter().find(|&&mv| goes_on(&mut position, mv)) else { break };
        position.make(mv);
        command.push_str(&format!(" {mv}"));
    }
    CasePosition { command, position, may_be_lost: true }
}

/// Positions from all parts of random games, the same at every call.
pub(crate) fn random_positions(count: usize) -> Vec<CasePosition> {
    let mut random = Pcg64::seed_from_u64(1);
    (0..count as u64).map(|seed| playout(seed, random.random_range(1..150))).collect()
}
