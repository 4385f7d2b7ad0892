//! The tables of `fixtures/`, row by row.

use kiki_board::Position;

/// A count of move sequences.
#[derive(Clone, Copy, Debug)]
pub struct PerftRow {
    pub sfen: &'static str,
    /// Depth in plies.
    pub depth: u32,
    pub nodes: u64,
    /// The purpose of the position, or its game.
    pub tag: &'static str,
}

#[derive(Clone, Copy, Debug)]
pub struct LegalMoves {
    pub sfen: &'static str,
    pub in_check: bool,
    pub count: usize,
    /// The moves in USI, sorted, separated by spaces.
    pub moves: &'static str,
}

/// A question about the rules and its answer.
#[derive(Clone, Copy, Debug)]
pub struct RuleRow {
    pub id: &'static str,
    /// `repetition`, `declaration-27`, `declaration-24`, `terminal` or `pawn-drop-mate`.
    pub category: &'static str,
    pub sfen: &'static str,
    /// Moves to play from there, or the pawn drop in question.
    pub moves: &'static str,
    /// The answer, in the words of the category.
    pub expected: &'static str,
    /// `key=value` pairs, separated by semicolons.
    pub detail: &'static str,
}

impl RuleRow {
    #[must_use]
    pub fn detail(&self, key: &str) -> Option<&'static str> {
        self.detail.split(';').find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='))
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Mate {
    /// Plies of the shortest forced mate in which every attacker's move gives check; `None`
    /// without a mate.
    pub length: Option<u32>,
    /// The position, the attacker to move.
    pub sfen: &'static str,
    /// All first moves that keep the shortest length, in USI, separated by spaces.
    pub first_moves: &'static str,
}

/// A position from a game.
#[derive(Clone, Copy, Debug)]
pub struct Midgame {
    pub sfen: &'static str,
    /// `opening`, `middlegame`, `endgame` or `entering`.
    pub phase: &'static str,
    pub in_check: bool,
}

/// `perft.tsv`.
#[must_use]
pub fn perft() -> Vec<PerftRow> {
    let text = include_str!("../fixtures/perft.tsv");
    pick(text, ["sfen", "depth", "nodes", "tag"])
        .map(|[sfen, depth, nodes, tag]| PerftRow { sfen, depth: number(depth), nodes: number(nodes), tag })
        .collect()
}

/// `legal_moves.tsv`.
#[must_use]
pub fn legal_moves() -> Vec<LegalMoves> {
    let text = include_str!("../fixtures/legal_moves.tsv");
    pick(text, ["sfen", "in_check", "count", "legal_moves"])
        .map(|[sfen, in_check, count, moves]| LegalMoves {
            sfen,
            in_check: in_check == "1",
            count: number(count),
            moves,
        })
        .collect()
}

/// `rules.tsv`.
#[must_use]
pub fn rules() -> Vec<RuleRow> {
    let text = include_str!("../fixtures/rules.tsv");
    pick(text, ["id", "category", "sfen", "moves", "expected", "detail"])
        .map(|[id, category, sfen, moves, expected, detail]| RuleRow { id, category, sfen, moves, expected, detail })
        .collect()
}

/// `mate.tsv`.
#[must_use]
pub fn mates() -> Vec<Mate> {
    let text = include_str!("../fixtures/mate.tsv");
    pick(text, ["length", "sfen", "first_moves"])
        .map(|[length, sfen, first_moves]| Mate {
            length: (length != "none").then(|| number(length)),
            sfen,
            first_moves,
        })
        .collect()
}

/// `midgame.tsv`.
#[must_use]
pub fn midgame() -> Vec<Midgame> {
    let text = include_str!("../fixtures/midgame.tsv");
    pick(text, ["sfen", "phase", "in_check"])
        .map(|[sfen, phase, in_check]| Midgame { sfen, phase, in_check: in_check == "1" })
        .collect()
}

/// `decided.tsv`: positions, and whether White has won.
pub fn decided() -> impl Iterator<Item = (&'static str, bool)> {
    let text = include_str!("../fixtures/decided.tsv");
    pick(text, ["sfen", "winner"]).map(|[sfen, winner]| (sfen, winner == "white"))
}

/// `shogihome.ybb` and `shogihome-edit.ybb`.
#[must_use]
pub fn binary_books() -> [&'static [u8]; 2] {
    [include_bytes!("../fixtures/shogihome.ybb"), include_bytes!("../fixtures/shogihome-edit.ybb")]
}

/// `openings.sfen`: the moves of each line in USI, from the start of a game.
#[must_use]
pub fn openings() -> Vec<Vec<&'static str>> {
    let text = include_str!("../fixtures/openings.sfen");
    text.lines()
        .map(|line| {
            let moves = line.strip_prefix("startpos moves ").expect("an opening from the start");
            moves.split(' ').collect()
        })
        .collect()
}

/// A position of a fixture. Panics if it is invalid.
#[must_use]
pub fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap_or_else(|error| panic!("{sfen}: {error}"))
}

/// Plays moves in USI, separated by spaces. Panics at an illegal one.
pub fn play(position: &mut Position, moves: &str) {
    for mv in moves.split_ascii_whitespace() {
        let mv = position.parse_move(mv).unwrap_or_else(|error| panic!("{error}"));
        position.make(mv);
    }
}

/// The named columns of a table whose first line names them all.
pub(crate) fn pick<const N: usize>(text: &'static str, names: [&str; N]) -> impl Iterator<Item = [&'static str; N]> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().expect("a header").split('\t').collect();
    let columns =
        names.map(|name| header.iter().position(|&column| column == name).unwrap_or_else(|| panic!("no {name}")));
    lines.map(move |line| {
        let fields: Vec<&str> = line.split('\t').collect();
        assert_eq!(fields.len(), header.len(), "fields of the row {line}");
        columns.map(|column| fields[column])
    })
}

pub(crate) fn number<T: std::str::FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("`{text}` is not a number of its column"))
}
