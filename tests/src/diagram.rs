//! A second representation of the board: a diagram of pieces on squares, read from SFEN and moved by
//! plain loops.
//!
//! It shares no code with `kiki-board`, so tests can check the 180-degree rotation, effects and
//! exchanges against it.

use kiki_board::Sq;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Man {
    /// The capital letter of SFEN, before any promotion.
    pub letter: char,
    pub promoted: bool,
    pub white: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagram {
    /// By square index.
    cells: [Option<Man>; 81],
    pub white_to_move: bool,
    /// By colour (Black first) and kind in the order of [`HAND`]: the number in hand.
    pub hands: [[usize; 7]; 2],
    pub ply: u32,
}

/// The pieces that can be held, in the order of SFEN.
pub const HAND: [char; 7] = ['R', 'B', 'G', 'S', 'N', 'L', 'P'];

/// Steps of (files, ranks); for Black, rank -1 is forward.
type Steps = &'static [(i32, i32)];

const ORTHOGONAL: Steps = &[(0, -1), (0, 1), (-1, 0), (1, 0)];
const DIAGONAL: Steps = &[(-1, -1), (1, -1), (-1, 1), (1, 1)];
const FORWARD: Steps = &[(0, -1)];
const KNIGHT: Steps = &[(-1, -2), (1, -2)];
const SILVER: Steps = &[(0, -1), (-1, -1), (1, -1), (-1, 1), (1, 1)];
const GOLD: Steps = &[(0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0), (0, 1)];
const KING: Steps = &[(0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0), (0, 1), (-1, 1), (1, 1)];

impl Man {
    /// Single steps, and directions of slides.
    fn gait(self) -> (Steps, Steps) {
        match (self.letter, self.promoted) {
            ('P', false) => (FORWARD, &[]),
            ('L', false) => (&[], FORWARD),
            ('N', false) => (KNIGHT, &[]),
            ('S', false) => (SILVER, &[]),
            ('B', false) => (&[], DIAGONAL),
            ('R', false) => (&[], ORTHOGONAL),
            ('B', true) => (ORTHOGONAL, DIAGONAL),
            ('R', true) => (DIAGONAL, ORTHOGONAL),
            ('K', _) => (KING, &[]),
            _ => (GOLD, &[]),
        }
    }
}

impl Diagram {
    /// Parses a valid SFEN. Panics at any other.
    #[must_use]
    pub fn parse(sfen: &str) -> Self {
        let fields: Vec<&str> = sfen.split(' ').collect();
        let [board, side, hands, ply] = fields[..] else { panic!("not four fields: {sfen}") };
        let mut cells = [None; 81];
        for (rank, row) in board.split('/').enumerate() {
            let mut left = 9;
            let mut promoted = false;
            for letter in row.chars() {
                if let Some(empty) = letter.to_digit(10) {
                    left -= empty as usize;
                } else if letter == '+' {
                    promoted = true;
                } else {
                    left -= 1;
                    let white = letter.is_lowercase();
                    cells[left * 9 + rank] = Some(Man { letter: letter.to_ascii_uppercase(), promoted, white });
                    promoted = false;
                }
            }
            assert_eq!(left, 0, "a row of nine squares: {row}");
        }
        let mut counts = [[0; 7]; 2];
        let mut count = 0;
        for letter in hands.chars().filter(|&letter| letter != '-') {
            if let Some(digit) = letter.to_digit(10) {
                count = count * 10 + digit as usize;
                continue;
            }
            let kind = HAND.iter().position(|&kind| kind == letter.to_ascii_uppercase());
            counts[usize::from(letter.is_lowercase())][kind.expect("a piece in hand")] = count.max(1);
            count = 0;
        }
        let ply = ply.parse().expect("a move number");
        Self { cells, white_to_move: side == "w", hands: counts, ply }
    }

    #[must_use]
    pub fn to_sfen(&self) -> String {
        let rows: Vec<String> = (0..9).map(|rank| self.row(rank)).collect();
        let mut hands = String::new();
        for (color, counts) in self.hands.iter().enumerate() {
            for (&letter, &count) in HAND.iter().zip(counts) {
                if count > 1 {
                    hands += &count.to_string();
                }
                if count > 0 {
                    hands.push(if color == 1 { letter.to_ascii_lowercase() } else { letter });
                }
            }
        }
        if hands.is_empty() {
            hands.push('-');
        }
        let side = if self.white_to_move { 'w' } else { 'b' };
        format!("{} {side} {hands} {}", rows.join("/"), self.ply)
    }

    fn row(&self, rank: usize) -> String {
        let mut row = String::new();
        let mut empty = 0;
        for file in (0..9).rev() {
            let Some(man) = self.cells[file * 9 + rank] else {
                empty += 1;
                continue;
            };
            if empty > 0 {
                row += &empty.to_string();
                empty = 0;
            }
            if man.promoted {
                row.push('+');
            }
            row.push(if man.white { man.letter.to_ascii_lowercase() } else { man.letter });
        }
        if empty > 0 {
            row += &empty.to_string();
        }
        row
    }

    /// The position from the other side: the board turned by 180 degrees, colours, hands and turn
    /// swapped.
    #[must_use]
    pub fn rotated(&self) -> Self {
        let mut cells = self.cells.map(|cell| cell.map(|man| Man { white: !man.white, ..man }));
        cells.reverse();
        let [black, white] = self.hands;
        Self { cells, white_to_move: !self.white_to_move, hands: [white, black], ply: self.ply }
    }

    /// The mirror image: left and right swapped.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let mut cells = self.cells;
        Sq::all().for_each(|sq| cells[Sq::at(8 - sq.file(), sq.rank()).index()] = self.cells[sq.index()]);
        Self { cells, ..self.clone() }
    }

    #[must_use]
    pub fn at(&self, sq: Sq) -> Option<Man> {
        self.cells[sq.index()]
    }

    pub fn set(&mut self, sq: Sq, man: Option<Man>) {
        self.cells[sq.index()] = man;
    }

    /// The squares that the piece on `sq` attacks, own-occupied ones included.
    #[must_use]
    pub fn attacks_from(&self, sq: Sq) -> Vec<Sq> {
        let Some(man) = self.at(sq) else {
            return Vec::new();
        };
        let forward = if man.white { -1 } else { 1 };
        let go = |from: Sq, (files, ranks): (i32, i32)| -> Option<Sq> {
            let file = from.file() as i32 + files * forward;
            let rank = from.rank() as i32 + ranks * forward;
            ((0..9).contains(&file) && (0..9).contains(&rank)).then(|| Sq::at(file as usize, rank as usize))
        };
        let (steps, slides) = man.gait();
        let mut attacked: Vec<Sq> = steps.iter().filter_map(|&step| go(sq, step)).collect();
        for &direction in slides {
            let mut from = sq;
            while let Some(to) = go(from, direction) {
                attacked.push(to);
                if self.at(to).is_some() {
                    break;
                }
                from = to;
            }
        }
        attacked
    }

    /// The squares of the pieces of one colour that attack `to`, lowest index first.
    #[must_use]
    pub fn attackers(&self, to: Sq, white: bool) -> Vec<Sq> {
        Sq::all()
            .filter(|&sq| self.at(sq).is_some_and(|man| man.white == white))
            .filter(|&sq| self.attacks_from(sq).contains(&to))
            .collect()
    }
}
