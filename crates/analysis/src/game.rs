//! The game or line of moves whose positions are searched.

use anyhow::{Context as _, Result, anyhow, ensure};
use kiki_board::{Move, Position};
use kiki_record::{EndReason, Game, GameOutcome, PlayedMove, RecordForm, TextEncoding};
use kiki_usi::{PositionRoot, PositionSpec, set_up};
use serde::{Deserialize, Serialize};

/// What a list says about a game. Unknown texts are empty.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct GameHead {
    /// File name without extension.
    pub name: String,
    pub black: String,
    pub white: String,
    pub event: String,
    pub start_time: String,
    /// `None` if unknown.
    pub outcome: Option<GameOutcome>,
    pub reason: Option<EndReason>,
}

/// A game and its circumstances.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnalyzedGame {
    #[serde(flatten)]
    pub head: GameHead,
    /// More about the end, for people.
    pub remark: String,
    /// The SFEN of the first position.
    pub start: String,
    /// The moves in USI.
    pub moves: Vec<String>,
    /// Milliseconds of each move; empty if unknown. Times that are all 0 count as unknown: programs
    /// without a clock write them.
    pub times: Vec<Option<u64>>,
    /// The whole record as JKF; empty if the game comes from no record.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub record: String,
}

impl AnalyzedGame {
    /// A game of a record. `name` is its file name without extension.
    pub fn from_record(name: String, game: &Game) -> Result<Self> {
        let times: Vec<Option<u64>> = game.moves.iter().map(|played| played.time_ms).collect();
        let is_told = [None, Some(0)].iter().all(|nothing| times.iter().any(|time| time != nothing));
        let record = RecordForm::Jkf.write(std::slice::from_ref(game), TextEncoding::Utf8)?;
        let head = GameHead {
            name,
            black: game.black.clone(),
            white: game.white.clone(),
            event: game.event.clone(),
            start_time: game.start_time.clone(),
            outcome: (game.outcome != GameOutcome::Unknown).then_some(game.outcome),
            reason: game.reason,
        };
        let found = Self {
            head,
            remark: game.remark.clone(),
            start: game.root.clone().unwrap_or_else(|| Position::startpos().to_sfen()),
            moves: game.moves.iter().map(|played| played.mv.to_string()).collect(),
            times: if is_told { times } else { Vec::new() },
            record: String::from_utf8_lossy(&record).into_owned(),
        };
        found.checked()
    }

    /// A position and moves, as in the USI command `position`.
    pub fn from_line(name: String, spec: &PositionSpec) -> Result<Self> {
        let root = PositionSpec { moves: Vec::new(), ..spec.clone() };
        let start = set_up(&root)?.to_sfen();
        let head = GameHead { name, ..GameHead::default() };
        Self { head, start, moves: spec.moves.clone(), ..Self::default() }.checked()
    }

    /// The record of the game, with its comments and variations.
    pub fn recorded(&self) -> Result<Game> {
        if !self.record.is_empty() {
            let mut records = RecordForm::Jkf.read(self.record.as_bytes());
            return Ok(records.pop().context("the record has no game")??);
        }
        let (first, moves) = self.line()?;
        let root = (first.to_sfen() != Position::startpos().to_sfen()).then(|| self.start.clone());
        Ok(Game { root, moves: moves.into_iter().map(PlayedMove::from).collect(), ..Game::default() })
    }

    fn checked(self) -> Result<Self> {
        let (first, moves) = self.line()?;
        let is_over = moves.is_empty() && first.legal_moves().is_empty();
        ensure!(!is_over, "there is no position to search: the game is over before its first move");
        Ok(self)
    }

    /// The first position and the moves.
    pub fn line(&self) -> Result<(Position, Vec<Move>)> {
        let first = set_up(&self.position_spec(0))?;
        let mut position = first.clone();
        let mut moves = Vec::with_capacity(self.moves.len());
        for (number, text) in (1..).zip(&self.moves) {
            let mv = position.parse_move(text).map_err(|error| anyhow!("move {number}: {error}"))?;
            position.make(mv);
            moves.push(mv);
        }
        Ok((first, moves))
    }

    /// The position after `ply` moves, for the USI command `position`.
    #[must_use]
    pub fn position_spec(&self, ply: usize) -> PositionSpec {
        let moves = self.moves.get(..ply).unwrap_or(&self.moves).to_vec();
        PositionSpec { root: PositionRoot::Sfen(self.start.clone()), moves }
    }

    /// The plies whose positions can be searched: all but a last one without a legal move.
    pub fn searchable_plies(&self) -> Result<Vec<usize>> {
        let (mut position, moves) = self.line()?;
        moves.iter().for_each(|&mv| {
            position.make(mv);
        });
        let is_over = position.legal_moves().is_empty();
        Ok((0..moves.len() + usize::from(!is_over)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MATED: &str = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 2";

    fn line(sfen: &str, moves: &[&str]) -> Result<AnalyzedGame> {
        let moves = moves.iter().map(|&mv| mv.to_owned()).collect();
        AnalyzedGame::from_line("line".to_owned(), &PositionSpec { root: PositionRoot::Sfen(sfen.to_owned()), moves })
    }

    #[test]
    fn a_mate_has_no_search_of_its_last_position() {
        let game = line("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", &["G*5b"]).unwrap();
        assert_eq!(game.searchable_plies().unwrap(), [0]);
        assert!(line(MATED, &[]).unwrap_err().to_string().starts_with("there is no position to search"));
        let open = line("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", &[]).unwrap();
        assert_eq!(open.searchable_plies().unwrap(), [0]);
    }

    #[test]
    fn a_record_keeps_comments_and_variations_of_variations() {
        let text = "手合割：平手\n*before\n1 ７六歩(77)\n*good\n*move\n2 ３四歩(33)\n3 ２六歩(27)\n\n\
                    変化：2手\n2 ８四歩(83)\n*solid\n3 ６八銀(79)\n\n変化：3手\n3 ２六歩(27)\n";
        let record = kiki_record::read_records("x.kif", text.as_bytes()).remove(0).unwrap();
        let game = AnalyzedGame::from_record("x".to_owned(), &record).unwrap();
        assert_eq!(game.recorded().unwrap(), record);
        assert_eq!((record.variations.len(), record.variations[0].variations.len()), (1, 1));
        let json = serde_json::to_string(&game).unwrap();
        assert_eq!(serde_json::from_str::<AnalyzedGame>(&json).unwrap(), game);
        assert!(serde_json::from_str::<AnalyzedGame>(&json.replace("\"remark\"", "\"other\":1,\"remark\"")).is_err());
    }

    #[test]
    fn times_that_are_all_0_are_none() {
        let times = |text: &str| {
            let record = kiki_record::read_csa(text.as_bytes()).next().unwrap().unwrap();
            AnalyzedGame::from_record("x".to_owned(), &record).unwrap().times
        };
        assert_eq!(times("PI\n+\n+7776FU,T0\n-3334FU,T0\n"), []);
        assert_eq!(times("PI\n+\n+7776FU\n-3334FU\n"), []);
        assert_eq!(times("PI\n+\n+7776FU\n-3334FU,T0\n"), [None, Some(0)], "a given move, and a quick one");
        assert_eq!(times("PI\n+\n+7776FU,T0\n-3334FU,T1\n"), [Some(0), Some(1000)]);
    }

    #[test]
    fn a_record_keeps_names_times_and_end() {
        let text = "N+a\nN-b\nPI\n+\n+7776FU,T3\n-3334FU,T5\n%TORYO\n";
        let record = kiki_record::read_csa(text.as_bytes()).next().unwrap().unwrap();
        let game = AnalyzedGame::from_record("x".to_owned(), &record).unwrap();
        assert_eq!(
            (game.head.black.as_str(), game.moves.len(), game.times.as_slice()),
            ("a", 2, &[Some(3000), Some(5000)][..])
        );
        assert_eq!((game.head.outcome, game.head.reason), (Some(GameOutcome::WhiteWins), Some(EndReason::Resignation)));
        let json = serde_json::to_string(&game).unwrap();
        assert_eq!(serde_json::from_str::<AnalyzedGame>(&json).unwrap(), game);
    }
}
