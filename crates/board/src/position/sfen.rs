//! Positions as text: SFEN, and the check that a position is consistent.

use kiki_text::excerpt;
use shogi_core::{PartialPosition, Square, ToUsi};
use shogi_usi_parser::FromUsi;

use super::board::Board;
use super::{Position, StateInfo, StateStack};
use crate::squares::{BitboardPair, Side, for_side};
use crate::tables::{SIDE_KEY, attacks, hand_key, piece_key};
use crate::{
    Bitboard, ByColor, COLORS, Cell, Color, HAND_KINDS, HandCounts, Move, MoveError, PieceKind, Sq, opponent,
    pieces_in_set,
};

/// Why a text or a set of pieces is not a position that can be played.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SfenError {
    /// A field is missing.
    #[error("the SFEN has no {0} (expected: board, side to move, hands, optionally the move number)")]
    Missing(&'static str),
    /// There is text behind the move number.
    #[error("`{}` stands behind the end of the SFEN", excerpt(.0))]
    Extra(String),
    /// A field cannot be read.
    #[error("the {field} `{}` cannot be read: {reason}", excerpt(token))]
    Malformed {
        /// Which field.
        field: &'static str,
        /// Its text.
        token: String,
        /// The fault.
        reason: String,
    },
    /// More pieces of a kind than a set has.
    #[error("{count} pieces of the kind {kind} are more than the {limit} of a set")]
    TooMany {
        /// The unpromoted kind, in USI.
        kind: String,
        /// How many there are.
        count: usize,
        /// How many a set has.
        limit: usize,
    },
    /// Two kings of one colour.
    #[error("{0} has more than one king")]
    TwoKings(&'static str),
    /// A pawn, lance or knight that can never move again.
    #[error("the piece on {0} could never move")]
    NoFurtherMove(String),
    /// Two unpromoted pawns of one colour on one file.
    #[error("{color} has two pawns on file {file}")]
    TwoPawns {
        /// Whose.
        color: &'static str,
        /// 1 to 9.
        file: usize,
    },
    /// The side that has just moved left its king in check.
    #[error("{0} is in check, but it is the opponent's turn")]
    KingCanBeCaptured(&'static str),
}

/// The largest move number; larger ones are cut to it. No game is that long, and counting on from
/// it never overflows.
const LARGEST_PLY: u32 = 1_000_000;
/// The letters of [`HAND_KINDS`].
const HAND_LETTERS: &str = "PLNSGBR";
const NAMES: ByColor<&str> = ByColor::new("Black", "White");

impl Position {
    /// The start of a game.
    #[must_use]
    pub fn startpos() -> Self {
        Self::from_core(&PartialPosition::startpos()).expect("the start of a game is a position")
    }

    /// Reads an SFEN, without the word `sfen`: board, side to move, hands, and optionally the move
    /// number. Kings may be missing, and sets incomplete.
    pub fn from_sfen(sfen: &str) -> Result<Self, SfenError> {
        let position = Self::from_diagram(sfen)?;
        position.check_movable()?;
        Ok(position)
    }

    /// Reads the SFEN of a problem or of a teaching position, as in records. Unlike in
    /// [`Position::from_sfen`], pieces may stand where they can never move. No game and no search
    /// starts from such a position.
    ///
    /// ```
    /// use kiki_board::Position;
    ///
    /// let knight = "4k3N/9/9/9/9/9/9/9/4K4 b - 1";
    /// let refused = Position::from_sfen(knight).err().map(|error| error.to_string());
    /// assert_eq!(refused.as_deref(), Some("the piece on 1a could never move"));
    /// assert_eq!(Position::from_diagram(knight)?.legal_moves().len(), 5);
    /// # Ok::<(), kiki_board::SfenError>(())
    /// ```
    pub fn from_diagram(sfen: &str) -> Result<Self, SfenError> {
        let mut fields = sfen.split_ascii_whitespace();
        let board = fields.next().ok_or(SfenError::Missing("board"))?;
        let side = fields.next().ok_or(SfenError::Missing("side to move"))?;
        let hands = fields.next().ok_or(SfenError::Missing("hands"))?;
        let ply = fields.next().unwrap_or("1");
        if let Some(extra) = fields.next() {
            return Err(SfenError::Extra(extra.to_owned()));
        }
        let malformed =
            |field, token: &str, reason: String| SfenError::Malformed { field, token: token.to_owned(), reason };
        if side != "b" && side != "w" {
            return Err(malformed("side to move", side, "expected b or w".to_owned()));
        }
        check_hands(hands)?;
        // Some programs count from 0 or write large numbers; `shogi_core` keeps 16 bits.
        let ply: u32 = ply.parse().map_err(|_| malformed("move number", ply, "expected a number".to_owned()))?;
        let text = format!("sfen {board} {side} {hands}");
        let core = PartialPosition::from_usi(&text).map_err(|error| malformed("board", board, error.to_string()))?;
        let (cells, hands) = pieces(&core)?;
        Self::diagram(cells, hands, core.side_to_move(), ply.clamp(1, LARGEST_PLY))
    }

    /// The position of `shogi_core`'s type, without history.
    pub fn from_core(core: &PartialPosition) -> Result<Self, SfenError> {
        let (cells, hands) = pieces(core)?;
        Self::from_pieces(cells, hands, core.side_to_move(), core.ply().into())
    }

    pub(crate) fn from_pieces(
        cells: Cells,
        hands: ByColor<HandCounts>,
        side: Color,
        ply: u32,
    ) -> Result<Self, SfenError> {
        let position = Self::diagram(cells, hands, side, ply)?;
        position.check_movable()?;
        Ok(position)
    }

    /// The position of these pieces; they may stand where they can never move.
    fn diagram(cells: Cells, hands: ByColor<HandCounts>, side: Color, ply: u32) -> Result<Self, SfenError> {
        let (board, state) = computed(cells, hands, side)?;
        let position = Self { board, side, first_ply: ply, states: StateStack::new(&state) };
        position.check_rules()?;
        Ok(position)
    }

    /// The position as a position of `shogi_core`, without history.
    #[must_use]
    pub fn to_core(&self) -> PartialPosition {
        let mut core = PartialPosition::empty();
        for square in Square::all() {
            core.piece_set(square, self.piece_at(square));
        }
        for color in COLORS {
            *core.hand_of_a_player_mut(color) = self.hand(color).into();
        }
        core.side_to_move_set(self.side_to_move());
        // The number saturates. It is never 0, the only number that is refused.
        let _ = core.ply_set(u16::try_from(self.ply()).unwrap_or(u16::MAX));
        core
    }

    /// The SFEN, without the word `sfen`.
    #[must_use]
    pub fn to_sfen(&self) -> String {
        let sfen = self.to_core().to_sfen_owned();
        // `shogi_core` keeps 16 bits of the move number.
        let (fields, _) = sfen.rsplit_once(' ').expect("four fields");
        format!("{fields} {}", self.ply().min(LARGEST_PLY))
    }

    /// Reads a move in USI and checks that it is legal here. All choices of promotion are accepted.
    pub fn parse_move(&self, usi: &str) -> Result<Move, MoveError> {
        let mv: Move = usi.parse()?;
        if self.is_legal(mv) { Ok(mv) } else { Err(MoveError::Illegal { mv: usi.to_owned(), sfen: self.to_sfen() }) }
    }

    /// The moves of a line in USI, from here up to the first that is illegal.
    pub fn legal_line(&self, line: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<Move> {
        let mut position = self.clone();
        let play = |usi| {
            let mv = position.parse_move(AsRef::as_ref(&usi)).ok()?;
            position.make(mv);
            Some(mv)
        };
        line.into_iter().map_while(play).collect()
    }

    /// The rules that every position obeys, even that of a problem.
    fn check_rules(&self) -> Result<(), SfenError> {
        for kind in HAND_KINDS {
            let on_board = self.occupied().into_iter().filter(|&sq| self.cell(sq).hand_kind() == Some(kind)).count();
            let count = on_board + COLORS.map(|color| self.hand(color).count(kind)).iter().sum::<usize>();
            if count > pieces_in_set(kind) {
                return Err(too_many(kind, count));
            }
        }
        COLORS.into_iter().try_for_each(|color| self.check_pawns(color))?;
        let waiting = opponent(self.side);
        if self.states.current().in_check(waiting) {
            return Err(SfenError::KingCanBeCaptured(NAMES[waiting]));
        }
        Ok(())
    }

    fn check_pawns(&self, color: Color) -> Result<(), SfenError> {
        let pawns = self.kind_of(PieceKind::Pawn, color);
        for file in 0..9 {
            if (pawns & Bitboard::file(file)).several() {
                return Err(SfenError::TwoPawns { color: NAMES[color], file: file + 1 });
            }
        }
        Ok(())
    }

    /// One more rule for positions of games: every piece can move again.
    fn check_movable(&self) -> Result<(), SfenError> {
        for color in COLORS {
            let stuck_of = |kind| for_side!(color, S => self.kind_of(kind, color) & S::dead_ends(kind));
            let stuck = stuck_of(PieceKind::Pawn) | stuck_of(PieceKind::Lance) | stuck_of(PieceKind::Knight);
            if let Some(sq) = stuck.first() {
                return Err(SfenError::NoFurtherMove(Square::from(sq).to_usi_owned()));
            }
        }
        Ok(())
    }
}

type Cells = [Cell; Sq::COUNT];

/// The board and the hands of a position of `shogi_core`.
fn pieces(core: &PartialPosition) -> Result<(Cells, ByColor<HandCounts>), SfenError> {
    let mut cells = [Cell::EMPTY; Sq::COUNT];
    for square in Square::all() {
        cells[square.array_index()] = core.piece_at(square).map_or(Cell::EMPTY, Cell::from);
    }
    let mut hands = ByColor::both(HandCounts::NONE);
    for (color, kind) in COLORS.into_iter().flat_map(|color| HAND_KINDS.map(|kind| (color, kind))) {
        let count = usize::from(core.hand_of_a_player(color).count(kind).unwrap_or(0));
        if count > pieces_in_set(kind) {
            return Err(too_many(kind, count));
        }
        hands[color] = (0..count).fold(hands[color], |hand, _| hand.with(kind));
    }
    Ok((cells, hands))
}

fn too_many(kind: PieceKind, count: usize) -> SfenError {
    SfenError::TooMany { kind: kind.to_usi_owned(), count, limit: pieces_in_set(kind) }
}

/// The parser of `shogi_usi_parser` stops silently at an unknown letter and adds counts modulo 256:
/// check first.
fn check_hands(text: &str) -> Result<(), SfenError> {
    let malformed = |reason: String| SfenError::Malformed { field: "hands", token: text.to_owned(), reason };
    if text == "-" {
        return Ok(());
    }
    let mut digits = String::new();
    for letter in text.chars() {
        if letter.is_ascii_digit() {
            digits.push(letter);
            continue;
        }
        let place = HAND_LETTERS.find(letter.to_ascii_uppercase());
        let Some(&kind) = place.and_then(|place| HAND_KINDS.get(place)) else {
            return Err(malformed(format!("`{}` is not a piece that can be held", excerpt(&letter.to_string()))));
        };
        let count = if digits.is_empty() { Some(1) } else { digits.parse().ok() };
        match count {
            Some(1..=18) => {}
            Some(count) => return Err(too_many(kind, count)),
            None => return Err(malformed(format!("`{}` is no count of pieces", excerpt(&digits)))),
        }
        digits.clear();
    }
    if digits.is_empty() { Ok(()) } else { Err(malformed(format!("no piece follows `{}`", excerpt(&digits)))) }
}

/// All that a position stores about its pieces, computed anew.
fn computed(cells: Cells, hands: ByColor<HandCounts>, side: Color) -> Result<(Board, StateInfo), SfenError> {
    let mut board = Board { cells, ..Board::EMPTY };
    let mut state = StateInfo::EMPTY;
    state.fields.hands = hands;
    state.fields.board_key = if side == Color::White { SIDE_KEY } else { 0 };
    for (sq, cell) in Sq::all().zip(cells).filter(|(_, cell)| !cell.is_empty()) {
        if cell.is_kind(PieceKind::King) {
            let king = &mut state.fields.kings[cell];
            if *king != Sq::NONE {
                return Err(SfenError::TwoKings(NAMES[cell]));
            }
            *king = sq;
        }
        board.by_color[cell] |= Bitboard::of(sq);
        board.by_kind[cell] |= Bitboard::of(sq);
        state.fields.board_key ^= piece_key(cell, sq);
    }
    for (color, hand) in hands.iter() {
        HAND_KINDS.into_iter().for_each(|kind| state.fields.hand_key ^= hand_key(color, kind, hand.count(kind)));
    }
    let occupied = board.by_color[Color::Black] | board.by_color[Color::White];
    for sq in occupied {
        let cell = cells[sq.index()];
        let attacked = BitboardPair::for_color_of(cell, attacks(cell, sq, occupied));
        state.effects = state.effects.counted(attacked, BitboardPair::EMPTY);
    }
    Ok((board, state))
}

impl Position {
    /// Panics if a cached field does not fit the cells and the hands, which is a bug of this crate.
    /// Debug builds call it after every move.
    pub fn validate(&self) {
        let StateInfo { effects, fields } = self.states.current();
        let (board, state) = computed(self.board.cells, fields.hands, self.side).expect("one king a side at most");
        assert_eq!(self.board.by_color, board.by_color, "bitboards by colour");
        assert_eq!(self.board.by_kind, board.by_kind, "bitboards by kind");
        assert_eq!(fields.kings, state.fields.kings, "king squares");
        assert_eq!(fields.board_key, state.fields.board_key, "board key");
        assert_eq!(fields.hand_key, state.fields.hand_key, "hand key");
        assert!(*effects == state.effects, "effect counts in {}", self.to_sfen());
        assert!(
            !self.states.current().in_check(opponent(self.side)),
            "the side that has moved left its king in check: {}",
            self.to_sfen()
        );
    }
}
