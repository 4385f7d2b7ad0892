//! The positions to study: those in which the player lost most or missed a mate, as questions.

use std::collections::{HashMap, HashSet};

use kiki_analysis::report::{GameReport, LineReport, ValueReport};
use kiki_judgement::Thresholds;
use kiki_reasons::ToldReason;
use serde::Serialize;

use crate::moves::{Circumstance, Turn};
use crate::reason_class::ReasonClass;

/// Maximum number of questions, apart from practice.
pub const MOST_QUESTIONS: usize = 20;
/// Practice fills a group up to this number of questions.
pub const MOST_OF_GROUP: usize = 8;
/// The same for missed mates, which the page lists.
const MOST_MATES: usize = 20;
/// Maximum number of questions from one game, while other games have some.
const MOST_OF_GAME: usize = 3;
/// Minimum distance of two questions of a game in plies: close positions often ask the same.
const LEAST_PLIES: usize = 10;
/// Number of moves shown of a line.
const LINE_MOVES: usize = 8;

/// A position with the moves whose values are known.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Question {
    /// The name of the game.
    pub game: String,
    /// Its index.
    #[serde(skip)]
    pub number: usize,
    /// The page of the game, in the folder of the report.
    pub page: Option<String>,
    pub black: String,
    pub white: String,
    pub start_time: String,
    /// Number of moves before the position.
    pub ply: usize,
    pub sfen: String,
    /// The move before it, in USI.
    pub last_move: Option<String>,
    /// The winning probability of the player before the move.
    pub win: f64,
    /// What the played move lost of it.
    pub loss: f64,
    /// Plies of the mate that the move missed.
    pub missed_mate: Option<i32>,
    /// Why the move is bad, if that was found.
    pub reason: Option<ToldReason>,
    /// Its groups, one of each grouping at most, and the class of its reason.
    pub groups: Vec<QuestionGroup>,
    /// Whether it is asked only to practise one of its groups.
    pub only_practice: bool,
    /// The engine's lines, the best one first, and the played move.
    pub candidates: Vec<QuizMove>,
}

/// A group that the played move belongs to.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct QuestionGroup {
    pub grouping: &'static str,
    pub group: String,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct QuizMove {
    /// In USI.
    #[serde(rename = "move")]
    pub mv: String,
    pub japanese: String,
    pub western: String,
    pub played: bool,
    /// Whether it loses less than an inaccuracy; where a mate was missed, whether it mates.
    pub right: bool,
    /// Centipawns for the player; `None` for a mate.
    pub cp: Option<i32>,
    /// Plies to mate for the player.
    pub mate: Option<i32>,
    /// The winning probability of the player.
    pub win: f64,
    /// The line that the engine expects, in USI; empty if it told none.
    pub pv: Vec<String>,
    pub pv_japanese: Vec<String>,
    pub pv_western: Vec<String>,
}

impl QuestionGroup {
    pub(crate) fn of(circumstance: &Circumstance) -> Self {
        Self { grouping: circumstance.grouping.key(), group: circumstance.key.clone() }
    }

    /// The moves that are bad for reasons of a class.
    pub(crate) fn of_class(class: ReasonClass) -> Self {
        Self { grouping: "reason", group: class.key().to_owned() }
    }
}

impl Question {
    /// A question about a turn of game `number`; `None` if the move was no mistake and missed no
    /// mate, the engine told no better one, or the search for its reason finds nothing wrong.
    pub fn new(
        game: &GameReport,
        number: usize,
        turn: &Turn<'_>,
        circumstances: &[Circumstance],
        thresholds: &Thresholds,
    ) -> Option<Self> {
        let missed_mate = turn.missed_mate();
        let is_mistake = turn.is_marked() && !turn.is_sound();
        let loss = turn.judged.loss.filter(|_| is_mistake || missed_mate.is_some())?;
        let win = turn.win_before()?;
        let candidate = |[mv, japanese, western]: [&str; 3], value: &ValueReport, line: [&[String]; 3]| {
            let [pv, pv_japanese, pv_western] = line.map(|line| line.iter().take(LINE_MOVES).cloned().collect());
            QuizMove {
                mv: mv.to_owned(),
                japanese: japanese.to_owned(),
                western: western.to_owned(),
                played: mv == turn.played.mv,
                right: match missed_mate {
                    Some(_) => value.mate.is_some_and(|plies| plies > 0),
                    None => win - turn.win(value.win_black) < thresholds.inaccuracy,
                },
                cp: value.cp_mover,
                mate: value.mate,
                win: turn.win(value.win_black),
                pv,
                pv_japanese,
                pv_western,
            }
        };
        let of_line = |line: &LineReport| {
            let [japanese, western] =
                [&line.pv_japanese, &line.pv_western].map(|line| line.first().map_or("", String::as_str));
            candidate([&line.mv, japanese, western], &line.value, [&line.pv, &line.pv_japanese, &line.pv_western])
        };
        let mut candidates: Vec<QuizMove> = turn.search.lines.iter().map(of_line).collect();
        if candidates.iter().all(|candidate| !candidate.played) {
            let (played, judged) = (turn.played, turn.judged);
            let line = [&judged.pv[..], &judged.pv_japanese, &judged.pv_western];
            candidates.push(candidate([&played.mv, &played.japanese, &played.western], &judged.value?, line));
        }
        if candidates.iter().all(|candidate| !candidate.right) {
            return None;
        }
        let ply = turn.position.ply;
        Some(Self {
            game: game.game.head.name.clone(),
            number,
            page: None,
            black: game.game.head.black.clone(),
            white: game.game.head.white.clone(),
            start_time: game.game.head.start_time.clone(),
            ply,
            sfen: turn.position.sfen.clone(),
            last_move: ply.checked_sub(1).and_then(|before| game.game.moves.get(before)).cloned(),
            win,
            loss,
            missed_mate,
            reason: turn.played.reason.clone(),
            groups: circumstances
                .iter()
                .map(QuestionGroup::of)
                .chain(turn.class().map(QuestionGroup::of_class))
                .collect(),
            only_practice: false,
            candidates,
        })
    }
}

/// The questions with the greatest losses, each position once. While other games have questions,
/// one game gives at most three, far apart. Practice questions of these groups follow, and the
/// shortest missed mates.
pub fn chosen(mut questions: Vec<Question>, groups: &[QuestionGroup], thresholds: &Thresholds) -> Vec<Question> {
    questions.sort_by(|a, b| b.loss.total_cmp(&a.loss));
    let mut seen = HashSet::new();
    questions.retain(|question| seen.insert(without_ply(&question.sfen).to_owned()));
    let mut taken: HashMap<String, Vec<usize>> = HashMap::new();
    let is_first = |question: &Question| {
        let plies = taken.entry(question.game.clone()).or_default();
        let is_apart = plies.iter().all(|ply| ply.abs_diff(question.ply) >= LEAST_PLIES);
        let is_taken = is_apart && plies.len() < MOST_OF_GAME;
        plies.extend(is_taken.then_some(question.ply));
        is_taken
    };
    let (mistakes, small): (Vec<Question>, Vec<Question>) =
        questions.into_iter().partition(|question| question.loss >= thresholds.mistake);
    let (mut chosen, others): (Vec<Question>, Vec<Question>) = mistakes.into_iter().partition(is_first);
    chosen.extend(others);
    let mut rest = chosen.split_off(chosen.len().min(MOST_QUESTIONS));
    rest.extend(small);
    chosen.sort_by(|a, b| b.loss.total_cmp(&a.loss));
    let mut asked: HashMap<&QuestionGroup, usize> = HashMap::new();
    for group in groups {
        asked.insert(group, chosen.iter().filter(|question| question.groups.contains(group)).count());
    }
    let mut mates: Vec<(i32, usize)> =
        (0..).zip(&rest).filter_map(|(place, question)| Some((question.missed_mate?, place))).collect();
    mates.sort_unstable();
    let known = chosen.iter().filter(|question| question.missed_mate.is_some()).count();
    let listed: HashSet<usize> = mates.iter().take(MOST_MATES.saturating_sub(known)).map(|&(_, place)| place).collect();
    for (place, question) in rest.into_iter().enumerate() {
        let wanted: Vec<&QuestionGroup> = groups.iter().filter(|group| question.groups.contains(group)).collect();
        if listed.contains(&place) || wanted.iter().any(|group| asked[group] < MOST_OF_GROUP) {
            wanted.into_iter().for_each(|group| *asked.entry(group).or_default() += 1);
            chosen.push(Question { only_practice: true, ..question });
        }
    }
    chosen
}

fn without_ply(sfen: &str) -> &str {
    sfen.rsplit_once(' ').map_or(sfen, |(position, _)| position)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(game: &str, ply: usize, loss: f64) -> Question {
        Question {
            game: game.to_owned(),
            number: 0,
            page: None,
            black: String::new(),
            white: String::new(),
            start_time: String::new(),
            ply,
            sfen: format!("{game} w {ply} - {ply}"),
            last_move: None,
            win: 0.5,
            loss,
            missed_mate: None,
            reason: None,
            groups: Vec::new(),
            only_practice: false,
            candidates: Vec::new(),
        }
    }

    fn places(questions: Vec<Question>) -> Vec<(String, usize)> {
        chosen(questions, &[], &Thresholds::default())
            .into_iter()
            .map(|question| (question.game, question.ply))
            .collect()
    }

    #[test]
    fn games_share_the_questions() {
        let mut all: Vec<Question> = (0..30).map(|ply| question("long", ply, 0.9 - 0.01 * ply as f64)).collect();
        all.push(question("short", 7, 0.11));
        let found = places(all);
        assert_eq!((found.len(), found.last().unwrap().0.as_str()), (MOST_QUESTIONS, "short"));
        // 0, 10 and 20 come first, then the greatest losses of the same game.
        assert_eq!(found[17..19], [("long".to_owned(), 17), ("long".to_owned(), 20)]);
    }

    #[test]
    fn positions_close_to_each_other_come_behind_all_others() {
        let mut all = vec![question("a", 5, 0.9), question("a", 9, 0.8), question("a", 15, 0.7)];
        all.extend((0..18).map(|game| question(&game.to_string(), 5, 0.2)));
        let found = places(all);
        assert_eq!((found.len(), &found[..2]), (MOST_QUESTIONS, &[("a".to_owned(), 5), ("a".to_owned(), 15)][..]));
    }

    #[test]
    fn a_group_that_is_worth_practice_has_questions_of_its_own() {
        let group = |key: &str| QuestionGroup { grouping: "best", group: key.to_owned() };
        let of = |key: &str, game: usize, loss: f64| Question {
            groups: vec![group(key)],
            ..question(&format!("{key}{game}"), 5, loss)
        };
        let mut all: Vec<Question> = (0..30).map(|game| of("drop", game, 0.2)).collect();
        all.extend((0..30).map(|game| of("check", game, 0.5)));
        all.push(of("drop", 30, 0.6));
        let found = chosen(all, &[group("drop")], &Thresholds::default());
        let [drops, practice] = [false, true].map(|only| {
            found.iter().filter(|question| question.only_practice == only && question.groups == [group("drop")]).count()
        });
        assert_eq!((found.len(), drops, practice), (MOST_QUESTIONS + MOST_OF_GROUP - 1, 1, MOST_OF_GROUP - 1));
    }

    #[test]
    fn the_shortest_missed_mates_are_listed_even_if_they_lost_nothing() {
        let missed = |game: usize| Question {
            missed_mate: Some(2 * game as i32 + 1),
            ..question(&game.to_string(), 5, if game == 3 { 0.5 } else { 0.0 })
        };
        let found = chosen((0..30).map(missed).collect(), &[], &Thresholds::default());
        let mut games: Vec<usize> = found.iter().map(|question| question.game.parse().unwrap()).collect();
        assert_eq!((games[0], found[0].only_practice, found[1].only_practice), (3, false, true));
        games.sort_unstable();
        assert_eq!(games, (0..MOST_MATES).collect::<Vec<_>>());
    }

    #[test]
    fn the_same_position_is_asked_once() {
        let twice = Question { loss: 0.3, ..question("a", 5, 0.2) };
        assert_eq!(places(vec![question("a", 5, 0.2), twice]).len(), 1);
    }
}
