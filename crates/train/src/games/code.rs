//! A game in bits: a move as a choice among the possible ones, a score as a difference.

use anyhow::{Context as _, Result, ensure};
use kiki_board::{Bitboard, Color, HAND_KINDS, Move, PackedSfen, PieceKind, Position, Sq, opponent};

use super::bits::{CodeReader, CodeWriter, rice_bits};
use super::game::{GamePart, GamePly, PlySource, RecordRule, SelfPlayEnding, TrainingGame};
use crate::psv::TrainingRecord;

/// Bits of the Rice parameter of the scores.
const LOW_BITS: u32 = 4;
/// What follows in a part: plies of a source, which the number of its variant codes.
const SOURCES: [PlySource; 3] = [PlySource::Unsearched, PlySource::Drawn, PlySource::Best];
/// The code of the end of a part.
const END: u32 = 3;

/// Encodes a game; `None` stands for one that is left out because it repeats an earlier one.
/// Illegal moves are refused.
pub fn encode(game: Option<&TrainingGame>) -> Result<Vec<u8>> {
    let mut bits = CodeWriter::default();
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

fn encode_part(bits: &mut CodeWriter, part: &GamePart) -> Result<()> {
    let mut position = part.position().context("the first position")?;
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
        bits.push(run[0].source as u32, 2);
        bits.push_count(run.len() as u32);
        for ply in run {
            check_legal(&position, ply.mv)?;
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

fn check_legal(position: &Position, mv: Move) -> Result<()> {
    ensure!(position.is_legal(mv), "the move {mv} is illegal in the position {}", position.to_sfen());
    Ok(())
}

/// Reads the games of a block, or their records.
pub struct BlockGames<'a> {
    bits: CodeReader<'a>,
}

impl<'a> BlockGames<'a> {
    /// `bytes` are those that [`super::GameFile::read`] returns.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bits: CodeReader::new(bytes) }
    }

    /// The records of the next game, empty for a game that is left out; `None` at the end.
    pub fn next_records(&mut self, rule: RecordRule) -> Result<Option<Vec<TrainingRecord>>> {
        let mut records = Vec::new();
        let game = self.next(|position, ply, ending| records.extend(rule.record(position, ply, ending)))?;
        Ok(game.map(|_| records))
    }

    /// The next game: `Some(None)` for one that is left out, `None` at the end.
    pub fn next_game(&mut self) -> Result<Option<Option<TrainingGame>>> {
        self.next(|_, _, _| {})
    }

    fn next(&mut self, show: impl FnMut(&Position, GamePly, SelfPlayEnding)) -> Result<Option<Option<TrainingGame>>> {
        if self.bits.is_at_end() { Ok(None) } else { decode(&mut self.bits, show).map(Some) }
    }
}

/// Reads a game; `None` if it was left out. Calls `show` with the position before each ply, the ply
/// and the ending of the game, also before an error.
fn decode(
    bits: &mut CodeReader<'_>,
    mut show: impl FnMut(&Position, GamePly, SelfPlayEnding),
) -> Result<Option<TrainingGame>> {
    let code = bits.read(3);
    let game = if code == 0 {
        None
    } else {
        let winner = bits.read(2);
        let ending = SelfPlayEnding::of_codes(code, winner)
            .with_context(|| format!("an ending numbered {code} with a winner numbered {winner}"))?;
        let mut parts = vec![decode_part(bits, |position, ply| show(position, ply, ending))?];
        while bits.read(1) == 1 {
            parts.push(decode_part(bits, |position, ply| show(position, ply, ending))?);
        }
        Some(TrainingGame { parts, ending })
    };
    ensure!(bits.end_byte(), "the bytes end within a game");
    Ok(game)
}

fn decode_part(bits: &mut CodeReader<'_>, mut show: impl FnMut(&Position, GamePly)) -> Result<GamePart> {
    let start = (bits.read(1) == 1).then(|| (PackedSfen(bits.read_bytes()), bits.read(16) as u16));
    let mut part = GamePart { start, plies: Vec::new() };
    let mut position = part.position().context("the first position")?;
    let low = bits.read(LOW_BITS);
    let mut scores = Scores::default();
    while let Some(&source) = SOURCES.get(bits.read(2) as usize) {
        let no_meaning = |position: &Position| format!("a code without meaning in the position {}", position.to_sfen());
        for _ in 0..bits.read_count().with_context(|| no_meaning(&position))? {
            let mv = read_move(bits, &position).with_context(|| no_meaning(&position))?;
            check_legal(&position, mv)?;
            let score = match source {
                PlySource::Unsearched => 0,
                _ => scores.score(position.side_to_move(), bits.read_rice(low)),
            };
            let ply = GamePly { mv, source, score };
            show(&position, ply);
            part.plies.push(ply);
            position.make(mv);
        }
    }
    Ok(part)
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
        side = opponent(side);
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
fn push_move(bits: &mut CodeWriter, position: &Position, mv: Move) {
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
fn read_move(bits: &mut CodeReader<'_>, position: &Position) -> Option<Move> {
    let own = position.pieces_of(position.side_to_move());
    let pieces = own.count() + held(position).count() as u32;
    let number = bits.read_below(pieces.max(1));
    let square = |bits: &mut CodeReader<'_>, targets: Bitboard| {
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
