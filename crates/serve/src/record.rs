//! Game records in the form of the page: as [`kiki_record::Game`], with moves in USI and their
//! names.

use kiki_board::{Color, Move, Position};
use kiki_judgement::{Candidate, Found, Thresholds, annotate, judge, value_of_played};
use kiki_record::{EndReason, Ending, Game, GameOutcome, PlayedMove, ScoreValue, Variation};
use kiki_text::excerpt;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::facts::{NamedMove, named_line};
use crate::refusal::Refusal;

/// Maximum nesting of variations accepted from a page; records nest less.
const DEEPEST: usize = 100;

/// A game with its variations.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Record {
    pub(crate) black: String,
    pub(crate) white: String,
    pub(crate) event: String,
    pub(crate) site: String,
    pub(crate) start_time: String,
    pub(crate) time_control: String,
    pub(crate) fields: BTreeMap<String, String>,
    /// Before the first move.
    pub(crate) comment: String,
    /// The first position in SFEN.
    pub(crate) start: String,
    pub(crate) search: Option<Search>,
    pub(crate) moves: Vec<Step>,
    pub(crate) variations: Vec<Branch>,
    /// `None` if unknown.
    pub(crate) outcome: Option<GameOutcome>,
    pub(crate) reason: Option<EndReason>,
    pub(crate) remark: String,
    /// Time spent before the end.
    pub(crate) ending_milliseconds: Option<u64>,
}

/// A move and what is said about it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Step {
    /// In USI.
    #[serde(rename = "move")]
    mv: String,
    /// The names of the move; ignored if a page sends them.
    #[serde(default)]
    japanese: String,
    #[serde(default)]
    western: String,
    #[serde(default)]
    comment: String,
    #[serde(default)]
    milliseconds: Option<u64>,
    #[serde(default)]
    score: Option<ScoreValue>,
    #[serde(default)]
    depth: Option<u32>,
    #[serde(default)]
    nodes: Option<u64>,
    /// The moves expected after this one, in USI.
    #[serde(default)]
    pv: Vec<String>,
    #[serde(default)]
    search: Option<Search>,
}

/// What the engine found in a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Search {
    /// From Black's view.
    value: ScoreValue,
    depth: Option<u32>,
    nodes: Option<u64>,
    /// The best line in USI; empty if the engine resigned or declared a win.
    moves: Vec<String>,
}

/// A variation that leaves its line after `after` moves.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Branch {
    after: usize,
    moves: Vec<Step>,
    #[serde(default)]
    variations: Vec<Branch>,
    #[serde(default)]
    ending: Option<BranchEnd>,
}

/// How a variation ends.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct BranchEnd {
    outcome: Option<GameOutcome>,
    reason: Option<EndReason>,
    remark: String,
    milliseconds: Option<u64>,
}

impl BranchEnd {
    fn new(ending: &Ending) -> Option<Self> {
        let Ending { outcome, reason, ref remark, time_ms } = *ending;
        let outcome = (outcome != GameOutcome::Unknown).then_some(outcome);
        ending.is_known().then(|| Self { outcome, reason, remark: remark.clone(), milliseconds: time_ms })
    }

    fn ending(&self) -> Ending {
        let Self { outcome, reason, ref remark, milliseconds } = *self;
        Ending { outcome: outcome.unwrap_or_default(), reason, remark: remark.clone(), time_ms: milliseconds }
    }
}

impl Record {
    /// The record of a game. An illegal move ends its line; no reader returns one.
    pub(crate) fn of_game(game: &Game) -> Result<Self, Refusal> {
        let first = first_position(game.root.as_deref())?;
        Ok(Self {
            black: game.black.clone(),
            white: game.white.clone(),
            event: game.event.clone(),
            site: game.site.clone(),
            start_time: game.start_time.clone(),
            time_control: game.time_control.clone(),
            fields: game.fields.clone(),
            comment: game.comment.clone(),
            start: game.root.clone().unwrap_or_else(|| first.to_sfen()),
            search: None,
            moves: steps(&first, &game.moves),
            variations: branches(&first, &game.moves, &game.variations),
            outcome: (game.outcome != GameOutcome::Unknown).then_some(game.outcome),
            reason: game.reason,
            remark: game.remark.clone(),
            ending_milliseconds: game.ending_time_ms,
        })
    }

    /// The game of the record, with what the engine found in its positions. Refuses what breaks the
    /// rules, and variations beyond the end of their line.
    pub(crate) fn game(&self) -> Result<Game, Refusal> {
        let even = Position::startpos().to_sfen();
        let root = (!self.start.is_empty() && self.start != even).then(|| self.start.clone());
        let mut position = first_position(root.as_deref())?;
        let (moves, variations) = line(&mut position, self.search.as_ref(), &self.moves, &self.variations, 0)?;
        Ok(Game {
            black: self.black.clone(),
            white: self.white.clone(),
            event: self.event.clone(),
            site: self.site.clone(),
            start_time: self.start_time.clone(),
            time_control: self.time_control.clone(),
            fields: self.fields.clone(),
            comment: self.comment.clone(),
            root,
            moves,
            variations,
            outcome: self.outcome.unwrap_or_default(),
            reason: self.reason,
            remark: self.remark.clone(),
            ending_time_ms: self.ending_milliseconds,
            stops_without_end: false,
        })
    }
}

fn first_position(root: Option<&str>) -> Result<Position, Refusal> {
    let position = root.map_or_else(|| Ok(Position::startpos()), Position::from_diagram);
    position.map_err(|error| format!("the first position cannot be set up: {error}").into())
}

fn steps(first: &Position, moves: &[PlayedMove]) -> Vec<Step> {
    let line: Vec<Move> = moves.iter().map(|played| played.mv).collect();
    let named = named_line(first, &line);
    let step = |(NamedMove { mv, japanese, western }, played): (NamedMove, &PlayedMove)| Step {
        mv,
        japanese,
        western,
        comment: played.comment.clone(),
        milliseconds: played.time_ms,
        score: played.score,
        depth: played.depth,
        nodes: played.nodes,
        pv: played.pv.iter().map(ToString::to_string).collect(),
        search: None,
    };
    named.into_iter().zip(moves).map(step).collect()
}

/// The variations of the line that begins at `first`, in order.
fn branches(first: &Position, moves: &[PlayedMove], variations: &[Variation]) -> Vec<Branch> {
    let branch = |variation: &Variation| {
        let mut position = first.clone();
        for played in moves.iter().take(variation.after) {
            position.make(played.mv);
        }
        Branch {
            after: variation.after,
            moves: steps(&position, &variation.moves),
            variations: branches(&position, &variation.moves, &variation.variations),
            ending: BranchEnd::new(&variation.ending),
        }
    };
    variations.iter().map(branch).collect()
}

/// The moves of a line and its variations, with what the engine found: `search` before the first
/// move. Restores the position.
fn line(
    position: &mut Position,
    search: Option<&Search>,
    steps: &[Step],
    branches: &[Branch],
    depth: usize,
) -> Result<(Vec<PlayedMove>, Vec<Variation>), Refusal> {
    if depth > DEEPEST {
        return Err(format!("the variations are nested more than {DEEPEST} deep").into());
    }
    let mut branches: Vec<&Branch> = branches.iter().collect();
    branches.sort_by_key(|branch| branch.after);
    let mut branches = branches.into_iter().peekable();
    let (mut moves, mut variations) = (Vec::new(), Vec::new());
    let searches: Vec<_> = [search].into_iter().chain(steps.iter().map(|step| step.search.as_ref())).collect();
    let mut found = Vec::new();
    for (count, search) in searches.iter().enumerate() {
        while let Some(branch) = branches.next_if(|branch| branch.after == count) {
            let (moves, variations_of) = line(position, *search, &branch.moves, &branch.variations, depth + 1)?;
            let ending = branch.ending.as_ref().map(BranchEnd::ending).unwrap_or_default();
            variations.push(Variation { after: count, moves, variations: variations_of, ending });
        }
        let Some(step) = steps.get(count) else { break };
        let played = step.played(position)?;
        found.push(search.map(|search| search.found(position, played.mv, step.search.as_ref())).transpose()?);
        position.make(played.mv);
        moves.push(played);
    }
    if let Some(last) = searches.last().copied().flatten() {
        found.push(Some(last.lines(position).map(|lines| Found {
            best: None,
            lines,
            played: None,
            judgement: None,
        })?));
    }
    for _ in &moves {
        position.unmake();
    }
    // Other moves than the first of a variation are beside it, not below it.
    if let Some(Some(first)) = found.first_mut().filter(|_| depth > 0) {
        first.lines.clear();
    }
    annotate(position, &mut moves, &mut variations, &found);
    match branches.next() {
        Some(Branch { after, .. }) => {
            Err(format!("a variation leaves its line after {after} moves, where there are none").into())
        }
        None => Ok((moves, variations)),
    }
}

/// The moves of a line in USI.
fn legal<'a>(position: &Position, line: impl IntoIterator<Item = &'a String>) -> Result<Vec<Move>, Refusal> {
    let mut position = position.clone();
    let play = |text: &String| {
        let mv = position.parse_move(text).map_err(|_| format!("the move `{}` is illegal", excerpt(text)))?;
        position.make(mv);
        Ok(mv)
    };
    line.into_iter().map(play).collect()
}

impl Search {
    /// The value for a side.
    fn value_for(&self, side: Color) -> ScoreValue {
        if side == Color::Black { self.value } else { -self.value }
    }

    fn lines(&self, position: &Position) -> Result<Vec<Candidate>, Refusal> {
        let moves = legal(position, &self.moves)?;
        let value = self.value_for(position.side_to_move());
        Ok(vec![Candidate { moves, value, depth: self.depth, nodes: self.nodes }])
    }

    /// What the engine found in a position where `mv` was played; `next` is its search of the next
    /// one.
    fn found(&self, position: &Position, mv: Move, next: Option<&Self>) -> Result<Found, Refusal> {
        let mover = position.side_to_move();
        let lines = self.lines(position)?;
        let firsts = lines.iter().map(|line| (line.moves.first() == Some(&mv), line.value));
        let next = next.map(|next| next.value_for(mover.flip()));
        let played = value_of_played(position, mv, firsts, None, next).map(|(value, ..)| value);
        let legal_moves = position.legal_moves().len();
        let judged = |played| judge(self.value_for(mover), played, legal_moves, &Thresholds::default());
        let best = lines.first().and_then(|line| line.moves.first().copied());
        Ok(Found { best, lines, played, judgement: played.map(judged) })
    }
}

impl Step {
    fn played(&self, position: &Position) -> Result<PlayedMove, Refusal> {
        let mut line = legal(position, std::iter::once(&self.mv).chain(&self.pv))?;
        let pv = line.split_off(1);
        let mv = line.remove(0);
        Ok(PlayedMove {
            mv,
            time_ms: self.milliseconds,
            score: self.score,
            depth: self.depth,
            nodes: self.nodes,
            pv,
            comment: self.comment.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_with_variations_comes_back_from_the_page_whole() {
        let text = "先手：a\n後手：b\n手合割：平手\n*before\n1 ７六歩(77) (0:03/00:00:03)\n*good\n2 ３四歩(33)\n3 ２六歩(27)\n4 投了 (0:05/00:00:05)\n\n\
                    変化：2手\n2 ８四歩(83)\n*solid\n3 ６八銀(79)\n\n変化：3手\n3 ２六歩(27)\n";
        let game = kiki_record::read_records("x.kif", text.as_bytes()).remove(0).unwrap();
        let record = Record::of_game(&game).unwrap();
        assert_eq!(record.moves[0].japanese, "▲７六歩");
        assert_eq!(record.variations[0].moves[1].western, "S-6h");
        let json = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&json).unwrap().game().unwrap(), game);
    }

    #[test]
    fn what_is_no_record_is_refused() {
        let step = |mv: &str| serde_json::from_str::<Step>(&format!(r#"{{"move":"{mv}"}}"#)).unwrap();
        let record = |start: &str, moves: &[&str], variations| Record {
            start: start.to_owned(),
            moves: moves.iter().copied().map(step).collect(),
            variations,
            ..Record::default()
        };
        let refused = |start, moves, variations, reason| {
            let error = record(start, moves, variations).game().unwrap_err();
            assert!(error.text.contains(reason), "{error:?}");
        };
        refused("nonsense", &[][..], Vec::new(), "the first position cannot be set up");
        refused("", &["7g7f", "7g7f"], Vec::new(), "the move `7g7f` is illegal");
        let branch = |after, variations| Branch { after, moves: vec![step("2g2f")], variations, ending: None };
        refused("", &["7g7f"], vec![branch(3, Vec::new())], "after 3 moves, where there are none");
        let nested = (0..=DEEPEST + 1).fold(Vec::new(), |inner, _| vec![branch(0, inner)]);
        refused("", &["7g7f"], nested, "nested more than 100 deep");
    }
}
