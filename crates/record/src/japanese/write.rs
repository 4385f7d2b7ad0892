//! Moves in Japanese notation by the rules of the Japan Shogi Association, which the crate `shogi_official_kifu` knows.

use kiki_board::{Move, Position};
use shogi_core::PartialPosition;
use shogi_official_kifu::display_single_move;

/// A legal move in Japanese notation, before it is made: `▲７６歩`, `△同銀右上成`.
///
/// ```
/// use kiki_board::Position;
/// use kiki_record::japanese_move;
///
/// let mut position = Position::startpos();
/// let mv = position.parse_move("7g7f")?;
/// assert_eq!(japanese_move(&position, mv), "▲７６歩");
/// # Ok::<(), kiki_board::MoveError>(())
/// ```
#[must_use]
pub fn japanese_move(position: &Position, mv: Move) -> String {
    let core = with_last_move(position);
    display_single_move(&core, mv.to_core(position.side_to_move())).unwrap_or_default()
}

/// Writes the moves of a line one after the other. It is quicker than [`japanese_move`] for each.
pub struct JapaneseLine {
    position: Position,
    core: PartialPosition,
}

impl JapaneseLine {
    /// A line that begins in a position.
    #[must_use]
    pub fn new(position: &Position) -> Self {
        Self { position: position.clone(), core: with_last_move(position) }
    }

    /// Writes the next move and makes it; `None` if it is illegal.
    pub fn play(&mut self, mv: Move) -> Option<String> {
        if !self.position.is_legal(mv) {
            return None;
        }
        let core_move = mv.to_core(self.position.side_to_move());
        let text = display_single_move(&self.core, core_move).unwrap_or_default();
        // Both know the move to be legal.
        let _ = self.core.make_move(core_move);
        self.position.make(mv);
        Some(text)
    }

    /// The position after the moves so far.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }
}

/// The position with the move that led to it: a capture on its square is written otherwise.
fn with_last_move(position: &Position) -> PartialPosition {
    let Some(last) = position.last_move().filter(|last| !last.is_none()) else { return position.to_core() };
    let mut before = position.clone();
    before.unmake();
    let mut core = before.to_core();
    let _ = core.make_move(last.to_core(before.side_to_move()));
    core
}
