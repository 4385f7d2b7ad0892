//! The summary of a game, `BEGIN Game_Summary` to `END Game_Summary`: players, position and clocks.

use std::borrow::Cow;

use anyhow::{Context as _, Result, anyhow, bail};
use kiki_board::{ByColor, COLORS, Color, Move, Position};
use kiki_record::read_csa;
use kiki_usi::{PositionRoot, PositionSpec, set_up};

use crate::clock::GameClocks;
use crate::protocol::Password;
use crate::time_control::{TimeBlock, thousandths};

/// Maximum size of a summary; real ones are far shorter.
const MOST_LINES: usize = 10_000;
const MOST_BYTES: usize = 1 << 20;

/// The field with the token for a lost connection. The token never appears in the log.
pub(crate) const RECONNECT_TOKEN: &str = "Reconnect_Token";

/// Longest token, and longest name of a game with a token.
const LONGEST_WORD: usize = 200;

/// The server's description of a game before it begins.
#[derive(Clone)]
pub struct GameSummary {
    /// `AGREE` and `START` repeat it.
    pub(crate) game_id: String,
    pub(crate) names: ByColor<String>,
    pub(crate) side: Color,
    /// Number of moves after which the game is a draw; 0 for no such rule.
    pub(crate) max_moves: u32,
    /// Whether a declaration by points is allowed.
    pub(crate) has_declaration: bool,
    /// The clocks after the moves that have been played already.
    pub(crate) clocks: GameClocks,
    pub(crate) root: PositionRoot,
    /// The position of `root`.
    pub(crate) start: Position,
    /// The moves that have been played already, with their times in milliseconds where known.
    pub(crate) moves: Vec<(Move, Option<u64>)>,
    /// The token to continue the game after a lost connection.
    pub(crate) reconnect_token: Option<Password>,
}

impl GameSummary {
    /// The clocks as people write them: `300+10F`, or `300+10F / 60+30` if White's differs from
    /// Black's.
    pub(crate) fn time_text(&self) -> String {
        let [black, white] = COLORS.map(|side| self.clocks.controls[side].to_string());
        if black == white { black } else { format!("{black} / {white}") }
    }

    pub(crate) fn position(&self) -> Position {
        let mut position = self.start.clone();
        for &(mv, _) in &self.moves {
            position.make(mv);
        }
        position
    }
}

/// The block of the current line.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Block {
    #[default]
    General,
    /// The times of these sides.
    Time(&'static [Color]),
    Position,
}

/// Collects the lines after `BEGIN Game_Summary`.
#[derive(Default)]
pub struct SummaryReader {
    block: Block,
    fields: Vec<(String, String)>,
    times: ByColor<TimeBlock>,
    position: String,
    lines: usize,
    bytes: usize,
    error: Option<anyhow::Error>,
}

impl SummaryReader {
    /// Reads a line. The last line returns the summary, or why the game has to be rejected.
    pub fn read(&mut self, line: &str) -> Option<Result<GameSummary>> {
        (self.lines, self.bytes) = (self.lines + 1, self.bytes + line.len());
        if self.lines > MOST_LINES || self.bytes > MOST_BYTES {
            return Some(Err(anyhow!("the summary has more than {MOST_LINES} lines or {MOST_BYTES} bytes")));
        }
        match line.trim_end() {
            "END Game_Summary" => return Some(self.finish()),
            "BEGIN Time" => self.block = Block::Time(&[Color::Black, Color::White]),
            "BEGIN Time+" => self.block = Block::Time(&[Color::Black]),
            "BEGIN Time-" => self.block = Block::Time(&[Color::White]),
            "BEGIN Position" => self.block = Block::Position,
            "END Time" | "END Time+" | "END Time-" | "END Position" => self.block = Block::General,
            line => self.line_of_block(line),
        }
        None
    }

    /// The name of the game; empty if it is not known yet.
    pub(crate) fn game_id(&self) -> &str {
        self.field("Game_ID").unwrap_or_default()
    }

    fn line_of_block(&mut self, line: &str) {
        match self.block {
            Block::Position => {
                self.position.push_str(&without_comment(line));
                self.position.push('\n');
            }
            Block::Time(sides) => {
                let (name, value) = line.split_once(':').unwrap_or((line, ""));
                for &side in sides {
                    if let Err(error) = self.times[side].read(name, value) {
                        self.error.get_or_insert(error);
                    }
                }
            }
            Block::General => {
                if let Some((name, value)) = line.split_once(':') {
                    self.fields.push((name.to_owned(), value.to_owned()));
                }
            }
        }
    }

    fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn required(&self, name: &str) -> Result<&str> {
        self.field(name).with_context(|| format!("the summary has no {name}"))
    }

    fn side(&self, name: &str) -> Result<Option<Color>> {
        Ok(match self.field(name) {
            None => None,
            Some("+") => Some(Color::Black),
            Some("-") => Some(Color::White),
            Some(other) => bail!("the summary has `{name}:{other}`"),
        })
    }

    /// The token, if it and the name of the game can be sent on a line.
    fn reconnect_token(&self, game_id: &str) -> Option<Password> {
        let is_word =
            |text: &str| (1..=LONGEST_WORD).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        let token = self.field(RECONNECT_TOKEN)?.trim();
        (is_word(token) && is_word(game_id)).then(|| Password::new(token))
    }

    fn finish(&mut self) -> Result<GameSummary> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let game_id = self.required("Game_ID")?.to_owned();
        let names = ByColor::new(self.required("Name+")?.to_owned(), self.required("Name-")?.to_owned());
        let side = self.side("Your_Turn")?.context("the summary has no Your_Turn")?;
        let mut clocks = GameClocks::new(ByColor::from_fn(|side| self.times[side].control(&game_id)));
        let game = read_csa(self.position.as_bytes()).next().context("the summary has no position")?;
        let game = game.context("the position of the summary")?;
        let root = game.root.map_or(PositionRoot::Startpos, PositionRoot::Sfen);
        let start = set_up(&PositionSpec { root: root.clone(), moves: Vec::new() })?;
        let (mut position, mut moves) = (start.clone(), Vec::new());
        for played in game.moves {
            let mover = position.side_to_move();
            // The reader takes every time for seconds, so its milliseconds are thousandths of the
            // unit.
            let used = clocks.controls[mover].of_thousandths(played.time_ms.unwrap_or(0));
            clocks.spend_before(mover, used);
            moves.push((played.mv, played.time_ms.map(|_| used.as_millis() as u64)));
            position.make(played.mv);
        }
        // Servers name either the side that moves first or the one that moves next.
        let movers = [start.side_to_move(), position.side_to_move()];
        if self.side("To_Move")?.is_some_and(|told| !movers.contains(&told)) {
            bail!("the summary says that the other side is to move");
        }
        for side in COLORS {
            if let Some(units) = self.times[side].remaining[side.array_index()] {
                clocks.left[side] = clocks.controls[side].of_thousandths(units);
            }
        }
        let has_declaration = self.field("Declaration").is_none_or(|rule| rule.starts_with("Jishogi"));
        let most = self.field("Max_Moves").unwrap_or("0");
        let max_moves = most.trim().parse().map_err(|_| anyhow!("the summary has `Max_Moves:{most}`"))?;
        let reconnect_token = self.reconnect_token(&game_id);
        Ok(GameSummary {
            game_id,
            names,
            side,
            max_moves,
            has_declaration,
            clocks,
            root,
            start,
            moves,
            reconnect_token,
        })
    }
}

/// A line of a position as in records, where a comment ends with its line. Servers may put the
/// comment of a move before its time: `+7776FU,'* 30 -3334FU,T12`.
fn without_comment(line: &str) -> Cow<'_, str> {
    let Some((played, comment)) = line.split_once(",'").filter(|_| line.starts_with(['+', '-'])) else {
        return Cow::Borrowed(line);
    };
    match comment.rsplit_once(",T") {
        Some((_, time)) if !played.contains(",T") && thousandths(time).is_some() => {
            Cow::Owned(format!("{played},T{time}"))
        }
        _ => Cow::Borrowed(played),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const GENERAL: &str = "Protocol_Version:1.2\nProtocol_Mode:Server\nFormat:Shogi 1.0\nDeclaration:Jishogi 1.1\n\
        Game_ID:test+x-300-10F+a+b+1\nName+:a\nName-:b\nYour_Turn:-\nRematch_On_Draw:NO\nTo_Move:+\nMax_Moves:256\n";
    const TIME: &str =
        "BEGIN Time\nTime_Unit:1sec\nTotal_Time:300\nByoyomi:0\nIncrement:10\nLeast_Time_Per_Move:0\nEND Time\n";
    const START: &str = "PI\n+\n";

    fn read(text: &str) -> Result<GameSummary> {
        let mut reader = SummaryReader::default();
        text.lines().find_map(|line| reader.read(line)).expect("an end")
    }

    fn summary(general: &str, time: &str, position: &str) -> Result<GameSummary> {
        read(&format!("{general}{time}BEGIN Position\n{position}END Position\nEND Game_Summary"))
    }

    #[test]
    fn a_game_that_goes_on_has_less_time_left_and_comments_hide_no_times() {
        let remaining = TIME.replace("END Time", "Remaining_Time+:111\nEND Time");
        for (time, moves, left, times) in [
            (TIME, "+7776FU,T42\n-3334FU,T6\n+2726FU\n", [278, 300], &[Some(42_000), Some(6000), None][..]),
            (&remaining, "+7776FU,T42\n", [111, 300], &[Some(42_000)]),
            (
                TIME,
                "+7776FU,'* 30 -3334FU,T12\n-3334FU,T6,'* 5,T7\n+2726FU,'T9\n-8384FU,'* 5,T0\n'T7,T8\n",
                [300, 300],
                &[Some(12_000), Some(6000), None, Some(0)],
            ),
        ] {
            let summary = summary(GENERAL, time, &format!("PI\n+\n{moves}")).unwrap();
            let found = [Color::Black, Color::White].map(|side| summary.clocks.left[side].as_secs());
            assert_eq!((found, summary.names[Color::Black].as_str()), (left, "a"), "{moves}");
            assert!(summary.moves.iter().map(|(_, time)| time).eq(times), "{moves}");
        }
    }

    #[test]
    fn a_game_may_start_anywhere_and_each_side_may_have_its_own_clock() {
        // A side without its own value has that of both.
        let times = "BEGIN Time\nByoyomi:7\nEND Time\nBEGIN Time+\nTotal_Time:60\nEND Time+\n\
            BEGIN Time-\nTime_Unit:msec\nByoyomi:500\nEND Time-\n";
        let general = GENERAL.replace("To_Move:+", "To_Move:-").replace("Jishogi 1.1", "none");
        let position = "P1 *  *  *  * -OU *  *  *  * \nP9 *  *  *  * +OU *  *  *  * \nP+00FU\n-\n";
        let summary = summary(&general, times, position).unwrap();
        assert_eq!(summary.root, PositionRoot::Sfen("4k4/9/9/9/9/9/9/9/4K4 w P 1".to_owned()));
        assert!(!summary.has_declaration);
        assert_eq!(summary.time_text(), "60+7 / 0+0.5");
        assert_eq!(summary.clocks.allowance(Color::Black), Some(Duration::from_secs(67)));
        assert_eq!(summary.clocks.allowance(Color::White), Some(Duration::from_millis(500)));
    }

    #[test]
    fn a_summary_of_no_use_says_why() {
        for (general, time, position, reason) in [
            (GENERAL.replace("Game_ID", "Id"), TIME, START, "the summary has no Game_ID"),
            (GENERAL.replace("Your_Turn:-", "Your_Turn:?"), TIME, START, "the summary has `Your_Turn:?`"),
            (GENERAL.replace("256", "many"), TIME, START, "the summary has `Max_Moves:many`"),
            (GENERAL.to_owned(), &TIME.replace("300", "x"), START, "`Total_Time:x` is not a time"),
            (GENERAL.to_owned(), TIME, "PI\n+\n+7775FU\n", "the position of the summary: line 3: the move `+7775FU`"),
            (GENERAL.to_owned(), TIME, "P1\n+\n", "the position of the summary: line 1: `P1` is not a rank"),
            (GENERAL.replace("To_Move:+", "To_Move:-"), TIME, START, "the other side is to move"),
        ] {
            let error = format!("{:#}", summary(&general, time, position).err().unwrap());
            assert!(error.contains(reason), "{error}");
        }
        for (endless, count) in [("x:y\n".to_owned(), MOST_LINES + 1), (format!("{}\n", "x".repeat(16_384)), 65)] {
            let error = read(&endless.repeat(count)).err().unwrap().to_string();
            assert_eq!(error, "the summary has more than 10000 lines or 1048576 bytes");
        }
    }
}
