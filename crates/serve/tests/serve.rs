//! The server as a browser and as an attacker meet it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kiki_book::Book;
use kiki_eval::SelectedWeights;
use kiki_serve::{Server, Settings};
use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest as _;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::{Message, WebSocket};

/// A server that runs until the tests end.
struct Site {
    /// As `127.0.0.1:8000`.
    host: String,
    /// As `/0123abcd/`.
    path: String,
}

impl Site {
    fn start(tabs: usize) -> Self {
        Self::start_with(settings(tabs))
    }

    fn start_with(settings: Settings) -> Self {
        let server = Server::bind(Some(0), None, settings).unwrap();
        let address = server.address();
        std::thread::spawn(move || server.run());
        let (host, path) = address.strip_prefix("http://").unwrap().split_once('/').unwrap();
        Self { host: host.to_owned(), path: format!("/{path}") }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// The whole answer to a request.
    fn answer(&self, request: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        // A connection that is cut has answered nothing.
        let _ = stream.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The first line of the answer to a request for a path.
    fn status(&self, path: &str, headers: &str) -> String {
        let answer = self.answer(&format!("GET {path} HTTP/1.1\r\n{headers}\r\n"));
        answer.lines().next().unwrap_or_default().to_owned()
    }

    fn tab(&self) -> Tab {
        self.tab_of(&format!("http://{}", self.host)).unwrap()
    }

    fn tab_of(&self, origin: &str) -> Option<Tab> {
        let mut request = format!("ws://{}{}socket", self.host, self.path).into_client_request().unwrap();
        request.headers_mut().insert("origin", origin.parse().unwrap());
        let (socket, _) = tungstenite::client(request, self.connect()).inspect_err(|error| println!("{error}")).ok()?;
        Some(Tab { socket, asked: 0 })
    }
}

fn settings(tabs: usize) -> Settings {
    Settings {
        weights: SelectedWeights::default(),
        sigma: Arc::new(kiki_network::embedded_sigma(true).unwrap()),
        threads: 1,
        table_mebibytes: 4,
        tabs,
        book: None,
        program: "Kiki".to_owned(),
    }
}

struct Tab {
    socket: WebSocket<TcpStream>,
    asked: u64,
}

impl Tab {
    fn send(&mut self, mut request: Value) -> u64 {
        self.asked += 1;
        if request["ask"] != "stop" {
            request["id"] = json!(self.asked);
        }
        self.socket.send(Message::text(request.to_string())).unwrap();
        self.asked
    }

    fn receive(&mut self) -> Value {
        serde_json::from_str(self.socket.read().unwrap().to_text().unwrap()).unwrap()
    }

    /// The last reply to a request.
    fn ask(&mut self, request: Value) -> Value {
        let id = self.send(request);
        self.last_reply(id)
    }

    fn last_reply(&mut self, id: u64) -> Value {
        loop {
            let reply = self.receive();
            if reply["id"] == id && reply["is"] != "line" {
                return reply;
            }
        }
    }

    /// The bytes of a file, and the letters that its encoding lacks.
    fn write(&mut self, extension: &str, record: &Value) -> (Vec<u8>, String) {
        let written = self.ask(json!({"ask": "write", "extension": extension, "record": record}));
        let bytes = written["bytes"].as_str().unwrap_or_else(|| panic!("{written}"));
        (bytes.chars().map(|letter| letter as u8).collect(), written["letters"].as_str().unwrap().to_owned())
    }

    fn position(&mut self, start: &str, moves: &[String]) -> Value {
        let reply = self.ask(json!({"ask": "position", "line": {"start": start, "moves": moves}}));
        assert_eq!(reply["is"], "position", "{reply}");
        reply["position"].clone()
    }
}

const EVEN: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

#[test]
fn a_bad_move_and_a_good_one_have_their_reasons() {
    let mut tab = Site::start(1).tab();
    let line = json!({"start": EVEN, "moves": ["7g7f", "3c3d"]});
    let mut why = |mv: &str, good: bool| tab.ask(json!({"ask": "why", "line": line, "move": mv, "good": good}));
    let bad = why("8h3c+", false);
    let reason = &bad["reason"];
    assert_eq!(reason["pattern"], "allows-capture", "{bad}");
    assert!(reason["english"].as_str().unwrap().ends_with(" takes the horse on 3c for nothing."), "{bad}");
    assert!(reason["japanese"].as_str().unwrap().ends_with("、３三の馬をただで取られます。"), "{bad}");
    assert_eq!((&bad["of"]["move"], &reason["pv"]), (&json!("8h3c+"), &json!(["8h3c+", "2b3c"])));
    assert_eq!((&reason["pv_japanese"][1], &reason["pv_western"][1]), (&json!("△同角"), &json!("Bx3c")));
    assert_eq!(why("2g2f", true)["is"], "reason");
    assert_eq!(why("8h2c", false)["is"], "error", "it is illegal");
}

#[test]
fn a_game_does_not_wait_for_a_reason() {
    let book = Some(Arc::new(Book::built_in().unwrap()));
    let mut tab = Site::start_with(Settings { book, ..settings(1) }).tab();
    let line = json!({"start": EVEN, "moves": []});
    let why = tab.send(json!({"ask": "why", "line": line, "move": "9i9h", "good": false}));
    let strength = json!({"level": 20, "seed": 1});
    let play = tab.send(json!({"ask": "play", "line": line, "strength": strength, "time": {"move": 60_000}}));
    let replies = [tab.receive(), tab.receive()].map(|reply| reply["id"].as_u64().unwrap());
    assert_eq!(replies, [play, why]);
}

#[test]
fn the_book_answers_at_once_and_a_weak_level_leaves_it_early() {
    let book = Some(Arc::new(Book::built_in().unwrap()));
    let mut tab = Site::start_with(Settings { book, ..settings(1) }).tab();
    let mut play = |level: u32, seed: u64, moves: &[String]| {
        let (line, strength) = (json!({"start": EVEN, "moves": moves}), json!({"level": level, "seed": seed}));
        let time = json!({"clock": {"black": 1_800_000, "white": 1_800_000, "byoyomi": 60_000, "increment": 0}});
        let asked = Instant::now();
        let reply = tab.ask(json!({"ask": "play", "line": line, "strength": strength, "time": time}));
        assert_eq!(reply["action"], "move", "{reply}");
        let is_quick = asked.elapsed() < Duration::from_secs(1);
        assert!(is_quick || reply["book"] == false, "{reply} after {:?}", asked.elapsed());
        (reply["mv"]["move"].as_str().unwrap().to_owned(), reply["book"] == true, reply["value"]["cp"].as_i64())
    };
    // Both sides play by the book; then a beginner knows no more of it.
    let mut moves = Vec::new();
    for ply in 1..=6 {
        let (mv, of_book, value) = play(20, 5, &moves);
        assert!(of_book && value.is_some(), "{moves:?}");
        assert_eq!(play(20, 5, &moves).0, mv, "the same game has the same move");
        assert_eq!(play(0, 5, &moves).1, ply <= 4, "{moves:?}");
        moves.push(mv);
    }
    let firsts: std::collections::HashSet<String> = (0..20).map(|seed| play(20, seed, &[]).0).collect();
    assert!(firsts.len() > 1, "games differ: {firsts:?}");
}

#[test]
fn only_whoever_knows_the_address_and_comes_from_it_gets_the_page() {
    let site = Site::start(1);
    let host = format!("Host: {}\r\n", site.host);
    let served = |path: &str, headers: &str| site.status(path, headers).contains(" 200 ");
    assert!(served(&site.path, &host));
    assert!(served(&site.path, &format!("{host}Origin: http://{}\r\n", site.host)));
    let elsewhere = format!("{host}Origin: http://elsewhere.example\r\n");
    for (path, headers) in [
        ("/", host.as_str()),
        ("/0123/", &host),
        (&format!("{}../../etc/passwd", site.path), &host),
        (&site.path, ""),
        (&site.path, "Host: elsewhere.example\r\n"),
        (&site.path, &elsewhere),
    ] {
        assert!(!served(path, headers), "{path} {headers}");
    }
    assert!(site.tab_of("http://elsewhere.example").is_none());
    assert!(site.tab_of(&format!("http://{}", site.host)).is_some());
}

#[test]
fn the_address_stays_unless_its_port_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    let bind = |port| Server::bind(port, Some(&token), settings(1)).unwrap();
    let secret = |server: &Server| server.address().rsplit('/').nth(1).unwrap().to_owned();
    let first = bind(Some(0));
    let port = first.address().rsplit(':').next().unwrap().split('/').next().unwrap().parse().unwrap();
    let address = first.address();
    drop(first);
    let again = bind(Some(port));
    assert_eq!(again.address(), address);
    assert!(Server::bind(Some(port), Some(&token), settings(1)).is_err());
    // One of two without a wish has the usual port, whoever has it before the test.
    let [one, two] = [bind(None), bind(None)];
    assert_ne!(one.address(), two.address());
    assert!(two.notes()[0].contains("port 25454"), "{:?}", two.notes());
    assert_ne!(secret(&two), secret(&again), "the other program must not learn the kept token");
}

#[test]
fn games_by_the_protocol_end_by_the_rules_without_a_lost_move() {
    let site = Site::start(2);
    let mut tab = site.tab();
    for seed in 0..3_u64 {
        let mut moves: Vec<String> = Vec::new();
        let mut choice = seed;
        let end = loop {
            let facts = tab.position(EVEN, &moves);
            if !facts["end"].is_null() || moves.len() > 400 {
                break facts["end"].clone();
            }
            let legal = facts["legal"].as_array().unwrap();
            let is_black = moves.len().is_multiple_of(2);
            assert!(facts["sfen"].as_str().unwrap().contains(if is_black { " b " } else { " w " }));
            if is_black {
                choice = choice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let chosen = &legal[(choice >> 33) as usize % legal.len()];
                moves.push(chosen["move"].as_str().unwrap().to_owned());
            } else {
                let clock = json!({"clock": {"black": 60000, "white": 60000, "byoyomi": 0, "increment": 1000}});
                let strength = json!({"level": 3, "seed": seed});
                let reply =
                    tab.ask(json!({"ask": "play", "line": {"start": EVEN, "moves": moves}, "strength": strength, "time": clock}));
                assert_eq!((&reply["is"], &reply["action"]), (&json!("answer"), &json!("move")), "{reply}");
                assert!(legal.contains(&reply["mv"]), "{reply}");
                moves.push(reply["mv"]["move"].as_str().unwrap().to_owned());
            }
        };
        assert!(
            end.is_null() || ["checkmate", "sennichite", "perpetual-check"].contains(&end["reason"].as_str().unwrap()),
            "{end}"
        );
    }
}

#[test]
fn a_clock_beyond_all_counting_is_one_without_an_end() {
    let site = Site::start(1);
    let time = json!({"clock": {"black": u64::MAX, "white": u64::MAX, "byoyomi": u64::MAX, "increment": u64::MAX}});
    let line = json!({"start": "4k4/9/9/9/9/9/4P4/9/4K4 b - 50", "moves": []});
    let mut tab = site.tab();
    let id = tab.send(json!({"ask": "play", "line": line, "strength": {"level": 20, "seed": 1}, "time": time}));
    // The search plans its time after the first iterations.
    std::thread::sleep(Duration::from_millis(500));
    tab.send(json!({"ask": "stop"}));
    let reply = tab.last_reply(id);
    assert_eq!(reply["is"], "answer", "{reply}");
}

#[test]
fn an_analysis_runs_until_the_next_request_and_mates_are_found() {
    let site = Site::start(1);
    let mut tab = site.tab();
    let line = json!({"start": EVEN, "moves": ["7g7f"]});
    let endless = tab.send(json!({"ask": "analyze", "line": line, "lines": 2, "limit": "none"}));
    let ranks: Vec<u64> = (0..4).map(|_| tab.receive()["line"]["rank"].as_u64().unwrap()).collect();
    assert!(ranks.contains(&1) && ranks.contains(&2), "{ranks:?}");
    let id = tab.send(json!({"ask": "analyze", "line": line, "lines": 1, "limit": {"nodes": 3000}}));
    let mut answers = Vec::new();
    while answers.len() < 2 {
        let reply = tab.receive();
        if reply["is"] == "answer" {
            answers.push(reply["id"].as_u64().unwrap());
        }
    }
    assert_eq!(answers, [endless, id]);
    let head = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1";
    let mate = tab.ask(json!({"ask": "mate", "line": {"start": head, "moves": []}, "seconds": 5.0}));
    assert_eq!((&mate["verdict"], &mate["moves"][0]["move"]), (&json!("mate"), &json!("G*5b")));
    let defence = tab.ask(json!({"ask": "defend", "line": {"start": head, "moves": ["G*5b"]}}));
    assert_eq!(defence["defence"], json!({"kind": "mated"}));
}

#[test]
fn a_record_is_read_and_written() {
    let site = Site::start(1);
    let mut tab = site.tab();
    let kif = "game.kif\n手合割：平手\n1 ７六歩(77)\n*good\n2 ３四歩(33)\n\n変化：2手\n2 ８四歩(83)\n";
    tab.socket.send(Message::binary(kif.as_bytes().to_vec())).unwrap();
    let reply = tab.receive();
    assert_eq!((&reply["is"], &reply["games"]), (&json!("record"), &json!(1)), "{reply}");
    assert_eq!(reply["record"]["variations"][0]["moves"][0]["western"], "P-8d");
    for (extension, words) in
        [("kifu", "変化：2手"), ("csa", "+7776FU"), ("jkf", "\"forks\""), ("usi", "startpos moves 7g7f 3c3d")]
    {
        let written = tab.write(extension, &reply["record"]);
        assert!(String::from_utf8(written.0).unwrap().contains(words), "{extension}");
    }
    // Old programs expect Shift_JIS in `.kif`.
    let mut record = reply["record"].clone();
    record["comment"] = json!("歩 ♞");
    let (bytes, letters) = tab.write("kif", &record);
    assert!(bytes.windows(4).any(|found| found == b"\x95\xe0 &"), "歩 and a reference");
    assert_eq!((letters.as_str(), std::str::from_utf8(&bytes).is_err()), ("♞", true));
    assert_eq!(tab.write("kifu", &record).1, "");
    tab.socket.send(Message::binary(b"letter.txt\nDear Sir".to_vec())).unwrap();
    assert_eq!(tab.receive()["is"], "error");
}

#[test]
fn the_end_of_a_variation_is_kept() {
    let mut tab = Site::start(1).tab();
    let kif = "手合割：平手\n1 ７六歩(77)\n2 ３四歩(33)\n\n変化：2手\n2 ８四歩(83)\n3 ９九玉(59)\n\n変化：2手\n2 ４四歩(43)\n3 投了\n";
    tab.socket.send(Message::binary(format!("a.kif\n{kif}").into_bytes())).unwrap();
    let record = tab.receive()["record"].clone();
    let end = |at: usize| record["variations"][at]["ending"].clone();
    assert_eq!((&end(0)["reason"], &end(0)["remark"]), (&json!("illegal-move"), &json!("９九玉")));
    assert_eq!(end(1)["reason"], "resignation");
    // The browser keeps a record without what is empty.
    let mut slim = record.clone();
    slim["variations"][1]["ending"] = json!({"outcome": end(1)["outcome"], "reason": "resignation"});
    for record in [record, slim] {
        let (bytes, _) = tab.write("kifu", &record);
        let written = String::from_utf8(bytes).unwrap();
        assert!(written.contains("投了") && written.contains("９九玉"), "{written}");
    }
}

#[test]
fn every_game_of_a_file_is_read() {
    let site = Site::start(1);
    let mut tab = site.tab();
    let mut read = |bytes: &str| tab.ask(json!({"ask": "read", "name": "games.txt", "bytes": bytes}));
    let found = read("startpos moves 7g7f\nstartpos moves 7g7e\n9/9/9/9/9/9/9/9/9 b - 1\nstartpos moves 2g2f\n");
    let first = |at: usize| &found["records"][at]["moves"][0]["move"];
    assert_eq!((first(0), first(1)), (&json!("7g7f"), &json!("2g2f")), "{found}");
    assert_eq!((found["records"].as_array().unwrap().len(), found["refused"].as_array().unwrap().len()), (2, 2));
    assert_eq!((&found["refused"][0]["line"], &found["refused"][1]["reason"]), (&json!(2), &json!("no-king")));
    // Bytes of a text in Shift_JIS.
    let bytes: String = b"\x8e\xe8\x8d\x87\x8a\x84\x81F\x95\xbd\x8e\xe8\n1 2\x98Z\x95\xe0(27)\n"
        .iter()
        .copied()
        .map(char::from)
        .collect();
    assert_eq!(read(&bytes)["records"][0]["moves"][0]["move"], "2g2f");
    assert_eq!(read("\u{100}")["is"], "error");
    assert_eq!(read("Dear Sir")["refused"][0]["reason"], "unknown-form");
}

#[test]
fn what_the_search_of_a_game_found_is_in_its_record() {
    let site = Site::start(1);
    let mut tab = site.tab();
    let search =
        |value: i32, moves: &[&str]| json!({"value": {"cp": value}, "depth": 9, "nodes": 1000, "moves": moves});
    let record = json!({
        "start": EVEN,
        "search": search(30, &["2g2f", "8c8d"]),
        "moves": [
            {"move": "7g7f", "search": search(40, &["3c3d", "2g2f"])},
            {"move": "3c3d", "search": search(50, &["2g2f"])},
            {"move": "8h3c+", "search": search(-700, &["2b3c"]), "comment": "early\n? 疑問手 勝率－19% 最善は▲６八銀"},
        ],
        "variations": [{"after": 2, "moves": [{"move": "6g6f", "search": search(45, &["8c8d"])}]}],
    });
    let kif = String::from_utf8(tab.write("kifu", &record).0).unwrap();
    for words in [
        "1 ７六歩(77)   +\n**評価値=40\n**読み筋=△３４歩▲２６歩\n",
        "2 ３四歩(33)   \n**評価値=40\n**読み筋=▲２６歩\n",
        "3 ３三角成(88) +\n**評価値=-700\n**読み筋=△同角\n*early\n*?? 悪手 勝率−28% 最善は▲２六歩\n",
        "変化：1手\n   1 ２六歩(27)   \n**評価値=30\n**info depth 9 nodes 1000\n",
        "変化：3手\n   3 ６六歩(67)   \n**評価値=45\n",
        "変化：3手\n   3 ２六歩(27)   \n**評価値=50\n",
    ] {
        assert_eq!(kif.matches(words).count(), 1, "{words}\n{kif}");
    }
}

#[test]
fn an_illegal_move_breaks_a_rule() {
    let site = Site::start(1);
    let mut tab = site.tab();
    for (mv, rule) in [("7g7f", Value::Null), ("7g7e", json!("unreachable")), ("3c3d", json!("other-side"))] {
        let reply = tab.ask(json!({"ask": "rule", "line": {"start": EVEN, "moves": []}, "move": mv}));
        assert_eq!((&reply["is"], &reply["rule"]), (&json!("rule"), &rule), "{mv}");
    }
}

#[test]
fn what_is_no_request_gets_an_error_and_the_tab_goes_on() {
    let site = Site::start(1);
    let mut tab = site.tab();
    let mated = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";
    for (request, words) in [
        (json!({"ask": "position", "line": {"start": "nonsense", "moves": []}}), "SFEN"),
        (json!({"ask": "position", "line": {"start": EVEN, "moves": ["7g7e"]}}), "7g7e"),
        (json!({"ask": "position", "line": {"start": EVEN, "moves": vec!["7g7f"; 6000]}}), "5000"),
        (json!({"ask": "write", "extension": "word", "record": {}}), "form"),
        (json!({"ask": "write", "extension": "usi", "record": {"start": EVEN, "moves": ["7g7f"]}}), "no request"),
        (json!({"ask": "rule", "line": {"start": EVEN, "moves": []}, "move": "7g"}), "7g"),
    ] {
        let reply = tab.ask(request);
        assert!(reply["is"] == "error" && reply["text"].as_str().unwrap().contains(words), "{reply}");
    }
    for text in ["", "{", "[[[[", "{\"ask\":\"fly\"}", "null"] {
        tab.socket.send(Message::text(text)).unwrap();
        assert_eq!(tab.receive()["is"], "error", "{text}");
    }
    // Without a move the engine resigns; odd numbers are accepted.
    let over = tab.ask(json!({"ask": "play", "line": {"start": mated, "moves": []}, "strength": {"level": 99, "seed": 0}, "time": {"move": 0}}));
    assert_eq!(over["action"], "resign");
    for seconds in [-1.0, 1e300] {
        let mate = tab.ask(json!({"ask": "mate", "line": {"start": EVEN, "moves": []}, "seconds": seconds}));
        assert_eq!(mate["is"], "mate");
    }
    assert_eq!(tab.position(EVEN, &[])["legal"].as_array().unwrap().len(), 30);
}

#[test]
fn tabs_are_bounded_and_a_tab_that_goes_away_stops_its_search() {
    let site = Site::start(1);
    let mut first = site.tab();
    first.send(json!({"ask": "analyze", "line": {"start": EVEN, "moves": []}, "lines": 1, "limit": "none"}));
    first.receive();
    let Message::Close(Some(frame)) = site.tab().socket.read().unwrap() else { panic!("a second tab") };
    assert_eq!(frame.code, CloseCode::Again);
    // Its place is free when its search has ended.
    drop(first);
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        assert!(Instant::now() < end, "the search goes on");
        let mut next = site.tab();
        next.send(json!({"ask": "position", "line": {"start": EVEN, "moves": []}}));
        match next.socket.read() {
            Ok(Message::Text(_)) => break,
            _ => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}

#[test]
fn hostile_connections_cost_only_themselves() {
    // The place of an ended tab may stay taken for a moment.
    let site = Site::start(3);
    let mut tab = site.tab();
    let host = format!("Host: {}\r\n", site.host);
    // More connections than are kept; they say nothing or never end their request.
    let mut idle: Vec<TcpStream> = (0..400).map(|_| site.connect()).collect();
    for (index, stream) in idle.iter_mut().enumerate().filter(|(index, _)| index % 2 == 0) {
        let _ = write!(stream, "GET {} HTTP/1.1\r\nX-{index}: ", site.path);
    }
    assert_eq!(tab.position(EVEN, &[])["legal"].as_array().unwrap().len(), 30);
    assert!(site.status(&site.path, &host).contains(" 200 "));
    // No HTTP, headers without end, and the announced body of a gigabyte.
    assert!(!site.answer("\u{0}\u{1}garbage\r\n\r\n").contains(" 200 "));
    let endless = format!("GET {} HTTP/1.1\r\n{host}X: {}\r\n\r\n", site.path, "x".repeat(1 << 20));
    assert!(!site.answer(&endless).contains(" 200 "));
    assert!(
        site.answer(&format!("POST {} HTTP/1.1\r\n{host}Content-Length: 1073741824\r\n\r\n", site.path))
            .contains(" 405 ")
    );
    // A message that is too long ends its tab, and no other.
    let mut large = site.tab();
    let _ = large.socket.send(Message::text("x".repeat(5 << 20)));
    assert!(!matches!(large.socket.read(), Ok(Message::Text(_))));
    // A tab that never reads.
    let mut deaf = site.tab();
    for _ in 0..2000 {
        deaf.send(json!({"ask": "stop"}));
    }
    assert_eq!(tab.position(EVEN, &["7g7f".to_owned()])["sfen"].as_str().unwrap().split(' ').nth(1), Some("w"));
}
