//! Lines of the USI command `position`: a root and moves, without players, times or results. A line
//! of moves only begins from the start position.

use std::fmt::Write as _;

use kiki_board::{MoveError, Position};
use kiki_text::excerpt;

use crate::ending::{EndReason, Ending, GameOutcome};
use crate::error::{ReadError, ReadProblem, WriteError};
use crate::game::{Cursor, Game};
use crate::header::root_unless_even;
use crate::text::{TextEncoding, numbered_lines};

/// What errors expect for a root.
const ROOT: &str = "a root: startpos, sfen or a position in SFEN";

/// Reads a game from every line that is neither blank nor a comment (`#`).
pub(crate) fn read(bytes: &[u8]) -> Vec<Result<Game, ReadError>> {
    let lines = numbered_lines(bytes);
    let games = lines.iter().filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    games.map(|(number, line)| game(line).map_err(|problem| problem.at(*number))).collect()
}

fn game(line: &str) -> Result<Game, ReadProblem> {
    let mut words = line.split_ascii_whitespace().filter(|word| *word != "position").peekable();
    let mut sfen = Vec::new();
    if words.peek().is_some_and(|word| is_move(word)) {
        sfen.push("startpos");
    } else {
        sfen.extend(words.by_ref().take_while(|word| *word != "moves"));
    }
    let (mut position, root) = match sfen.as_slice() {
        ["startpos"] => (Position::startpos(), None),
        ["sfen", fields @ ..] | fields @ [_, _, ..] => {
            let sfen = fields.join(" ");
            let set_up = Position::from_diagram(&sfen);
            let token = || excerpt(words.clone().next().unwrap_or("the end of the line"));
            let position = set_up.map_err(|reason| ReadProblem::Position { token: token(), reason })?;
            let root = root_unless_even(position.to_sfen());
            (position, root)
        }
        other => return Err(ReadProblem::malformed(other.first().unwrap_or(&line), ROOT)),
    };
    let mut game = Game { root, ..Game::default() };
    for word in words {
        if game.reason.is_some() {
            return Err(ReadProblem::too_late(word, "the end of the game"));
        }
        // Some programs write an engine's answer after the moves, even if it is not a move.
        game.reason = match word {
            "resign" => Some(EndReason::Resignation),
            "win" => Some(EndReason::Declaration),
            _ => None,
        };
        if let Some(reason) = game.reason {
            game.outcome = reason.outcome(&position);
            continue;
        }
        let mv = position.parse_move(word).map_err(|error| problem(word, error))?;
        position.make(mv);
        game.moves.push(mv.into());
    }
    if game.reason.is_none() {
        game.end(Ending::default(), &position);
    }
    debug_assert!(game.reason.is_none() || game.outcome != GameOutcome::Unknown);
    Ok(game)
}

/// Whether a word looks like a move.
pub(crate) fn is_move(word: &str) -> bool {
    !matches!(Position::startpos().parse_move(word), Err(MoveError::Malformed(_)))
}

fn problem(word: &str, error: MoveError) -> ReadProblem {
    match error {
        MoveError::Illegal { sfen, .. } => ReadProblem::IllegalMove { token: excerpt(word), sfen },
        _ => ReadProblem::malformed(word, "a move like 7g7f, 8h2b+ or P*5e"),
    }
}

/// Writes a game as a line without its result: engines would take a word for a move.
pub(crate) fn write(game: &Game, _: TextEncoding) -> Result<String, WriteError> {
    let mut cursor = Cursor::start(game)?;
    for played in &game.moves {
        cursor.check(played.mv)?;
        cursor.make(played);
    }
    Ok(format!("{}\n", root_and_moves(game)))
}

/// The root and the moves, as the command `position` takes them.
pub(crate) fn root_and_moves(game: &Game) -> String {
    let mut line = game.root.as_ref().map_or_else(|| "startpos".to_owned(), |sfen| format!("sfen {sfen}"));
    for (index, played) in game.moves.iter().enumerate() {
        let _ = write!(line, "{}{}", if index == 0 { " moves " } else { " " }, played.mv);
    }
    line
}
