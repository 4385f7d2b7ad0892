//! Judged moves of the player and of opponents, and their circumstances.

use anyhow::{Context as _, Result};
use kiki_analysis::answer::WIN;
use kiki_analysis::name::Name;
use kiki_analysis::phase::Phase;
use kiki_analysis::report::{GameFacts, GameReport, JudgedReport, PlayedReport, PositionReport, SearchReport};
use kiki_board::{Color, Position, opponent};
use kiki_judgement::{Judgement, Mark};
use strum::IntoStaticStr;

use crate::reason_class::ReasonClass;
use crate::words::Bilingual;

/// Least winning probability of a side that is ahead; the other side is behind.
pub const AHEAD: f64 = 0.65;
/// Lower bounds of the time groups, in seconds.
pub const SECONDS: [u64; 4] = [0, 5, 30, 120];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mover {
    Player,
    Opponent,
}

/// What moves are grouped by. Opening and colour are the player's, even for moves of opponents; the
/// rest belong to the move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Grouping {
    Opening,
    Phase,
    Color,
    Time,
    Standing,
    Best,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Circumstance {
    pub grouping: Grouping,
    /// Order within the grouping.
    pub place: usize,
    /// The name in JSON.
    pub key: String,
    pub words: Bilingual,
}

#[derive(Clone, PartialEq, Debug)]
pub struct GroupedMove {
    /// Index of the game.
    pub game: usize,
    /// Number of moves before it.
    pub ply: usize,
    pub judgement: Judgement,
    /// Whether it is the engine's own choice.
    pub is_best: bool,
    /// Its groups, at most one of each grouping.
    pub circumstances: Vec<Circumstance>,
    /// Why it is bad, if that was found.
    pub class: Option<ReasonClass>,
}

impl GroupedMove {
    /// Whether it is a mistake or a blunder.
    pub fn is_mistake(&self) -> bool {
        self.judgement.mark >= Some(Mark::Mistake)
    }
}

/// A position with the move that was played, and what the engine says.
#[derive(Clone, Copy)]
pub struct Turn<'a> {
    pub position: &'a PositionReport,
    pub played: &'a PlayedReport,
    pub search: &'a SearchReport,
    pub judged: &'a JudgedReport,
}

/// The searched positions of a game in which a move was played; `is_turn` selects the plies.
pub fn turns(game: &GameReport, is_turn: impl Fn(usize) -> bool) -> impl Iterator<Item = Turn<'_>> {
    game.positions.iter().filter(move |position| is_turn(position.ply)).filter_map(|position| {
        let search = position.searches.first()?.as_ref()?;
        Some(Turn { position, played: position.played.as_ref()?, search, judged: search.played.as_ref()? })
    })
}

impl Turn<'_> {
    /// Turns Black's winning probability into that of the side to move.
    pub fn win(&self, win_black: f64) -> f64 {
        if self.position.turn == Color::Black { win_black } else { 1.0 - win_black }
    }

    /// The winning probability before the move; `None` without a value.
    pub fn win_before(&self) -> Option<f64> {
        Some(self.win(self.search.value?.win_black))
    }

    /// Plies of the mate that the engine saw before the move.
    pub fn mate_before(&self) -> Option<i32> {
        if self.search.best == WIN {
            // A win that is declared is no mate.
            return None;
        }
        self.search.value?.mate.filter(|&plies| plies > 0)
    }

    /// The same if the engine sees no mate after the move, and the search for a reason does not find
    /// the move sound.
    pub fn missed_mate(&self) -> Option<i32> {
        let after = self.judged.value?.mate;
        self.mate_before().filter(|_| after.is_none_or(|plies| plies <= 0) && !self.is_sound())
    }

    /// Whether the engine's values make it a mistake or a blunder.
    pub fn is_marked(&self) -> bool {
        self.judged.mark >= Some(Mark::Mistake)
    }

    /// Whether the longer search for its reason finds nothing wrong.
    pub fn is_sound(&self) -> bool {
        self.played.reason.as_ref().is_some_and(|reason| reason.pattern == "sound")
    }

    /// Why it is bad, if that was found.
    pub fn class(&self) -> Option<ReasonClass> {
        let told = || ReasonClass::of_pattern(&self.played.reason.as_ref()?.pattern);
        self.missed_mate().map(|_| ReasonClass::MissedMate).or_else(told)
    }
}

/// Judged moves of `mover` in game `number`; `is_turn` selects the plies.
pub fn judged_moves(
    game: &GameReport,
    number: usize,
    mover: Mover,
    is_turn: impl Fn(usize) -> bool,
) -> Result<Vec<GroupedMove>> {
    let mut moves = Vec::new();
    for turn in turns(game, is_turn) {
        let JudgedReport { loss: Some(loss), mark, unjudged: None, .. } = *turn.judged else { continue };
        let PositionReport { ply, ref sfen, turn: side, phase: of_game, .. } = *turn.position;
        let position = Position::from_sfen(sfen).with_context(|| game.game.head.name.clone())?;
        let side = if mover == Mover::Player { side } else { opponent(side) };
        let circumstances = [
            Some(opening(&game.game, side)),
            Some(phase(of_game)),
            Some(color(side)),
            turn.played.milliseconds.map(time),
            turn.win_before().map(standing),
            kind_of_best(&position, turn.search),
        ];
        moves.push(GroupedMove {
            game: number,
            ply,
            judgement: Judgement { loss, mark: mark.filter(|_| !turn.is_sound()), unjudged: None },
            is_best: turn.played.mv == turn.search.best,
            circumstances: circumstances.into_iter().flatten().collect(),
            class: turn.class(),
        });
    }
    Ok(moves)
}

fn group(grouping: Grouping, place: usize, key: &str, words: Bilingual) -> Circumstance {
    Circumstance { grouping, place, key: key.to_owned(), words }
}

/// The opening of a side: the handicap, else its own, else that of both sides, else that of the
/// other one.
fn opening(game: &GameFacts, side: Color) -> Circumstance {
    let even = Name::of_handicap(&Position::startpos().to_sfen());
    let of = |wanted: Option<Color>| game.openings.iter().find(|found| found.side == wanted).map(|found| found.name);
    let named = |name: Name, ja: &str, en: &str| {
        let english = format!("{en}{}", name.english);
        let key = english.to_lowercase().replace(' ', "-");
        group(Grouping::Opening, 0, &key, Bilingual::new(format!("{ja}{}", name.japanese), english))
    };
    let handicap = game.handicap.filter(|&name| Some(name) != even);
    match (handicap.or_else(|| of(Some(side))).or_else(|| of(None)), of(Some(opponent(side)))) {
        (Some(name), _) => named(name, "", ""),
        (None, Some(name)) => named(name, "対", "against "),
        (None, None) => group(Grouping::Opening, 0, "unnamed", Bilingual::new("その他", "no named opening")),
    }
}

fn phase(phase: Phase) -> Circumstance {
    let (place, key, ja, en) = match phase {
        Phase::Opening => (0, "opening", "序盤", "opening"),
        Phase::MiddleGame => (1, "middle_game", "中盤", "middle game"),
        Phase::EndGame => (2, "end_game", "終盤", "end game"),
    };
    group(Grouping::Phase, place, key, Bilingual::new(ja, en))
}

fn color(side: Color) -> Circumstance {
    match side {
        Color::Black => group(Grouping::Color, 0, "black", Bilingual::new("先手（下手）", "as Black")),
        Color::White => group(Grouping::Color, 1, "white", Bilingual::new("後手（上手）", "as White")),
    }
}

fn time(milliseconds: u64) -> Circumstance {
    let seconds = milliseconds / 1000;
    let place = SECONDS.iter().rposition(|&from| seconds >= from).unwrap_or(0);
    let (from, to) = (SECONDS[place], SECONDS.get(place + 1));
    let words = match to {
        Some(to) => Bilingual::new(format!("{from}〜{}秒", to - 1), format!("{from} to {} seconds", to - 1)),
        None => Bilingual::new(format!("{from}秒以上"), format!("{from} seconds or more")),
    };
    group(Grouping::Time, place, &format!("from-{from}"), words)
}

fn standing(win: f64) -> Circumstance {
    let (place, key, ja, en) = match win {
        AHEAD.. => (0, "ahead", "優勢", "ahead"),
        _ if win <= 1.0 - AHEAD => (2, "behind", "劣勢", "behind"),
        _ => (1, "even", "互角", "even"),
    };
    group(Grouping::Standing, place, key, Bilingual::new(ja, en))
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
    Some(group(Grouping::Best, place, key, Bilingual::new(ja, en)))
}

#[cfg(test)]
mod tests {
    use kiki_analysis::game::AnalyzedGame;
    use kiki_analysis::report::{ReportSettings, build};
    use kiki_board::COLORS;
    use kiki_judgement::Thresholds;

    use super::*;

    fn keys(circumstances: [Circumstance; 3]) -> [String; 3] {
        circumstances.map(|circumstance| circumstance.key)
    }

    #[test]
    fn openings_are_seen_from_the_side_that_plays_them() {
        let game = |moves: &str, start: Option<&str>| {
            let root = start.map_or_else(|| "startpos".to_owned(), |start| format!("sfen {start}"));
            let text = format!("{root} moves {moves}\n");
            let record = kiki_record::read_records("x.usi", text.as_bytes()).remove(0).unwrap();
            let game = AnalyzedGame::from_record("x".to_owned(), &record).unwrap();
            let settings = ReportSettings { lines: 1, thresholds: &Thresholds::default(), engines: &[] };
            build(&game, &settings, |_, _| None, |_| None).unwrap().game
        };
        let of = |game: &GameFacts| COLORS.map(|side| opening(game, side).key);
        let fourth_file = game("7g7f 3c3d 2g2f 4c4d 3i4h 8b4b", None);
        assert_eq!(of(&fourth_file), ["against-fourth-file-rook", "fourth-file-rook"]);
        let both = game("7g7f 8c8d 2g2f 8d8e 8h7g 3c3d 7i8h 4a3b 6i7h 2b7g+ 8h7g 3a2b", None);
        assert_eq!(of(&both), ["bishop-exchange", "bishop-exchange"]);
        assert_eq!(of(&game("7g7f", None)), ["unnamed", "unnamed"]);
        let two = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
        assert_eq!(of(&game("6a6b", Some(two))), ["2-piece-handicap", "2-piece-handicap"]);
    }

    #[test]
    fn times_and_standings_have_bounds() {
        assert_eq!(keys([time(4999), time(5000), time(900_000)]), ["from-0", "from-5", "from-120"]);
        assert_eq!(time(900_000).words.en, "120 seconds or more");
        assert_eq!(keys([standing(0.65), standing(0.5), standing(0.35)]), ["ahead", "even", "behind"]);
    }
}
