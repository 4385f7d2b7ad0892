//! What a tab asks for, and the answers.

use std::sync::Arc;

use kiki_board::{BrokenRule, Color, DeclarationRule, Position, Sq};
use kiki_record::{Game, LostPart, ReadError, RecordForm, TextEncoding, lost_parts, read_records};
use kiki_usi::{PositionRoot, PositionSpec};
use serde_json::Value;

use crate::facts::PositionFacts;
use crate::outgoing::{Outgoing, TabQuestion};
use crate::problem::ProofThread;
use crate::protocol::{MoveLine, Request, TabReply};
use crate::record::Record;
use crate::refusal::Refusal;
use crate::settings::Settings;
use crate::thinking::Thinking;

/// Maximum number of moves of a line: no game has as many, and far positions are slow to reach.
const MOST_MOVES: usize = 5000;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum TabMessage {
    /// A request in JSON.
    Request(String),
    /// A record: the name of its file, a line break, and its bytes.
    Record(Vec<u8>),
}

pub(crate) struct Session {
    outgoing: Outgoing,
    settings: Arc<Settings>,
    thinking: Thinking,
    proof: ProofThread,
}

impl Session {
    pub(crate) fn new(settings: Arc<Settings>, outgoing: Outgoing) -> Self {
        let thinking = Thinking::new(Arc::clone(&settings));
        Self { outgoing, settings, thinking, proof: ProofThread::default() }
    }

    /// Answers a message, or begins the work that will answer it.
    pub(crate) fn receive(&mut self, message: &TabMessage) {
        let (id, answered) = match message {
            TabMessage::Record(bytes) => (None, read(bytes)),
            TabMessage::Request(text) => match serde_json::from_str::<Request>(text) {
                Ok(request) => (request.id(), self.answer(request)),
                Err(error) => {
                    // Whoever asks waits for an answer with this number.
                    let id = serde_json::from_str::<Value>(text).ok().and_then(|request| request["id"].as_u64());
                    (id, Err(Refusal::rare(format_args!("no request: {error}"))))
                }
            },
        };
        match answered {
            Ok(Some(reply)) => self.outgoing.send(&reply),
            Ok(None) => {}
            Err(refusal) => self.outgoing.send(&TabReply::Error { id, refusal }),
        }
    }

    fn answer(&mut self, request: Request) -> Result<Option<TabReply>, Refusal> {
        match request {
            Request::Position { id, line } => {
                let position = PositionFacts::new(&line.set_up()?, DeclarationRule::default());
                return Ok(Some(TabReply::Position { id, position: Box::new(position) }));
            }
            Request::Play { id, line, strength, time } => {
                self.proof.stop();
                let question = self.question(id, line)?;
                if let Some(answer) = self.settings.book_answer(&question, strength) {
                    self.thinking.stop();
                    return Ok(Some(answer));
                }
                self.thinking.play(question, strength, time).map_err(Refusal::rare)?;
            }
            Request::Analyze { id, line, lines, limit } => {
                self.proof.stop();
                self.thinking.analyze(self.question(id, line)?, lines, limit).map_err(Refusal::rare)?;
            }
            Request::Mate { id, line, seconds } => {
                self.thinking.stop();
                self.proof.solve(self.question(id, line)?, seconds).map_err(Refusal::rare)?;
            }
            Request::Defend { id, line } => {
                self.thinking.stop();
                self.proof.defend(self.question(id, line)?).map_err(Refusal::rare)?;
            }
            Request::Why { id, line, mv, good } => {
                let question = self.question(id, line)?;
                let mv = question.position.parse_move(&mv).map_err(Refusal::rare)?;
                self.proof.explain(question, mv, good, &self.settings).map_err(Refusal::rare)?;
            }
            Request::Rule { id, line, mv } => {
                let mv = mv.parse().map_err(Refusal::rare)?;
                let rule = line.set_up()?.broken_rule(mv).map(BrokenRule::name);
                return Ok(Some(TabReply::Rule { id, rule }));
            }
            Request::Read { id, name, bytes } => return games_of_file(id, &name, &bytes).map(Some),
            Request::Write { id, extension, record } => return write(id, &extension, &record).map(Some),
            Request::Stop => {
                self.thinking.stop();
                self.proof.stop();
            }
        }
        Ok(None)
    }

    fn question(&self, id: u64, line: MoveLine) -> Result<TabQuestion, Refusal> {
        Ok(TabQuestion { id, position: line.set_up()?, outgoing: self.outgoing.clone() })
    }
}

impl Request {
    fn id(&self) -> Option<u64> {
        match self {
            Self::Position { id, .. }
            | Self::Play { id, .. }
            | Self::Analyze { id, .. }
            | Self::Mate { id, .. }
            | Self::Defend { id, .. }
            | Self::Why { id, .. }
            | Self::Rule { id, .. }
            | Self::Read { id, .. }
            | Self::Write { id, .. } => Some(*id),
            Self::Stop => None,
        }
    }
}

impl MoveLine {
    fn set_up(self) -> Result<Position, Refusal> {
        if self.moves.len() > MOST_MOVES {
            return Err(format!("more than {MOST_MOVES} moves").into());
        }
        let spec = PositionSpec { root: PositionRoot::Sfen(self.start), moves: self.moves };
        let position = kiki_usi::set_up(&spec)?;
        // A side may lack its king in a mating problem, but somebody has to be mated.
        let is_playable = [Color::Black, Color::White].into_iter().any(|color| position.king(color) != Sq::NONE);
        is_playable.then_some(position).ok_or_else(Refusal::no_king)
    }
}

fn read(bytes: &[u8]) -> Result<Option<TabReply>, Refusal> {
    let end = bytes
        .iter()
        .position(|&byte| byte == b'\n')
        .ok_or_else(|| Refusal::rare("a record without the line of its name"))?;
    let (name, record) = bytes.split_at(end);
    let name = String::from_utf8_lossy(name);
    let games = read_records(&name, &record[1..]);
    let count = games.len();
    let first = games.into_iter().next().ok_or_else(Refusal::no_game)?;
    let (game, rest) = match first {
        Ok(game) => (game, None),
        Err(error) => {
            let form = RecordForm::detect(&name, &record[1..]);
            let before = form.and_then(|form| form.read_before(&record[1..], &error));
            (before.ok_or_else(|| error.clone())?, Some(error.into()))
        }
    };
    Ok(Some(TabReply::Record { record: Box::new(playable(Ok(game))?), games: count, rest }))
}

/// A record may begin with a position that nobody can play on.
fn playable(game: Result<Game, ReadError>) -> Result<Record, Refusal> {
    let record = Record::of_game(&game?)?;
    MoveLine { start: record.start.clone(), moves: Vec::new() }.set_up()?;
    Ok(record)
}

fn games_of_file(id: u64, name: &str, bytes: &str) -> Result<TabReply, Refusal> {
    let bytes: Result<Vec<u8>, _> = bytes.chars().map(u8::try_from).collect();
    let bytes = bytes.map_err(|_| Refusal::rare("letters that are no bytes"))?;
    let (mut records, mut refused) = (Vec::new(), Vec::new());
    for game in read_records(name, &bytes) {
        match playable(game) {
            Ok(record) => records.push(record),
            Err(refusal) => refused.push(refusal),
        }
    }
    Ok(TabReply::Games { id, records, refused })
}

/// Old programs expect Shift_JIS in `.kif`; `.kifu` is UTF-8.
fn write(id: u64, extension: &str, record: &Record) -> Result<TabReply, Refusal> {
    let form = RecordForm::of_extension(&format!("game.{extension}"));
    let form = form.ok_or_else(|| Refusal::rare("no form of records has this name"))?;
    let encoding = if extension == "kif" { TextEncoding::ShiftJis } else { TextEncoding::Utf8 };
    let game = record.game()?;
    let (mut lost, mut letters) = (Vec::new(), String::new());
    for part in lost_parts(form, &game, encoding).map_err(Refusal::rare)? {
        match part {
            LostPart::Letter(letter) => letters.push(letter),
            other => lost.push(other.to_string()),
        }
    }
    let bytes = form.write(&[game], encoding).map_err(Refusal::rare)?;
    Ok(TabReply::File { id, bytes: bytes.into_iter().map(char::from).collect(), lost, letters })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_that_nobody_can_play_on_are_not_opened() {
        let error = |text: &str| {
            read(format!("pasted\n{text}").as_bytes()).err().map(|refusal| refusal.text).unwrap_or_default()
        };
        assert_eq!(error("9/9/9/9/9/9/9/9/9 b - 1"), "there is no king on the board");
        assert!(error("P3k4/9/9/9/9/9/9/9/4K4 b - 1").contains("could never move"));
        assert_eq!(error("4k4/9/9/9/9/9/9/9/9 b G 1"), "", "a mating problem has one king");
        assert_eq!(error("startpos moves 7g7f"), "");
    }

    #[test]
    fn a_record_is_opened_up_to_what_cannot_be_read() {
        let opened = |name: &str, text: &str| match read(format!("{name}\n{text}").as_bytes()) {
            Ok(Some(TabReply::Record { record, rest, .. })) => {
                assert_eq!(record.reason, None);
                (record.moves.len() + record.variations.len(), rest.map(|refusal| refusal.text))
            }
            other => panic!("{other:?}"),
        };
        let kif = "手合割：平手\n1 ７六歩(77)\n2 ３四歩(33)\n3 ７四歩(76)\n4 ８四歩(83)\n";
        let kif_variation = "手合割：平手\n1 ７六歩(77)\n2 ３四歩(33)\n\n変化：2手\n2 ８八角成(22)\n3 ２六歩(27)\n";
        let jkf = r#"{"header":{},"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}},
            {"move":{"from":{"x":3,"y":3},"to":{"x":3,"y":4},"piece":"FU"}},{"move":{"from":{"x":7,"y":6},"to":{"x":7,"y":4},"piece":"FU"}},
            {"move":{"from":{"x":8,"y":3},"to":{"x":8,"y":4},"piece":"FU"}}]}"#;
        for (name, text, count, reason) in [
            ("a.kif", kif, 2, "line 4: the move `７四歩(76)` is illegal"),
            ("a.kif", kif_variation, 2, "line 6: the move `８八角成(22)` is illegal"),
            ("a.ki2", "▲７六歩 △３四歩 ▲７六歩 △８四歩\n", 2, "line 1: the move `▲７六歩` is illegal"),
            ("a.csa", "PI\n+\n+7776FU\n-3334FU\n+7674FU\n-8384FU\n", 2, "line 5: the move `+7674FU` is illegal"),
            ("a.jkf", jkf, 2, "line 2: the move"),
            ("a.usi", "7g7f 3c3d 7f7d 8c8d", 2, "line 1: the move `7f7d` is illegal"),
            ("a.usi", "7g7f nonsense", 1, "line 1: `nonsense` is not a move"),
        ] {
            let (moves, rest) = opened(name, text);
            assert_eq!(moves, count, "{text}");
            assert!(rest.as_ref().is_some_and(|rest| rest.starts_with(reason)), "{rest:?}");
        }
        assert_eq!(opened("a.usi", "7g7f 3c3d"), (2, None));
        let error = read("a.usi\n7g7e 3c3d".as_bytes()).unwrap_err();
        assert!(error.text.contains("illegal"), "{error:?}");
    }
}
