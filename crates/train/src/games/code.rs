//! A game in bits: a move as a choice among the possible ones, a score as a difference.

use kiki_board::{Bitboard, Color, HAND_KINDS, Move, PackedSfen, PieceKind, Position, Sq, UnpackError};

use super::bits::{BitReader, BitWriter, rice_bits};
use super::game::{GamePart, GamePly, PlacedSfen, PlySource, SelfPlayEnding, TrainingGame};

/// Why bytes are no game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GameError {
    #[error("an ending numbered {0} with a winner numbered {1}")]
    Ending(u32, u32),
    #[error("the first position: {0}")]
    Start(#[from] UnpackError),
    /// A code stands for no number, or no piece can move.
    #[error("a code without meaning in the position {0}")]
    Code(String),
    #[error("the move {mv} is illegal in the position {sfen}")]
    Move { mv: Move, sfen: String },
    #[error("the bytes end within a game")]
    End,
}

/// Bits of the Rice parameter of the scores.
const LOW_BITS: u32 = 4;
/// Codes of what follows in a part: plies of a source, or its end.
const UNSEARCHED: u32 = 0;
const DRAWN: u32 = 1;
const BEST: u32 = 2;
const END: u32 = 3;

fn code_of(source: PlySource) -> u32 {
    match source {
        PlySource::Unsearched => UNSEARCHED,
        PlySource::Drawn => DRAWN,
        PlySource::Best => BEST,
    }
}

fn source_of(code: u32) -> Option<PlySource> {
    match code {
        UNSEARCHED => Some(PlySource::Unsearched),
        DRAWN => Some(PlySource::Drawn),
        BEST => Some(PlySource::Best),
        _ => None,
    }
}

/// Encodes a game; `None` stands for one that is left out because it repeats an earlier one.
/// Illegal moves are refused.
pub fn encode(game: Option<&TrainingGame>) -> Result<Vec<u8>, GameError> {
    let mut bits = BitWriter::default();
    let Some(game) = game else {
        bits.push(0, 3);
        return Ok(bits.finish());
    };
    let (ending, winner) = game.ending.codes();
    bits.push(ending, 3);
    bits.push(winner, 2);
    for (number, part) in game.parts.iter().enumerate() {
        if number > 0 {
            bits.push(1, 1);
        }
        encode_part(&mut bits, part)?;
    }
    bits.push(0, 1);
    Ok(bits.finish())
}

fn encode_part(bits: &mut BitWriter, part: &GamePart) -> Result<(), GameError> {
    let mut position = part.position()?;
    match part.start {
        None => bits.push(0, 1),
        Some((sfen, ply)) => {
            bits.push(1, 1);
            bits.push_bytes(&sfen.0);
            bits.push(ply.into(), 16);
        }
    }
    let low = best_low(part, position.side_to_move());
    bits.push(low, LOW_BITS);
    let mut scores = Scores::default();
    for run in part.plies.chunk_by(|one, next| one.source == next.source) {
        bits.push(code_of(run[0].source), 2);
        bits.push_count(run.len() as u32);
        for ply in run {
            if !position.is_legal(ply.mv) {
                return Err(GameError::Move { mv: ply.mv, sfen: position.to_sfen() });
            }
            push_move(bits, &position, ply.mv);
            if ply.source != PlySource::Unsearched {
                bits.push_rice(scores.difference(position.side_to_move(), ply.score), low);
            }
            position.make(ply.mv);
        }
    }
    bits.push(END, 2);
    Ok(())
}

/// Reads a game. Calls `show` with each part and ply, also with those before an error. Returns the
/// ending; `None` if the game was left out.
pub(super) fn decode(
    bits: &mut BitReader<'_>,
    mut show: impl FnMut(GameView<'_>),
) -> Result<Option<SelfPlayEnding>, GameError> {
    let code = bits.read(3);
    if code == 0 {
        return if bits.next_byte().is_some() { Ok(None) } else { Err(GameError::End) };
    }
    let winner = bits.read(2);
    let ending = SelfPlayEnding::of_codes(code, winner).ok_or(GameError::Ending(code, winner))?;
    loop {
        decode_part(bits, ending, &mut show)?;
        if bits.read(1) == 0 {
            break;
        }
    }
    if bits.next_byte().is_some() { Ok(Some(ending)) } else { Err(GameError::End) }
}

/// What [`decode`] shows.
pub(super) enum GameView<'a> {
    /// A part begins, at this position or the usual one.
    Part(Option<PlacedSfen>),
    /// The position before a ply, the ply, and the ending of the game.
    Ply(&'a Position, GamePly, SelfPlayEnding),
}

fn decode_part(
    bits: &mut BitReader<'_>,
    ending: SelfPlayEnding,
    show: &mut impl FnMut(GameView<'_>),
) -> Result<(), GameError> {
    let start = (bits.read(1) == 1).then(|| (PackedSfen(bits.read_bytes()), bits.read(16) as u16));
    let mut position = GamePart { start, plies: Vec::new() }.position()?;
    show(GameView::Part(start));
    let low = bits.read(LOW_BITS);
    let mut scores = Scores::default();
    while let Some(source) = source_of(bits.read(2)) {
        let no_meaning = |position: &Position| GameError::Code(position.to_sfen());
        for _ in 0..bits.read_count().ok_or_else(|| no_meaning(&position))? {
            let mv = read_move(bits, &position).ok_or_else(|| no_meaning(&position))?;
            if !position.is_legal(mv) {
                return Err(GameError::Move { mv, sfen: position.to_sfen() });
            }
            let score = match source {
                PlySource::Unsearched => 0,
                _ => scores.score(position.side_to_move(), bits.read_rice(low)),
            };
            show(GameView::Ply(&position, GamePly { mv, source, score }, ending));
            position.make(mv);
        }
    }
    Ok(())
}

/// The last score of a part.
#[derive(Default)]
struct Scores {
    for_black: i32,
}

fn for_black(side: Color, score: i32) -> i32 {
    match side {
        Color::Black => score,
        Color::White => -score,
    }
}

impl Scores {
    /// The next score less the last one, for the side to move. 0, -1, 1, -2, 2 .. are coded as
    /// 0, 1, 2, 3, 4 ..
    fn difference(&mut self, side: Color, score: i16) -> u32 {
        let difference = i32::from(score) - for_black(side, self.for_black);
        self.for_black = for_black(side, score.into());
        (difference << 1 ^ difference >> 31).cast_unsigned()
    }

    /// The inverse of [`Scores::difference`].
    fn score(&mut self, side: Color, difference: u32) -> i16 {
        let difference = (difference >> 1).cast_signed() ^ -(difference & 1).cast_signed();
        let score = (for_black(side, self.for_black) + difference) as i16;
        self.for_black = for_black(side, score.into());
        score
    }
}

/// The Rice parameter by which the scores of a part take the fewest bits.
fn best_low(part: &GamePart, first: Color) -> u32 {
    let mut scores = Scores::default();
    let mut side = first;
    let mut differences = Vec::with_capacity(part.plies.len());
    for ply in &part.plies {
        if ply.source != PlySource::Unsearched {
            differences.push(scores.difference(side, ply.score));
        }
        side = kiki_board::opponent(side);
    }
    let bits = |low: u32| differences.iter().map(|&difference| rice_bits(difference, low)).sum::<u32>();
    (0..1 << LOW_BITS).min_by_key(|&low| bits(low)).unwrap_or(0)
}

/// The kinds in hand of the side to move.
fn held(position: &Position) -> impl Iterator<Item = PieceKind> {
    let hand = position.hand(position.side_to_move());
    HAND_KINDS.into_iter().filter(move |&kind| hand.count(kind) > 0)
}

/// Writes the number of the piece: own pieces on the board by square, then kinds in hand. Then the
/// number of the target among its squares. Then whether it promotes, if it may.
fn push_move(bits: &mut BitWriter, position: &Position, mv: Move) {
    let own = position.pieces_of(position.side_to_move());
    let pieces = own.count() + held(position).count() as u32;
    let (number, targets) = match mv.dropped_kind() {
        Some(kind) => {
            let place = held(position).position(|other| other == kind).unwrap_or(0);
            (own.count() + place as u32, position.drop_targets(kind))
        }
        None => (rank_in(own, mv.from()), position.targets(mv.from())),
    };
    bits.push_below(number, pieces);
    bits.push_below(rank_in(targets, mv.to()), targets.count());
    if !mv.is_drop() && position.may_promote(mv.from(), mv.to()) {
        bits.push(mv.is_promotion().into(), 1);
    }
}

/// The inverse of [`push_move`]; `None` if there is no such piece or square.
fn read_move(bits: &mut BitReader<'_>, position: &Position) -> Option<Move> {
    let own = position.pieces_of(position.side_to_move());
    let pieces = own.count() + held(position).count() as u32;
    let number = bits.read_below(pieces.max(1));
    let square = |bits: &mut BitReader<'_>, targets: Bitboard| {
        targets.into_iter().nth(bits.read_below(targets.count().max(1)) as usize)
    };
    if let Some(place) = number.checked_sub(own.count()) {
        let kind = held(position).nth(place as usize)?;
        return Some(Move::drop(kind, square(bits, position.drop_targets(kind))?));
    }
    let from = own.into_iter().nth(number as usize)?;
    let to = square(bits, position.targets(from))?;
    let promotes = position.may_promote(from, to) && bits.read(1) == 1;
    Some(Move::board(from, to, promotes))
}

/// Number of squares of a set before `sq`.
fn rank_in(set: Bitboard, sq: Sq) -> u32 {
    set.into_iter().take_while(|&other| other != sq).count() as u32
}
