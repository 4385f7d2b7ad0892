//! A reason, and its sentence in two languages.

use kiki_board::{Move, PieceKind, Position, Sq};
use kiki_record::{japanese_piece, japanese_square, kanji_moves, western_moves};
use serde::{Deserialize, Serialize};

/// Maximum number of moves in a sentence; [`Reason::line`] has all.
const MOST_MOVES: usize = 9;

/// How a sentence writes moves and squares. A sentence in kanji becomes one with digits for ranks by
/// exchanging the ranks alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Notation {
    /// `▲７六歩`, `７六`.
    Kanji,
    /// `P-7f`, `7f`.
    Western,
}

impl Notation {
    fn moves(self, position: &Position, line: &[Move]) -> Vec<String> {
        match self {
            Self::Kanji => kanji_moves(position, line),
            Self::Western => western_moves(position, line),
        }
    }

    fn square(self, square: Sq) -> String {
        match self {
            Self::Kanji => japanese_square(square),
            Self::Western => english_square(square),
        }
    }

    /// The first moves of a line, one after the other.
    fn shortened(self, moves: &[String]) -> String {
        let between = if self == Self::Western { " " } else { "" };
        let shown = moves[..moves.len().min(MOST_MOVES)].join(between);
        if moves.len() > MOST_MOVES { shown + between + "…" } else { shown }
    }
}

/// What a move has to do with the theme of its line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The line begins with the played move, and the other side's reply shows the theme.
    Allows,
    /// The line begins with the best move, which shows the theme, and not with the played one.
    Misses,
    /// The line begins with the move, which shows the theme.
    Does,
    /// The line begins with the other side's move, after a pass, and is not possible after the move.
    Stops,
}

/// What taking back brings after a capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recapture {
    /// Nothing can take back.
    Impossible,
    /// By exchanges on the square it gains nothing.
    Useless,
    /// It regains a part of what was lost.
    Useful,
}

/// What happens in the line of a reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Theme {
    /// Nothing is wrong: the search plays this move too, or loses little by it.
    Sound,
    /// The solver has proved a mate by checks.
    Mate {
        /// Its length.
        plies: usize,
    },
    /// The search has proved a mate whose moves are not all checks.
    ForcedMate {
        /// Its length.
        plies: usize,
    },
    /// After a pass the solver mates by checks.
    ThreatOfMate {
        /// The length of that mate.
        plies: usize,
    },
    /// A capture gains by its exchange.
    Capture {
        /// The captured piece.
        piece: PieceKind,
        /// Where it stands.
        square: Sq,
        /// What taking back brings.
        recapture: Recapture,
    },
    /// A piece attacks several others and captures one of them.
    Fork {
        /// The attacked pieces, dearest first.
        targets: Vec<PieceKind>,
    },
    /// A pinned piece is captured.
    Pin {
        /// The pinned piece.
        piece: PieceKind,
        /// Where it stands.
        square: Sq,
    },
    /// A piece attacks another and captures it.
    Attack {
        /// The attacked piece.
        piece: PieceKind,
        /// Where it stands.
        square: Sq,
    },
    /// Several moves win material.
    Exchange {
        /// The pieces won, dearest first.
        won: Vec<PieceKind>,
        /// The pieces given for them.
        lost: Vec<PieceKind>,
        /// The pieces that the winner promotes.
        promoted: Vec<PieceKind>,
    },
    /// A piece promotes and stays.
    Promotion {
        /// The piece before it promotes.
        piece: PieceKind,
        /// Where it promotes.
        square: Sq,
    },
    /// The reply was the best move before the played one too, after a pass.
    Threat,
    /// More effects on the squares next to a king.
    NearKing {
        /// After the played move.
        played: i32,
        /// After the best move.
        best: i32,
    },
    /// No pattern holds.
    Unknown,
}

/// Why a move is bad, or good.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// What the move has to do with it.
    pub role: Role,
    /// What the line shows.
    pub theme: Theme,
    /// From the position before the move; if it [`Role::Stops`] something, after a pass there.
    pub line: Vec<Move>,
    /// The mate that is threatened at the end of the line, after a pass of the other side.
    pub threat: Vec<Move>,
    /// Whether the reply was threatened before the played move.
    pub was_threatened: bool,
}

/// A reason in words. Its line begins in the position before the move. It is empty if it would begin
/// with a pass, and if the move is sound.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ToldReason {
    /// As [`Reason::pattern`].
    pub pattern: String,
    /// The sentence in Japanese.
    pub japanese: String,
    /// The sentence in English.
    pub english: String,
    /// The sentence in Japanese with moves in western notation; empty in runs of older programs.
    #[serde(default)]
    pub japanese_western: String,
    /// The sentence in English with moves in Japanese notation; empty in runs of older programs.
    #[serde(default)]
    pub english_kanji: String,
    /// The moves in USI.
    pub pv: Vec<String>,
    /// The moves in Japanese notation, with kanji for ranks.
    pub pv_japanese: Vec<String>,
    /// The moves in western notation.
    pub pv_western: Vec<String>,
}

impl Reason {
    pub(crate) fn new(role: Role, theme: Theme, line: &[Move]) -> Self {
        Self { role, theme, line: line.to_vec(), threat: Vec::new(), was_threatened: false }
    }

    pub(crate) fn threatened(self, was_threatened: bool) -> Self {
        Self { was_threatened, ..self }
    }

    pub(crate) fn with_threat(self, threat: Vec<Move>) -> Self {
        Self { threat, ..self }
    }

    /// The name of the pattern, for programs and tables: a role and a theme.
    #[must_use]
    pub fn pattern(&self) -> String {
        let theme = match self.theme {
            Theme::Sound => return "sound".to_owned(),
            Theme::Unknown => return "unknown".to_owned(),
            Theme::Threat => return "ignores-threat".to_owned(),
            Theme::Mate { .. } if self.was_threatened => return "ignores-mate".to_owned(),
            Theme::Mate { .. } => "mate",
            Theme::ForcedMate { .. } => "forced-mate",
            Theme::ThreatOfMate { .. } => "threat-of-mate",
            Theme::Capture { .. } => "capture",
            Theme::Fork { .. } => "fork",
            Theme::Pin { .. } => "pin",
            Theme::Attack { .. } => "attack",
            Theme::Exchange { .. } => "exchange",
            Theme::Promotion { .. } => "promotion",
            Theme::NearKing { .. } => "attack-on-king",
        };
        let role = match self.role {
            Role::Allows => "allows",
            Role::Misses => "misses",
            Role::Does => "does",
            Role::Stops => "stops",
        };
        format!("{role}-{theme}")
    }

    /// The reason in words. `position` is the one before the move.
    #[must_use]
    pub fn told(&self, position: &Position) -> ToldReason {
        let line = if self.role == Role::Stops { &[][..] } else { &self.line };
        ToldReason {
            pattern: self.pattern(),
            japanese: self.japanese(position, Notation::Kanji),
            english: self.english(position, Notation::Western),
            japanese_western: self.japanese(position, Notation::Western),
            english_kanji: self.english(position, Notation::Kanji),
            pv: line.iter().map(ToString::to_string).collect(),
            pv_japanese: kanji_moves(position, line),
            pv_western: western_moves(position, line),
        }
    }

    /// The position in which the line begins. `position` is the one before the move.
    #[must_use]
    pub fn start(&self, position: &Position) -> Position {
        let mut start = position.clone();
        if self.role == Role::Stops {
            start.make_null();
        }
        start
    }

    /// The position in which the threatened mate begins.
    fn threat_start(&self, position: &Position) -> Position {
        let mut start = self.start(position);
        for &mv in &self.line {
            start.make(mv);
        }
        if !self.threat.is_empty() {
            start.make_null();
        }
        start
    }

    /// The place in the line of the move that shows the theme.
    fn point(&self) -> usize {
        usize::from(self.role == Role::Allows)
    }

    /// The sentence in Japanese. `position` is the one before the move.
    fn japanese(&self, position: &Position, notation: Notation) -> String {
        let moves = notation.moves(&self.start(position), &self.line);
        let line = |from: usize| notation.shortened(moves.get(from..).unwrap_or_default());
        let (at, shown) = (moves.get(self.point()).map_or("", String::as_str), line(self.point()));
        let one = |piece: PieceKind, square: Sq| format!("{}の{}", notation.square(square), japanese_piece(piece));
        let list = |pieces: &[PieceKind]| {
            let counted = pieces.chunk_by(PartialEq::eq).map(|equal| match equal.len() {
                1 => japanese_piece(equal[0]).to_owned(),
                count => format!("{}{count}枚", japanese_piece(equal[0])),
            });
            counted.collect::<Vec<_>>().join("と")
        };
        // The other side does it, this side could have done it, or it does.
        let verb = |[theirs, missed, own]: [&'static str; 3]| match self.role {
            Role::Allows | Role::Stops => theirs,
            Role::Misses => missed,
            Role::Does => own,
        };
        let (takes, promotes) = (["取られます", "取れました", "取れます"], ["成られます", "成れました", "成れます"]);
        let sentence = match &self.theme {
            Theme::Sound => "読み直すと、この手は悪くないと出ました。".to_owned(),
            Theme::Mate { plies } if self.was_threatened => format!("{plies}手の詰めろを受けていません: {shown}。"),
            Theme::Mate { plies } => {
                format!("{plies}手詰{}: {shown}。", verb(["になります", "がありました", "です"]))
            }
            Theme::ForcedMate { plies } => {
                format!("{at}で、どう受けても{plies}手以内に{}。", verb(["詰みます", "詰みました", "詰みます"]))
            }
            Theme::ThreatOfMate { plies } => {
                let mate = notation.shortened(&notation.moves(&self.threat_start(position), &self.threat));
                format!("{at}が{plies}手の詰めろ{}: {mate}。", verb(["になります", "でした", "です"]))
            }
            Theme::Capture { piece, square, recapture } => {
                let (free, back) = match recapture {
                    Recapture::Impossible => ("ただで", ""),
                    Recapture::Useless => ("", "取り返しても得になりません。"),
                    Recapture::Useful => ("", ""),
                };
                format!("{at}で、{}を{free}{}。{back}", one(*piece, *square), verb(takes))
            }
            Theme::Fork { targets } => {
                format!("{at}が{}の両取り{}: {shown}。", list(targets), verb(["になります", "でした", "です"]))
            }
            Theme::Pin { piece, square } => {
                format!("{at}で、動けない{}を{}: {shown}。", one(*piece, *square), verb(takes))
            }
            Theme::Attack { piece, square } => {
                let attacks = verb(["に当てられ、", "に当てて", "に当てて"]);
                format!("{at}で{}{attacks}{}: {shown}。", one(*piece, *square), verb(takes))
            }
            Theme::Exchange { won, lost, promoted } => {
                let price = if lost.is_empty() { String::new() } else { format!("{}と引き換えに", list(lost)) };
                let what = match (won.is_empty(), promoted.is_empty()) {
                    (_, true) => format!("{}を{}", list(won), verb(takes)),
                    (true, false) => format!("{}を{}", list(promoted), verb(promotes)),
                    (false, false) => format!("{}を取って{}を{}", list(won), list(promoted), verb(promotes)),
                };
                format!("{price}{what}: {shown}。")
            }
            Theme::Promotion { piece, square } => {
                let object = verb(["に", "を", "を"]);
                format!("{}で{}{object}{}。", notation.square(*square), japanese_piece(*piece), verb(promotes))
            }
            Theme::Threat => format!("前からの狙いの{at}を防いでいません: {shown}。"),
            Theme::NearKing { played, best } if self.role == Role::Misses => {
                format!("相手玉の周りへの利きは、最善の手順なら{best}、この手の後は{played}です: {shown}。")
            }
            Theme::NearKing { played, best } => {
                format!("自玉の周りへの相手の利きが{played}になります（最善の手順なら{best}）: {}。", line(0))
            }
            Theme::Unknown => "短い理由は見つかりません。手順をご覧ください。".to_owned(),
        };
        let before = if self.role == Role::Stops { "これを防ぎます: " } else { "" };
        let is_told = matches!(self.theme, Theme::Mate { .. } | Theme::Threat);
        let after = if self.was_threatened && !is_told { "前からの狙いでした。" } else { "" };
        format!("{before}{sentence}{after}")
    }

    /// The sentence in English. `position` is the one before the move.
    fn english(&self, position: &Position, notation: Notation) -> String {
        let moves = notation.moves(&self.start(position), &self.line);
        let line = |from: usize| notation.shortened(moves.get(from..).unwrap_or_default());
        let (at, shown) = (moves.get(self.point()).map_or("", String::as_str), line(self.point()));
        let one = |piece: PieceKind, square: Sq| format!("the {} on {}", english_piece(piece), notation.square(square));
        let list = |pieces: &[PieceKind], article: &str| {
            let counted = pieces.chunk_by(PartialEq::eq).map(|equal| match equal.len() {
                1 => format!("{article} {}", english_piece(equal[0])),
                count => format!("{count} {}s", english_piece(equal[0])),
            });
            let names: Vec<String> = counted.collect();
            match names.split_last() {
                Some((last, [])) => last.clone(),
                Some((last, others)) => format!("{} and {last}", others.join(", ")),
                None => String::new(),
            }
        };
        // It happens, or it could have.
        let verb = |present, could| if self.role == Role::Misses { could } else { present };
        let sentence = match &self.theme {
            Theme::Sound => "Another search does not find this move bad.".to_owned(),
            Theme::Mate { plies } if self.was_threatened => {
                format!("This does not stop the threat of mate in {plies}: {shown}.")
            }
            Theme::Mate { plies } => match self.role {
                Role::Allows => format!("This allows mate in {plies}: {shown}."),
                Role::Misses => format!("There was a mate in {plies}: {shown}."),
                Role::Does | Role::Stops => format!("mate in {plies}: {shown}."),
            },
            Theme::ForcedMate { plies } => {
                format!("{at} {} within {plies} plies against every defence.", verb("mates", "could mate"))
            }
            Theme::ThreatOfMate { plies } => {
                let mate = notation.shortened(&notation.moves(&self.threat_start(position), &self.threat));
                format!("{at} {} mate in {plies}: {mate}.", verb("threatens", "could threaten"))
            }
            Theme::Capture { piece, square, recapture } => {
                let price = match recapture {
                    Recapture::Impossible => " for nothing",
                    Recapture::Useless => ", and to take back gains nothing",
                    Recapture::Useful => ", and gains by the exchange",
                };
                format!("{at} {} {}{price}.", verb("takes", "could take"), one(*piece, *square))
            }
            Theme::Fork { targets } => {
                format!("{at} {} {} at once: {shown}.", verb("attacks", "could attack"), list(targets, "the"))
            }
            Theme::Pin { piece, square } => {
                format!("{at} {} {}, which is pinned: {shown}.", verb("wins", "could win"), one(*piece, *square))
            }
            Theme::Attack { piece, square } => {
                let verbs = verb("attacks", "could attack");
                format!("{at} {verbs} {} and {} it: {shown}.", one(*piece, *square), verb("wins", "win"))
            }
            Theme::Exchange { won, lost, promoted } => {
                let price = if lost.is_empty() { String::new() } else { format!(" for {}", list(lost, "a")) };
                let (wins, promotes) = (verb("wins", "could win"), verb("promotes", "could promote"));
                let what = match (won.is_empty(), promoted.is_empty()) {
                    (_, true) => format!("{wins} {}", list(won, "a")),
                    (true, false) => format!("{promotes} {}", list(promoted, "a")),
                    (false, false) => {
                        format!("{wins} {} and {} {}", list(won, "a"), verb("promotes", "promote"), list(promoted, "a"))
                    }
                };
                format!("{at} {what}{price}: {shown}.")
            }
            Theme::Promotion { piece, square } => {
                let promotes = verb("promotes", "could promote");
                format!("{at} {promotes} the {} on {}.", english_piece(*piece), notation.square(*square))
            }
            Theme::Threat => format!("{at} was threatened, and this does not stop it: {shown}."),
            Theme::NearKing { played, best } if self.role == Role::Misses => format!(
                "The squares next to the enemy king are attacked {best} times after the best line, {played} times \
                 after this move: {shown}."
            ),
            Theme::NearKing { played, best } => format!(
                "The squares next to the own king are attacked {played} times, {best} times after the best line: {}.",
                line(0)
            ),
            Theme::Unknown => "No short reason: the line shows it.".to_owned(),
        };
        let before = match (self.role, &self.theme) {
            (Role::Stops, _) => "It stops this: ",
            (Role::Does, Theme::Mate { .. }) => "It is ",
            _ => "",
        };
        let is_told = matches!(self.theme, Theme::Mate { .. } | Theme::Threat);
        let after = if self.was_threatened && !is_told { " It was threatened before." } else { "" };
        format!("{before}{sentence}{after}")
    }
}

fn english_piece(kind: PieceKind) -> &'static str {
    match kind {
        PieceKind::Pawn => "pawn",
        PieceKind::Lance => "lance",
        PieceKind::Knight => "knight",
        PieceKind::Silver => "silver",
        PieceKind::Gold => "gold",
        PieceKind::Bishop => "bishop",
        PieceKind::Rook => "rook",
        PieceKind::King => "king",
        PieceKind::ProPawn => "tokin",
        PieceKind::ProLance => "promoted lance",
        PieceKind::ProKnight => "promoted knight",
        PieceKind::ProSilver => "promoted silver",
        PieceKind::ProBishop => "horse",
        PieceKind::ProRook => "dragon",
    }
}

/// As in USI: `5e`.
fn english_square(square: Sq) -> String {
    // A move to the square ends with its name.
    Move::drop(PieceKind::Pawn, square).to_string().split_off(2)
}
