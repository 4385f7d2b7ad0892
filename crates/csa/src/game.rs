//! One game as a state machine: lines of the server and answers of the engine go in, actions come
//! out. It reads no connection and no clock. Every event comes with its time.

mod resume;

use std::time::{Duration, Instant};

use kiki_board::{Color, DeclarationRule, DeclarationVerdict, Move, Position};
use kiki_record::{EndReason, Game as GameRecord, GameEnd, PlayedMove, csa_move, read_csa_move};
use kiki_text::excerpt;
use kiki_usi::{BestMove, Clocks, Info, PositionRoot, PositionSpec};

use crate::clock::{GameClocks, MeasuredTime, Reserve, TimeCheck};
use crate::comment::{annotated, comment};
use crate::game_result::CsaResultReader;
use crate::protocol::{ClientLine, ServerLine};
use crate::settings::{PlaySettings, PonderMode};
use crate::summary::GameSummary;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimedPosition {
    pub position: PositionSpec,
    /// Empty if they are not known yet.
    pub(crate) clocks: Clocks,
}

/// An action that the game requests. Actions are performed in their order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GameAction {
    Send(ClientLine),
    /// Let the engine search for the own move.
    Think(TimedPosition),
    /// Let the engine search on the other side's time.
    Ponder(TimedPosition),
    /// Tell the engine that the move that it ponders on was played. The times are empty if it knows
    /// them.
    PonderHit(Clocks),
    /// Stop the engine and drop its answer.
    Stop,
    /// Save the record, which has changed.
    Save,
    Warn(String),
    Over(GameEnd),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Deadlines {
    /// When the engine gets `stop`.
    pub(crate) stop: Instant,
    pub(crate) move_without: Instant,
}

/// Number of moves after which the client no longer follows a game.
const MOST_MOVES: usize = 5000;

/// A line that was sent to the server and is not confirmed yet.
#[derive(Clone, Debug)]
enum Sent {
    Move(PlayedMove),
    /// A resignation or a declaration. The end of the game comes next.
    Ending(ClientLine),
}

/// Whose turn it is.
#[derive(Clone, Debug)]
enum TurnPhase {
    /// The engine thinks about its move. The clock has been running since this time.
    Thinking(Instant),
    Sent(Sent),
    Theirs,
    /// The server sent an impossible move. Only the end of the game is awaited.
    Lost,
    Over,
}

pub struct CsaGame {
    pub(crate) summary: GameSummary,
    settings: PlaySettings,
    pub position: Position,
    /// All moves in USI, for the engine.
    moves: Vec<String>,
    pub(crate) played: Vec<PlayedMove>,
    /// The clocks as of the last confirmed move.
    pub(crate) clocks: GameClocks,
    /// The measured round trip. It is kept back, because the server's clock counts it.
    pub(crate) round_trip: Duration,
    phase: TurnPhase,
    time_check: TimeCheck,
    /// When the clock of the side to move began to run.
    turn_began: Option<Instant>,
    /// When the last line was sent to the server.
    pub(crate) sent_at: Option<Instant>,
    /// The move of the other side that the engine expects after its own.
    candidate: Option<Move>,
    pondering: Option<Move>,
    result: CsaResultReader,
    pub(crate) end: Option<GameEnd>,
    /// The time of the last word of a player: a resignation or a declaration.
    ending_time_ms: Option<u64>,
    /// The beginning of the game for the record, in CSA's form.
    pub(crate) start_time: String,
}

impl CsaGame {
    /// The game is agreed upon but has not started.
    #[must_use]
    pub fn new(summary: GameSummary, settings: PlaySettings) -> Self {
        let mut game = Self {
            clocks: summary.clocks,
            round_trip: Duration::ZERO,
            moves: Vec::new(),
            played: Vec::new(),
            phase: TurnPhase::Theirs,
            time_check: TimeCheck::default(),
            turn_began: None,
            sent_at: None,
            candidate: None,
            pondering: None,
            result: CsaResultReader::default(),
            end: None,
            ending_time_ms: None,
            start_time: String::new(),
            position: summary.start.clone(),
            summary,
            settings,
        };
        for (mv, time_ms) in game.summary.moves.clone() {
            game.make(PlayedMove { time_ms, ..PlayedMove::from(mv) });
        }
        game
    }

    /// Starts the game when `START` has come.
    pub fn start(&mut self, at: Instant) -> Vec<GameAction> {
        self.turn_began = Some(at);
        let mut actions = self.begin_turn(at, at);
        actions.push(GameAction::Save);
        actions
    }

    pub fn line(&mut self, line: &ServerLine, at: Instant) -> Vec<GameAction> {
        match line {
            ServerLine::Move { token, time } => self.server_move(token, *time, at),
            ServerLine::Result(result) => self.finish(self.result.end(*result, self.summary.side)),
            ServerLine::Statement { time: time @ Some(_), .. } => {
                self.result.read(line);
                let (used, warning) = self.used(self.position.side_to_move(), *time, at);
                self.ending_time_ms = Some(used.as_millis() as u64);
                warning.map(GameAction::Warn).into_iter().collect()
            }
            other => {
                self.result.read(other);
                Vec::new()
            }
        }
    }

    /// Refuses an answer that would lose the game if it were sent: the engine has to be asked
    /// again. The error says what is wrong.
    pub fn answer(&mut self, best: &BestMove, info: &Info) -> Result<Vec<GameAction>, String> {
        if !self.is_thinking() {
            return Ok(Vec::new());
        }
        match best {
            BestMove::Resign => Ok(self.send_ending(ClientLine::Resign)),
            BestMove::Win if self.may_declare() => Ok(self.send_ending(ClientLine::Declare)),
            BestMove::Win => Err("the engine declares, but the position does not allow it".to_owned()),
            BestMove::Move { best, ponder } => self.send_move(best, ponder.as_deref(), info),
        }
    }

    /// The search for an engine that has to be asked again now, with the rest of its time.
    #[must_use]
    pub fn think_again(&self, now: Instant) -> Option<TimedPosition> {
        Some(self.request(now.saturating_duration_since(self.thinking_since()?)))
    }

    /// A legal move for an engine that does not answer: the first move of its last principal
    /// variation, or any.
    #[must_use]
    pub fn fallback(&self, info: &Info) -> Option<BestMove> {
        let told = info.pv.first().filter(|token| self.position.parse_move(token).is_ok());
        let any = || self.position.legal_moves().iter().next().map(ToString::to_string);
        told.cloned().or_else(any).map(BestMove::new)
    }

    /// When to stop the engine and when to move without it.
    #[must_use]
    pub fn deadlines(&self) -> Option<Deadlines> {
        let flag = self.thinking_since()? + self.clocks.allowance(self.summary.side)?;
        let reserve = self.reserve();
        Some(Deadlines { stop: flag - reserve.stop, move_without: flag - reserve.move_without })
    }

    /// The reserve of the time for the own move.
    pub(crate) fn reserve(&self) -> Reserve {
        let margin = Duration::from_millis(self.settings.margin);
        let allowance = self.clocks.allowance(self.summary.side);
        allowance.map_or_else(Reserve::default, |time| Reserve::of(time, margin, self.round_trip))
    }

    /// Whether the game waits for the engine's answer.
    #[must_use]
    pub fn is_thinking(&self) -> bool {
        self.thinking_since().is_some()
    }

    /// Whether the server has not yet confirmed a move.
    pub(crate) fn awaits_confirmation(&self) -> bool {
        matches!(self.phase, TurnPhase::Sent(_))
    }

    /// When the clock of the own side began to run, while it runs.
    pub(crate) fn thinking_since(&self) -> Option<Instant> {
        match self.phase {
            TurnPhase::Thinking(since) => Some(since),
            _ => None,
        }
    }

    /// The clock has been running since `began`.
    fn begin_turn(&mut self, began: Instant, at: Instant) -> Vec<GameAction> {
        if self.position.side_to_move() != self.summary.side {
            self.phase = TurnPhase::Theirs;
            return Vec::new();
        }
        let pondered = self.pondering.take();
        let is_hit = pondered.is_some() && self.position.last_move() == pondered;
        let ending = self.ending();
        let mut actions = Vec::new();
        if pondered.is_some() && (!is_hit || ending.is_some()) {
            actions.push(GameAction::Stop);
        }
        if let Some(ending) = ending {
            actions.extend(self.send_ending(ending));
            return actions;
        }
        self.phase = TurnPhase::Thinking(began);
        let request = self.request(at.saturating_duration_since(began));
        actions.push(match is_hit {
            true if self.settings.ponder == PonderMode::Early => GameAction::PonderHit(request.clocks),
            // `go ponder` gave the engine these times.
            true => GameAction::PonderHit(Clocks::default()),
            false => GameAction::Think(request),
        });
        actions
    }

    /// A declaration or resignation that does not involve the engine.
    fn ending(&self) -> Option<ClientLine> {
        if self.settings.declare && self.may_declare() {
            return Some(ClientLine::Declare);
        }
        (self.position.count_legal_moves() == 0).then_some(ClientLine::Resign)
    }

    fn may_declare(&self) -> bool {
        let verdict = || self.position.declaration(DeclarationRule::Points27);
        self.summary.has_declaration && verdict() == DeclarationVerdict::Win
    }

    fn request(&self, spent: Duration) -> TimedPosition {
        TimedPosition { position: self.spec(&[]), clocks: self.engine_clocks(spent) }
    }

    fn engine_clocks(&self, spent: Duration) -> Clocks {
        self.clocks.for_engine(self.summary.side, self.reserve().search_end, spent)
    }

    fn spec(&self, further: &[Move]) -> PositionSpec {
        let mut moves = self.moves.clone();
        moves.extend(further.iter().map(ToString::to_string));
        PositionSpec { root: self.summary.root.clone(), moves }
    }

    fn send_ending(&mut self, line: ClientLine) -> Vec<GameAction> {
        self.phase = TurnPhase::Sent(Sent::Ending(line.clone()));
        vec![GameAction::Send(line)]
    }

    fn send_move(&mut self, best: &str, ponder: Option<&str>, info: &Info) -> Result<Vec<GameAction>, String> {
        let mv = self.position.parse_move(best);
        let mv = mv.map_err(|_| format!("the engine's move `{}` is illegal", excerpt(best)))?;
        let played = annotated(mv, info, &self.position);
        self.candidate = self.expected_answer(&played, ponder);
        let line = self.line_of_move(&played);
        self.phase = TurnPhase::Sent(Sent::Move(played));
        let mut actions = vec![GameAction::Send(line)];
        if self.settings.ponder == PonderMode::Early {
            actions.extend(self.ponder(Some(mv)));
        }
        Ok(actions)
    }

    /// The answer that the engine expects: its ponder move, or else the second move of its
    /// principal variation.
    fn expected_answer(&self, played: &PlayedMove, ponder: Option<&str>) -> Option<Move> {
        let mut after = self.position.clone();
        after.make(played.mv);
        let told = ponder.and_then(|token| after.parse_move(token).ok());
        told.or_else(|| played.pv.first().copied())
    }

    /// Begins to ponder. `sent` is the own move if it is not confirmed yet. The times are unknown
    /// then.
    fn ponder(&mut self, sent: Option<Move>) -> Option<GameAction> {
        let expected = self.candidate.take()?;
        self.pondering = Some(expected);
        let moves: Vec<Move> = sent.into_iter().chain([expected]).collect();
        let clocks = match sent {
            Some(_) => Clocks::default(),
            None => self.engine_clocks(Duration::ZERO),
        };
        Some(GameAction::Ponder(TimedPosition { position: self.spec(&moves), clocks }))
    }

    fn server_move(&mut self, token: &str, time: Option<u64>, at: Instant) -> Vec<GameAction> {
        if matches!(self.phase, TurnPhase::Lost | TurnPhase::Over) {
            return Vec::new();
        }
        if self.played.len() >= MOST_MOVES {
            return self.lose_track(&format!("the game has more than {MOST_MOVES} moves"));
        }
        let mv = match read_csa_move(token, &self.position) {
            Ok(mv) => mv,
            Err(problem) => return self.lose_track(&problem.to_string()),
        };
        let mover = self.position.side_to_move();
        let (used, warning) = self.used(mover, time, at);
        let time_ms = time.map(|_| used.as_millis() as u64);
        let mut actions: Vec<GameAction> = warning.map(GameAction::Warn).into_iter().collect();
        let mut played = PlayedMove { time_ms, ..PlayedMove::from(mv) };
        if mover == self.summary.side {
            match &self.phase {
                TurnPhase::Sent(Sent::Move(sent)) if sent.mv == mv => played = PlayedMove { time_ms, ..sent.clone() },
                _ => {
                    actions.extend(self.stop_search());
                    actions.push(GameAction::Warn(format!("the server says that this side played {}", excerpt(token))));
                }
            }
        }
        self.clocks.spend(mover, used);
        self.make(played);
        self.turn_began = Some(at);
        actions.extend(self.begin_turn(at, at));
        if mover == self.summary.side && self.settings.ponder == PonderMode::On {
            actions.extend(self.ponder(None));
        }
        // The engine comes first, because its clock runs.
        actions.push(GameAction::Save);
        actions
    }

    /// The time of the move that has just come, and a warning. An own move that this client did not
    /// send has no measured time.
    fn used(&mut self, mover: Color, told: Option<u64>, at: Instant) -> (Duration, Option<String>) {
        let since = self.turn_began.unwrap_or(at);
        let sent = self.sent_at.take().filter(|_| mover == self.summary.side && self.awaits_confirmation());
        let measured = MeasuredTime {
            thought: sent.map(|sent| sent.saturating_duration_since(since)),
            whole: at.saturating_duration_since(since),
        };
        let most = self.clocks.allowance(mover);
        self.time_check.used(&self.clocks.controls[mover], told, most, measured)
    }

    fn lose_track(&mut self, problem: &str) -> Vec<GameAction> {
        let mut actions = vec![GameAction::Warn(format!("{problem}; waiting for the end of the game"))];
        actions.extend(self.stop_search());
        self.phase = TurnPhase::Lost;
        actions
    }

    /// Ends a search whose answer is no longer wanted, if there is one.
    fn stop_search(&mut self) -> Option<GameAction> {
        self.candidate = None;
        let searches = self.is_thinking() || self.pondering.take().is_some();
        searches.then_some(GameAction::Stop)
    }

    fn finish(&mut self, end: GameEnd) -> Vec<GameAction> {
        self.phase = TurnPhase::Over;
        self.pondering = None;
        self.end = Some(end);
        vec![GameAction::Save, GameAction::Over(end)]
    }

    fn make(&mut self, played: PlayedMove) {
        self.moves.push(played.mv.to_string());
        self.position.make(played.mv);
        self.played.push(played);
    }

    /// Ends the game after a lost connection, without a result unless the server had settled it.
    pub(crate) fn break_off(&mut self) -> Vec<GameAction> {
        if self.end.is_some() { Vec::new() } else { self.finish(self.settled_end()) }
    }

    /// Ends the game because the user leaves it. Servers give it to the other side unless it was
    /// settled. The result of a declaration that was just sent is unknown.
    pub(crate) fn give_up(&mut self) -> Vec<GameAction> {
        if self.end.is_some() {
            return Vec::new();
        }
        let (settled, side) = (self.settled_end(), self.summary.side);
        let end = match &self.phase {
            _ if settled.reason != EndReason::Interrupted => settled,
            TurnPhase::Sent(Sent::Ending(ClientLine::Declare)) => settled,
            TurnPhase::Sent(Sent::Ending(_)) => GameEnd::loss_of(side, EndReason::Resignation),
            _ => GameEnd::loss_of(side, EndReason::Forfeit),
        };
        self.finish(end)
    }

    fn settled_end(&self) -> GameEnd {
        let is_lost = matches!(self.phase, TurnPhase::Lost);
        self.result.broken_off((!is_lost).then(|| self.position.side_to_move()))
    }

    #[must_use]
    pub fn record(&self) -> GameRecord {
        let root = match &self.summary.root {
            PositionRoot::Startpos => None,
            PositionRoot::Sfen(sfen) => Some(sfen.clone()),
        };
        let names = &self.summary.names;
        GameRecord {
            black: names[Color::Black].clone(),
            white: names[Color::White].clone(),
            event: self.summary.game_id.clone(),
            start_time: self.start_time.clone(),
            time_control: self.summary.time_text(),
            root,
            moves: self.played.clone(),
            outcome: self.end.map(|end| end.outcome).unwrap_or_default(),
            reason: self.end.map(|end| end.reason),
            ending_time_ms: self.ending_time_ms,
            ..GameRecord::default()
        }
    }

    fn line_of(&self, sent: &Sent) -> ClientLine {
        match sent {
            Sent::Ending(line) => line.clone(),
            Sent::Move(played) => self.line_of_move(played),
        }
    }

    fn line_of_move(&self, played: &PlayedMove) -> ClientLine {
        let comment = if self.settings.comments { comment(played, &self.position) } else { String::new() };
        ClientLine::Move { token: csa_move(&self.position, played.mv), comment }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::summary::SummaryReader;

    /// A game from the lines of a position. The client plays `side`, `+` or `-`; `white` is White's
    /// name.
    pub(crate) fn game_from(side: char, white: &str, position: &str) -> CsaGame {
        let text = format!(
            "Game_ID:id\nName+:black\nName-:{white}\nYour_Turn:{side}\nBEGIN Time\nTotal_Time:300\nIncrement:10\nEND Time\n\
             BEGIN Position\n{position}END Position\nEND Game_Summary"
        );
        let mut reader = SummaryReader::default();
        let summary = text.lines().find_map(|line| reader.read(line)).unwrap().unwrap();
        CsaGame::new(summary, PlaySettings { ponder: PonderMode::On, ..PlaySettings::default() })
    }

    fn started(side: char, position: &str) -> (CsaGame, Vec<GameAction>) {
        let mut game = game_from(side, "white", position);
        let actions = game.start(Instant::now());
        (game, actions)
    }

    fn server(game: &mut CsaGame, line: &str) -> Vec<GameAction> {
        game.line(&ServerLine::parse(line.as_bytes()), Instant::now())
    }

    fn info(pv: &[&str]) -> Info {
        Info { pv: pv.iter().map(ToString::to_string).collect(), ..Info::default() }
    }

    #[test]
    fn without_an_expected_move_the_second_of_the_line_of_play_is_pondered_on() {
        for (best, pv, pondered) in [
            (BestMove::new("7g7f"), &["7g7f", "8c8d", "2g2f"][..], Some("8c8d")),
            (BestMove::with_ponder("7g7f", "3c3d"), &["7g7f", "8c8d"], Some("3c3d")),
            // An illegal one is ignored.
            (BestMove::with_ponder("7g7f", "7g7f"), &[], None),
        ] {
            let (mut game, _) = started('+', "PI\n+\n");
            game.answer(&best, &info(pv)).unwrap();
            let actions = server(&mut game, "+7776FU,T1");
            let moves = actions.iter().find_map(|action| match action {
                GameAction::Ponder(request) => Some(&request.position.moves),
                _ => None,
            });
            assert_eq!(moves.and_then(|moves| moves.last()).map(String::as_str), pondered, "{best}");
        }
    }

    #[test]
    fn a_bad_answer_is_quoted_in_short_and_the_line_of_play_takes_its_place() {
        let (mut game, actions) = started('+', "PI\n+\n");
        assert!(
            matches!(actions[..], [GameAction::Think(_), GameAction::Save]),
            "the engine's clock runs: {actions:?}"
        );
        for token in ["7g7e", "none", "3c3d", ""] {
            let bad = game.answer(&BestMove::new(token), &Info::default());
            assert_eq!(bad, Err(format!("the engine's move `{token}` is illegal")));
        }
        let bad = game.answer(&BestMove::new("\u{1b}".repeat(1 << 20)), &Info::default()).unwrap_err();
        assert!(bad.len() < 150 && !bad.contains('\u{1b}'), "{bad}");
        assert_eq!(game.fallback(&info(&["2g2f"])), Some(BestMove::new("2g2f")));
        let any = game.fallback(&info(&["9a9i"])).unwrap();
        assert!(!game.answer(&any, &Info::default()).unwrap().is_empty());
        assert_eq!(game.answer(&BestMove::new("2g2f"), &Info::default()), Ok(Vec::new()), "it is late");
    }

    #[test]
    fn what_cannot_be_is_told_and_the_end_awaited() {
        let (mut game, _) = started('+', "PI\n+\n");
        let actions = server(&mut game, "+7775FU,T1");
        let [GameAction::Warn(text), GameAction::Stop] = &actions[..] else { panic!("{actions:?}") };
        assert!(text.starts_with("the move `+7775FU` is illegal"), "{text}");
        assert_eq!(server(&mut game, "+2726FU"), []);
        let over = GameEnd::loss_of(Color::Black, EndReason::Forfeit);
        assert_eq!(game.give_up(), [GameAction::Save, GameAction::Over(over)]);
        assert_eq!(game.give_up(), []);
        // The client accepts a move of its side that it did not send.
        let (mut game, _) = started('+', "PI\n+\n");
        let actions = server(&mut game, "+2726FU,T9");
        let warning = "the server says that this side played +2726FU".to_owned();
        assert_eq!(actions, [GameAction::Stop, GameAction::Warn(warning), GameAction::Save]);
        assert!(matches!(server(&mut game, "-8384FU,T1")[0], GameAction::Think(_)));
    }

    #[test]
    fn a_game_that_is_given_up_has_the_result_of_the_last_line_to_the_server() {
        let (mut game, _) = started('+', "PI\n+\n");
        assert_eq!(game.answer(&BestMove::Resign, &Info::default()), Ok(vec![GameAction::Send(ClientLine::Resign)]));
        game.give_up();
        assert_eq!(game.end, Some(GameEnd::loss_of(Color::Black, EndReason::Resignation)));
        // The other side moves into a declaration, and the server's decision on it is unknown.
        let entered =
            "P1+OU+KI+KI+KI+KI+GI+GI+GI+GI\nP2+RY+UM * * * * * * * \nP9 * * * * -OU * * * * \nP+00HI00KA\n-\n";
        let (mut game, _) = started('+', entered);
        assert_eq!(server(&mut game, "-5958OU,T1"), [GameAction::Send(ClientLine::Declare), GameAction::Save]);
        game.give_up();
        assert_eq!(game.end.map(|end| end.reason), Some(EndReason::Interrupted));
    }

    #[test]
    fn the_time_of_the_last_word_is_that_of_the_end() {
        for (side, lines, expected) in [
            ('-', &["%TORYO,T7", "#RESIGN", "#WIN"][..], Some(7000)),
            ('+', &["%TORYO,T7", "#RESIGN", "#LOSE"], Some(7000)),
            ('-', &["%KACHI,T3", "%KACHI", "#JISHOGI", "#LOSE"], Some(3000)),
            ('-', &["%TORYO", "#RESIGN", "#WIN"], None),
            ('-', &["#TIME_UP", "#WIN"], None),
        ] {
            let (mut game, _) = started(side, "PI\n+\n");
            game.answer(&BestMove::Resign, &Info::default()).unwrap();
            for line in lines {
                assert!(!server(&mut game, line).iter().any(|action| matches!(action, GameAction::Warn(_))), "{line}");
            }
            assert_eq!(game.record().ending_time_ms, expected, "{side} {lines:?}");
        }
    }

    #[test]
    fn a_game_without_end_is_not_followed_for_ever() {
        let (mut game, _) = started('-', "PI\n+\n");
        let shuffle = ["+2726FU", "-8384FU", "+1716FU", "-1314FU"].into_iter();
        let back_and_forth = ["+2827HI", "-8283HI", "+2728HI", "-8382HI"].into_iter().cycle();
        let tokens = shuffle.chain(back_and_forth).take(MOST_MOVES + 10);
        let actions: Vec<GameAction> = tokens.flat_map(|token| server(&mut game, &format!("{token},T0"))).collect();
        let is_warning = |action: &&GameAction| matches!(action, GameAction::Warn(text) if text.contains("5000 moves"));
        assert_eq!((actions.iter().filter(is_warning).count(), game.played.len()), (1, MOST_MOVES));
    }
}
