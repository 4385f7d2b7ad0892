//! The state machine of a game, without connection, engine or clock. Each test is named after the promise that it checks.

use std::time::{Duration, Instant};

use kiki_board::Color;
use kiki_csa::game::Game;
use kiki_csa::game::{BadAnswer, GameAction, GameRules, PonderMode};
use kiki_csa::protocol::ServerLine;
use kiki_csa::summary::SummaryReader;
use kiki_record::{EndReason, GameEnd, GameOutcome, MoveScore, to_csa};
use kiki_usi::{BestMove, Info, UsiScore};

const TIME: &str = "BEGIN Time\nTotal_Time:300\nByoyomi:0\nIncrement:10\nEND Time\n";

fn rules(ponder: PonderMode) -> GameRules {
    GameRules { margin: Duration::from_millis(500), ponder, declares: true, comments: true }
}

fn game_from(side: char, position: &str, rules: GameRules) -> Game {
    let text = format!(
        "Game_ID:id\nName+:b\nName-:w\nYour_Turn:{side}\n{TIME}BEGIN Position\n{position}END Position\nEND Game_Summary"
    );
    let mut reader = SummaryReader::default();
    let summary = text.lines().find_map(|line| reader.read(line)).expect("an end").expect("a summary");
    Game::new(summary, rules).expect("a game")
}

/// A game of the client in progress, with a stopped clock.
struct Played {
    game: Game,
    now: Instant,
}

impl Played {
    fn new(side: char, position: &str, rules: GameRules) -> (Self, Vec<String>) {
        let mut played = Self { game: game_from(side, position, rules), now: Instant::now() };
        let actions = played.game.start(played.now);
        (played, texts(&actions))
    }

    fn start(side: char, ponder: PonderMode) -> (Self, Vec<String>) {
        Self::new(side, "PI\n+\n", rules(ponder))
    }

    fn server(&mut self, line: &str) -> Vec<String> {
        texts(&self.game.line(&ServerLine::parse(line.as_bytes()), self.now))
    }

    fn engine(&mut self, best: &BestMove) -> Vec<String> {
        texts(&self.game.answer(best, &Info::default()).expect("a good answer"))
    }
}

/// Actions in words, without `Save`, which every move brings.
fn texts(actions: &[GameAction]) -> Vec<String> {
    let text = |action: &GameAction| match action {
        GameAction::Save => None,
        GameAction::Send(line) => Some(format!("send {line}")),
        GameAction::Think(task) => Some(format!("{} | go{}", task.position, task.clocks)),
        GameAction::Ponder(task) => Some(format!("{} | go ponder{}", task.position, task.clocks)),
        GameAction::PonderHit(clocks) => Some(format!("ponderhit{clocks}")),
        GameAction::Stop => Some("stop".to_owned()),
        GameAction::Warn(text) => Some(format!("warn {text}")),
        GameAction::Over(end) => Some(format!("over {} {}", end.outcome, end.reason)),
    };
    actions.iter().filter_map(text).collect()
}

const NOTHING: [&str; 0] = [];

#[test]
fn the_server_and_not_the_client_counts_time() {
    let (mut played, started) = Played::start('+', PonderMode::Off);
    assert_eq!(started, ["position startpos | go btime 299000 wtime 300000 binc 10000 winc 10000"]);
    assert_eq!(played.engine(&BestMove::new("7g7f")), ["send +7776FU"]);
    assert!(played.game.awaits_confirmation());
    assert_eq!(played.server("+7776FU,T25"), NOTHING);
    let go = "position startpos moves 7g7f 3c3d | go btime 284000 wtime 307000 binc 10000 winc 10000";
    assert_eq!(played.server("-3334FU,T3"), [go]);
}

#[test]
fn pondering_begins_with_the_servers_time_and_a_hit_needs_no_new_search() {
    let (mut played, _) = Played::start('+', PonderMode::On);
    assert_eq!(played.engine(&BestMove::with_ponder("7g7f", "3c3d")), ["send +7776FU"]);
    let ponder = "position startpos moves 7g7f 3c3d | go ponder btime 304000 wtime 300000 binc 10000 winc 10000";
    assert_eq!(played.server("+7776FU,T5"), [ponder]);
    assert_eq!(played.server("-3334FU,T8"), ["ponderhit"]);
    assert!(played.game.is_thinking());
}

#[test]
fn another_move_than_expected_stops_the_search_and_begins_a_new_one() {
    let (mut played, _) = Played::start('+', PonderMode::On);
    played.engine(&BestMove::with_ponder("7g7f", "3c3d"));
    played.server("+7776FU,T5");
    let go = "position startpos moves 7g7f 8c8d | go btime 304000 wtime 302000 binc 10000 winc 10000";
    assert_eq!(played.server("-8384FU,T8"), ["stop", go]);
}

#[test]
fn early_pondering_begins_with_the_move_and_learns_the_times_by_ponderhit() {
    let (mut played, _) = Played::start('+', PonderMode::Early);
    let actions = played.engine(&BestMove::with_ponder("7g7f", "3c3d"));
    assert_eq!(actions, ["send +7776FU", "position startpos moves 7g7f 3c3d | go ponder"]);
    assert_eq!(played.server("+7776FU,T5"), NOTHING);
    assert_eq!(played.server("-3334FU,T8"), ["ponderhit btime 304000 wtime 302000 binc 10000 winc 10000"]);
}

#[test]
fn without_an_expected_move_the_second_of_the_line_of_play_is_pondered_on() {
    let (mut played, _) = Played::start('+', PonderMode::On);
    let pv = ["7g7f", "8c8d", "2g2f"].map(str::to_owned).to_vec();
    let info = Info { score: Some(UsiScore::cp(31)), pv, depth: Some(9), ..Info::default() };
    let actions = played.game.answer(&BestMove::new("7g7f"), &info).unwrap();
    assert_eq!(texts(&actions), ["send +7776FU,'* 31 -8384FU +2726FU"]);
    assert!(played.server("+7776FU,T1")[0].starts_with("position startpos moves 7g7f 8c8d | go ponder"));
    // An illegal expected move is ignored.
    let (mut played, _) = Played::start('+', PonderMode::On);
    played.engine(&BestMove::with_ponder("7g7f", "7g7f"));
    assert_eq!(played.server("+7776FU,T1"), NOTHING);
}

#[test]
fn no_answer_that_would_lose_is_ever_sent() {
    let (mut played, _) = Played::start('+', PonderMode::Off);
    for token in ["7g7e", "none", "3c3d", "", "7g7f+"] {
        let bad = played.game.answer(&BestMove::new(token), &Info::default()).unwrap_err();
        assert_eq!(bad, BadAnswer::Illegal(token.to_owned()));
    }
    assert_eq!(played.game.answer(&BestMove::Win, &Info::default()), Err(BadAnswer::FalseDeclaration));
    assert!(played.game.is_thinking(), "the engine is still to be asked");
    let later = played.now + Duration::from_secs(100);
    let task = played.game.think_again(later).unwrap();
    assert_eq!(task.clocks.to_string(), " btime 199500 wtime 300000 binc 10000 winc 10000");
    let info = Info { pv: vec!["2g2f".to_owned()], ..Info::default() };
    assert_eq!(played.game.fallback(&info), Some(BestMove::new("2g2f")));
    let any = played.game.fallback(&Info { pv: vec!["9a9i".to_owned()], ..Info::default() }).unwrap();
    assert!(played.game.answer(&any, &Info::default()).is_ok());
    // A late answer is dropped.
    assert_eq!(played.engine(&BestMove::new("2g2f")), NOTHING);
}

#[test]
fn an_answer_that_is_quoted_is_cut() {
    let (mut played, _) = Played::start('+', PonderMode::Off);
    let bad = played.game.answer(&BestMove::new("\u{1b}".repeat(1 << 20)), &Info::default()).unwrap_err();
    assert!(bad.to_string().len() < 150 && !bad.to_string().contains('\u{1b}'), "{bad}");
}

#[test]
fn a_game_without_end_is_not_followed_for_ever() {
    let (mut played, _) = Played::start('-', PonderMode::Off);
    let shuffle = ["+2726FU", "-8384FU", "+1716FU", "-1314FU"].into_iter();
    let back_and_forth = ["+2827HI", "-8283HI", "+2728HI", "-8382HI"].into_iter().cycle();
    let mut warnings = shuffle.chain(back_and_forth).take(5010).flat_map(|token| {
        let actions = played.server(&format!("{token},T0"));
        actions.into_iter().filter(|text| text.starts_with("warn the game has more than 5000 moves"))
    });
    assert!(warnings.next().is_some() && warnings.next().is_none());
    assert_eq!(played.game.played().len(), 5000);
}

#[test]
fn the_engine_is_stopped_before_the_flag_falls() {
    let (played, _) = Played::start('+', PonderMode::Off);
    let times = played.game.deadlines().unwrap();
    assert_eq!(times.stop - played.now, Duration::from_millis(309_750));
    assert_eq!(times.give_up - played.now, Duration::from_millis(309_875));
    let (other, _) = Played::start('-', PonderMode::Off);
    assert_eq!(other.game.deadlines(), None);
}

#[test]
fn the_way_to_the_server_and_back_counts_as_time_that_is_gone() {
    let (mut played, _) = Played::start('+', PonderMode::Off);
    for (round_trip, stop, give_up) in [(300, 309_450, 309_575), (1_000_000, 154_750, 154_875)] {
        played.game.set_round_trip(Duration::from_millis(round_trip));
        let times = played.game.deadlines().unwrap();
        assert_eq!(times.stop - played.now, Duration::from_millis(stop), "at most half of the time is kept for it");
        assert_eq!(times.give_up - played.now, Duration::from_millis(give_up));
        let told = played.game.think_again(played.now + Duration::from_millis(1)).unwrap().clocks;
        let told = told.btime.unwrap() + told.binc.unwrap();
        assert_eq!(told, stop as i64 - 125 - 1, "the engine answers before it is stopped");
    }
}

/// Black's king is in the camp with eleven pieces there and 28 points.
const ENTERED: &str = "P1+OU+KI+KI+KI+KI+GI+GI+GI+GI\nP2+RY+UM * * * * * * * \nP3 *  *  *  *  *  *  *  *  * \n\
    P4 *  *  *  *  *  *  *  *  * \nP5 *  *  *  *  *  *  *  *  * \nP6 *  *  *  *  *  *  *  *  * \n\
    P7 *  *  *  *  *  *  *  *  * \nP8 *  *  *  *  *  *  *  *  * \nP9 *  *  *  * -OU *  *  *  * \n\
    P+00HI00KA\n";

#[test]
fn a_declaration_that_wins_is_made_at_once() {
    let (mut played, started) = Played::new('+', &format!("{ENTERED}+\n"), rules(PonderMode::Off));
    assert_eq!(started, ["send %KACHI"]);
    for line in ["%KACHI,T0", "%KACHI", "#JISHOGI"] {
        assert_eq!(played.server(line), NOTHING);
    }
    assert_eq!(played.server("#WIN"), ["over black-wins declaration"]);
    let asked = GameRules { declares: false, ..rules(PonderMode::Off) };
    let (mut played, started) = Played::new('+', &format!("{ENTERED}+\n"), asked);
    assert!(started[0].contains("| go btime"));
    assert_eq!(played.engine(&BestMove::Win), ["send %KACHI"]);
}

#[test]
fn a_side_that_is_mated_resigns_without_asking() {
    let mated = "P1 *  *  *  * -OU *  *  *  * \nP2 *  *  *  * +KI *  *  *  * \nP3 *  *  *  * +FU *  *  *  * \n\
        P9 *  *  *  * +OU *  *  *  * \n-\n";
    let (_, started) = Played::new('-', mated, rules(PonderMode::Off));
    assert_eq!(started, ["send %TORYO"]);
}

#[test]
fn a_search_ends_before_the_end_of_the_game_is_said() {
    // The other side moves into the declaration while the engine ponders on something else.
    let position = format!("{ENTERED}-\n");
    let (mut played, _) = Played::new('+', &position, rules(PonderMode::On));
    assert_eq!(played.server("-5958OU,T1"), ["send %KACHI"]);
    let (mut played, _) = Played::start('+', PonderMode::On);
    played.engine(&BestMove::with_ponder("7g7f", "3c3d"));
    played.server("+7776FU,T5");
    assert_eq!(played.server("#TIME_UP"), NOTHING);
    assert_eq!(played.server("#WIN"), ["over black-wins time"]);
    assert_eq!(played.server("-3334FU,T8"), NOTHING, "nothing comes after the end");
}

#[test]
fn what_cannot_be_is_told_and_the_end_awaited() {
    let (mut played, _) = Played::start('+', PonderMode::On);
    played.engine(&BestMove::with_ponder("7g7f", "3c3d"));
    played.server("+7776FU,T5");
    let actions = played.server("-3344FU,T1");
    assert!(actions[0].starts_with("warn the move `-3344FU` is illegal") && actions[1] == "stop", "{actions:?}");
    assert_eq!(played.server("+2726FU"), NOTHING);
    played.server("#ILLEGAL_MOVE");
    assert_eq!(played.server("#WIN"), ["over black-wins illegal-move"]);
    // The client accepts a move of its side that it did not send.
    let (mut played, _) = Played::start('+', PonderMode::Off);
    let actions = played.server("+2726FU,T9");
    assert_eq!(actions, ["stop", "warn the server says that this side played +2726FU"]);
    assert!(played.server("-8384FU,T1")[0].starts_with("position startpos moves 2g2f 8c8d | go"));
}

#[test]
fn the_record_has_scores_of_the_own_moves_and_the_servers_times() {
    let (mut played, _) = Played::new('+', "PI\n+\n+2726FU,T3\n-8384FU,T4\n", rules(PonderMode::Off));
    let info = Info { score: Some(UsiScore::cp(-12)), pv: vec!["7g7f".to_owned()], depth: Some(4), ..Info::default() };
    played.game.answer(&BestMove::new("7g7f"), &info).unwrap();
    played.server("+7776FU,T6");
    assert_eq!(played.game.record().outcome, GameOutcome::Unknown);
    played.server("%TORYO");
    played.server("#RESIGN");
    played.server("#WIN");
    let end = GameEnd::win_of(Color::Black, EndReason::Resignation);
    assert_eq!(played.game.end(), Some(end));
    let record = played.game.record();
    let times: Vec<_> = record.moves.iter().map(|mv| mv.time_ms).collect();
    assert_eq!(times, [Some(3000), Some(4000), Some(6000)]);
    assert_eq!(record.moves[2].score, Some(MoveScore::Cp(-12)));
    assert!(to_csa(&record).unwrap().contains("+7776FU\nT6\n'** -12\n"));
}

#[test]
fn a_game_that_is_broken_off_has_no_result() {
    let (mut played, _) = Played::start('-', PonderMode::Off);
    assert_eq!(texts(&played.game.break_off()), ["over unknown interrupted"]);
    assert_eq!(texts(&played.game.break_off()), NOTHING);
}

#[test]
fn a_game_that_is_given_up_has_the_result_that_the_server_gives() {
    let (mut played, _) = Played::start('-', PonderMode::Off);
    assert_eq!(texts(&played.game.give_up()), ["over black-wins forfeit"]);
    assert_eq!(texts(&played.game.give_up()), NOTHING);
    // Its resignation, or that of the other side, is on its way.
    let (mut played, _) = Played::start('+', PonderMode::Off);
    assert_eq!(played.engine(&BestMove::Resign), ["send %TORYO"]);
    assert_eq!(texts(&played.game.give_up()), ["over white-wins resignation"]);
    let (mut played, _) = Played::start('-', PonderMode::Off);
    played.server("%TORYO");
    played.server("#RESIGN");
    assert_eq!(texts(&played.game.give_up()), ["over white-wins resignation"]);
    // The server's decision on a declaration is unknown.
    let (mut played, started) = Played::new('+', &format!("{ENTERED}+\n"), rules(PonderMode::Off));
    assert_eq!(started, ["send %KACHI"]);
    assert_eq!(texts(&played.game.give_up()), ["over unknown interrupted"]);
    // The server sent an impossible move.
    let (mut played, _) = Played::start('-', PonderMode::Off);
    played.server("+7775FU");
    assert_eq!(texts(&played.game.give_up()), ["over black-wins forfeit"]);
}

#[test]
fn the_engine_begins_before_the_record_is_saved() {
    let mut played = game_from('+', "PI\n+\n", rules(PonderMode::Off));
    let actions = played.start(Instant::now());
    assert!(matches!(actions[..], [GameAction::Think(_), GameAction::Save]), "{actions:?}");
}
