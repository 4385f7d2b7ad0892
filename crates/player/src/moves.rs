//! The player's judged moves and their circumstances.

use anyhow::{Context as _, Result};
use kiki_analysis::judgement::{Judgement, Mark};
use kiki_analysis::report::{GameReport, JudgedReport, PlayedReport, PositionReport, SearchReport};
use kiki_board::{Color, Move, PieceKind, Position};

use crate::opening::Opening;
use crate::words::Words;

/// Plies that belong to the opening at most.
pub const OPENING_PLIES: usize = 30;
/// Number of a side's pieces in the other camp, pawns not counted, that begin the endgame.
pub const INVADERS: u32 = 2;
/// A winning probability from which on a side is ahead; the other one is behind.
pub const AHEAD: f64 = 0.65;
/// Seconds at which the groups of time begin.
pub const SECONDS: [u64; 4] = [0, 5, 30, 120];

/// What moves are grouped by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "the names say it; docs/player.md tells more")]
pub enum Grouping {
    Opening,
    Phase,
    Color,
    Time,
    Standing,
    Best,
}

/// A group of a grouping.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Circumstance {
    /// The grouping.
    pub grouping: Grouping,
    /// The place among its groups.
    pub place: usize,
    /// The name in JSON.
    pub key: String,
    /// The name for people.
    pub words: Words,
}

/// A judged move of the player.
#[derive(Clone, PartialEq, Debug)]
pub struct PlayerMove {
    /// The place of the game.
    pub game: usize,
    /// Number of moves before it.
    pub ply: usize,
    /// Loss and mark.
    pub judgement: Judgement,
    /// Whether it is the engine's own choice.
    pub is_best: bool,
    /// The groups that it belongs to, one of each grouping at most.
    pub circumstances: Vec<Circumstance>,
}

impl PlayerMove {
    /// Whether it is a mistake or a blunder.
    pub fn is_mistake(&self) -> bool {
        self.judgement.mark >= Some(Mark::Mistake)
    }
}

/// A position in which the player moved, with what the engine says.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// The position.
    pub position: &'a PositionReport,
    /// The move that was played.
    pub played: &'a PlayedReport,
    /// What the engine found.
    pub search: &'a SearchReport,
    /// The judgement of the move.
    pub judged: &'a JudgedReport,
}

/// The positions of a game in which the player moved and the engine told a value; `is_turn` tells them by their plies.
pub fn turns(game: &GameReport, is_turn: impl Fn(usize) -> bool) -> impl Iterator<Item = Turn<'_>> {
    game.positions.iter().filter(move |position| is_turn(position.ply)).filter_map(|position| {
        let search = position.searches.first()?.as_ref()?;
        Some(Turn { position, played: position.played.as_ref()?, search, judged: search.played.as_ref()? })
    })
}

impl Turn<'_> {
    /// The winning probability of the player, by the value of a line or of the position.
    pub fn win(&self, win_black: f64) -> f64 {
        if self.position.turn == "black" { win_black } else { 1.0 - win_black }
    }

    /// The winning probability before the move.
    pub fn win_before(&self) -> Option<f64> {
        Some(self.win(self.search.value?.win_black))
    }
}

/// The judged moves of the player in a game, the one at place `number`.
///
/// # Errors
/// A position or a move of the report breaks the rules.
pub fn judged_moves(game: &GameReport, number: usize, is_turn: impl Fn(usize) -> bool) -> Result<Vec<PlayerMove>> {
    let line = Line::of(game)?;
    let openings = [Color::Black, Color::White].map(|side| Opening::of(&line.positions[0], &line.moves, side));
    let mut moves = Vec::new();
    for turn in turns(game, is_turn) {
        let JudgedReport { loss: Some(loss), mark, unjudged: None, .. } = *turn.judged else { continue };
        let ply = turn.position.ply;
        let position = &line.positions[ply];
        let opening = &openings[usize::from(position.side_to_move() == Color::White)];
        let circumstances = [
            Some(group(Grouping::Opening, 0, &opening.key, opening.words.clone())),
            Some(phase(ply, line.endgame)),
            Some(color(position.side_to_move())),
            turn.played.milliseconds.map(time),
            turn.win_before().map(standing),
            kind_of_best(position, turn.search),
        ];
        moves.push(PlayerMove {
            game: number,
            ply,
            judgement: Judgement { loss, mark, unjudged: None },
            is_best: turn.played.mv == turn.search.best,
            circumstances: circumstances.into_iter().flatten().collect(),
        });
    }
    Ok(moves)
}

/// The positions of a game.
struct Line {
    moves: Vec<Move>,
    /// Before each move, and the last one.
    positions: Vec<Position>,
    /// The ply from which on it is an endgame.
    endgame: usize,
}

impl Line {
    fn of(game: &GameReport) -> Result<Self> {
        let mut position = Position::from_sfen(&game.game.start).with_context(|| game.game.name.clone())?;
        let mut line = Self { moves: Vec::new(), positions: vec![position.clone()], endgame: usize::MAX };
        for text in &game.game.moves {
            let mv = position.parse_move(text).with_context(|| game.game.name.clone())?;
            position.make(mv);
            line.moves.push(mv);
            line.positions.push(position.clone());
        }
        let is_invaded =
            |position: &Position| [Color::Black, Color::White].iter().any(|&side| invaders(position, side) >= INVADERS);
        line.endgame = line.positions.iter().position(is_invaded).unwrap_or(usize::MAX);
        Ok(line)
    }
}

/// Number of a side's pieces in the other camp. A promoted pawn counts, a pawn does not.
fn invaders(position: &Position, side: Color) -> u32 {
    let pieces = position.pieces_of(side) - position.pieces(PieceKind::Pawn);
    pieces
        .into_iter()
        .map(|square| if side == Color::Black { square } else { square.rotated() })
        .filter(|square| square.rank() < 3)
        .count() as u32
}

fn group(grouping: Grouping, place: usize, key: &str, words: Words) -> Circumstance {
    Circumstance { grouping, place, key: key.to_owned(), words }
}

fn phase(ply: usize, endgame: usize) -> Circumstance {
    let (place, key, ja, en) = match ply {
        _ if ply >= endgame => (2, "endgame", "終盤", "endgame"),
        ..OPENING_PLIES => (0, "opening", "序盤", "opening"),
        _ => (1, "middle", "中盤", "middle game"),
    };
    group(Grouping::Phase, place, key, Words::new(ja, en))
}

fn color(side: Color) -> Circumstance {
    match side {
        Color::Black => group(Grouping::Color, 0, "black", Words::new("先手（下手）", "as Black")),
        Color::White => group(Grouping::Color, 1, "white", Words::new("後手（上手）", "as White")),
    }
}

fn time(milliseconds: u64) -> Circumstance {
    let seconds = milliseconds / 1000;
    let place = SECONDS.iter().rposition(|&from| seconds >= from).unwrap_or(0);
    let (from, to) = (SECONDS[place], SECONDS.get(place + 1));
    let words = match to {
        Some(to) => Words::new(format!("{from}〜{}秒", to - 1), format!("{from} to {} seconds", to - 1)),
        None => Words::new(format!("{from}秒以上"), format!("{from} seconds or more")),
    };
    group(Grouping::Time, place, &format!("from-{from}"), words)
}

fn standing(win: f64) -> Circumstance {
    let (place, key, ja, en) = match win {
        AHEAD.. => (0, "ahead", "優勢", "ahead"),
        _ if win <= 1.0 - AHEAD => (2, "behind", "劣勢", "behind"),
        _ => (1, "even", "互角", "even"),
    };
    group(Grouping::Standing, place, key, Words::new(ja, en))
}

/// The kind of the engine's own choice; `None` if it does not move.
fn kind_of_best(position: &Position, search: &SearchReport) -> Option<Circumstance> {
    let best = position.parse_move(&search.best).ok()?;
    let (place, key, ja, en) = if position.gives_check(best) {
        (0, "check", "王手", "check")
    } else if position.occupied().contains(best.to()) {
        (1, "capture", "駒を取る手", "capture")
    } else if best.is_drop() {
        (2, "drop", "駒を打つ手", "drop")
    } else {
        (3, "quiet", "その他の手", "other move")
    };
    Some(group(Grouping::Best, place, key, Words::new(ja, en)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(circumstances: [Circumstance; 3]) -> [String; 3] {
        circumstances.map(|circumstance| circumstance.key)
    }

    #[test]
    fn phases_end_by_plies_and_by_pieces_in_the_camp() {
        assert_eq!(keys([phase(29, 60), phase(30, 60), phase(60, 60)]), ["opening", "middle", "endgame"]);
        assert_eq!(phase(20, 12).key, "endgame");
        let count = |sfen: &str, side| invaders(&Position::from_sfen(sfen).unwrap(), side);
        let sfen = "4k3+P/3P2S2/9/9/9/9/9/4+b4/4K4 b - 1";
        assert_eq!([count(sfen, Color::Black), count(sfen, Color::White)], [2, 1]);
    }

    #[test]
    fn times_and_standings_have_bounds() {
        assert_eq!(keys([time(4999), time(5000), time(900_000)]), ["from-0", "from-5", "from-120"]);
        assert_eq!(time(900_000).words.en, "120 seconds or more");
        assert_eq!(keys([standing(0.65), standing(0.5), standing(0.35)]), ["ahead", "even", "behind"]);
    }
}
