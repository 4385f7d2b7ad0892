//! The start position of a game: `PI`, `P1` to `P9`, `P+`, `P-` and the side to move.

use kiki_board::{COLORS, HAND_KINDS, Position, SfenError, Sq, pieces_in_set, unpromoted};
use shogi_core::{Color, Piece, Square};

use super::moves::{code_of_kind, color_of, kind_of_code, sign, square};
use crate::diagram::Diagram;
use crate::error::ReadProblem;
use crate::game::position_of;
use crate::header::root_unless_even;

const RANK: &str = "a rank of nine squares, each like +FU, -FU or *";
const PIECES: &str = "a list of pieces like 55FU, 00FU or 00AL";

/// Collects the position lines of a record. A record without any starts from the initial position.
#[derive(Default)]
pub(super) struct CsaSetup {
    diagram: Diagram,
    has_lines: bool,
}

impl CsaSetup {
    pub(super) fn set_side(&mut self, side: Color) {
        self.diagram.core.side_to_move_set(side);
    }

    pub(super) fn read(&mut self, line: &str) -> Result<(), ReadProblem> {
        self.has_lines = true;
        let squeezed: Vec<u8> = line.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
        let done = match squeezed.as_slice() {
            [b'P', b'I', taken @ ..] => self.start_without(taken).ok_or(PIECES),
            [b'P', b'+', pieces @ ..] => self.add(pieces, Color::Black).ok_or(PIECES),
            [b'P', b'-', pieces @ ..] => self.add(pieces, Color::White).ok_or(PIECES),
            [b'P', rank @ b'1'..=b'9', squares @ ..] => self.set_rank(usize::from(rank - b'1'), squares).ok_or(RANK),
            _ => Err("a position line: PI, P1 to P9, P+ or P-"),
        };
        done.map_err(|expected| ReadProblem::malformed(line, expected))
    }

    fn start_without(&mut self, taken: &[u8]) -> Option<()> {
        self.diagram.set_initial_board();
        for entry in entries(taken)? {
            let &[file, rank, code @ ..] = entry;
            let square = square(file, rank)?.into();
            let found = self.diagram.core.piece_at(square)?;
            self.diagram.core.piece_set(square, None);
            (found.piece_kind() == kind_of_code(&code)?).then_some(())?;
        }
        Some(())
    }

    fn set_rank(&mut self, rank: usize, mut squares: &[u8]) -> Option<()> {
        for file in (0..9).rev() {
            let (piece, rest) = match squares {
                [b'*', rest @ ..] => (None, rest),
                [sign @ (b'+' | b'-'), c1, c2, rest @ ..] => {
                    (Some(Piece::new(kind_of_code(&[*c1, *c2])?, color_of(*sign))), rest)
                }
                _ => return None,
            };
            self.diagram.core.piece_set(Sq::at(file, rank).into(), piece);
            squares = rest;
        }
        squares.is_empty().then_some(())
    }

    /// Adds pieces to the board or, at `00`, to the hand of a side. `00AL` adds the rest of the set
    /// to the hand.
    fn add(&mut self, pieces: &[u8], side: Color) -> Option<()> {
        for entry in entries(pieces)? {
            match entry {
                b"00AL" => self.add_the_rest(side)?,
                [b'0', b'0', code @ ..] => self.diagram.hold(side, kind_of_code(code)?, 1)?,
                [file, rank, code @ ..] => {
                    let (piece, square) = (Piece::new(kind_of_code(code)?, side), square(*file, *rank)?.into());
                    self.diagram.core.piece_at(square).is_none().then_some(())?;
                    self.diagram.core.piece_set(square, Some(piece));
                }
            }
        }
        Some(())
    }

    fn add_the_rest(&mut self, side: Color) -> Option<()> {
        for kind in HAND_KINDS {
            let core = &self.diagram.core;
            let pieces = Square::all().filter_map(|square| core.piece_at(square));
            let on_board = pieces.filter(|piece| unpromoted(piece.piece_kind()) == kind).count();
            let held = COLORS.map(|color| core.hand_of_a_player(color).count(kind).map_or(0, usize::from));
            let left = pieces_in_set(kind).saturating_sub(on_board + held.iter().sum::<usize>());
            self.diagram.hold(side, kind, left as u32)?;
        }
        Some(())
    }

    /// The position, and its SFEN unless it is the initial position.
    pub(super) fn position(&mut self) -> Result<(Position, Option<String>), SfenError> {
        if !self.has_lines {
            self.diagram.set_initial_board();
        }
        let root = root_unless_even(self.diagram.sfen());
        Ok((position_of(root.as_deref())?, root))
    }
}

fn entries(pieces: &[u8]) -> Option<&[[u8; 4]]> {
    let (entries, rest) = pieces.as_chunks();
    rest.is_empty().then_some(entries)
}

/// Writes all position lines. Every square takes three letters, because old programs expect that.
pub(super) fn write_position(out: &mut String, position: &Position) {
    if root_unless_even(position.to_sfen()).is_none() {
        out.push_str("PI\n+\n");
        return;
    }
    for rank in 0..9 {
        out.push('P');
        out.push(char::from(b'1' + rank as u8));
        for file in (0..9).rev() {
            match position.cell(Sq::at(file, rank)).piece() {
                None => out.push_str(" * "),
                Some(piece) => {
                    out.push(sign(piece.color()));
                    out.push_str(code_of_kind(piece.piece_kind()));
                }
            }
        }
        out.push('\n');
    }
    for color in COLORS {
        let hand = position.hand(color);
        if hand.is_empty() {
            continue;
        }
        out.push('P');
        out.push(sign(color));
        for kind in HAND_KINDS {
            for _ in 0..hand.count(kind) {
                out.push_str("00");
                out.push_str(code_of_kind(kind));
            }
        }
        out.push('\n');
    }
    out.push(sign(position.side_to_move()));
    out.push('\n');
}
