//! How a game ended, in the words of KIF: after a move number, and in the sentence at the end.

use kiki_board::{Color, Position, opponent};

use crate::ending::{EndReason, Ending, GameOutcome};
use crate::stated_result::{StatedResult, joined, own_text, undecided};

/// A win by a rule that no other word names.
const TRY: &str = "トライ";

/// The words for a game that was not played: the side to move wins or loses.
const WINS_UNPLAYED: &str = "不戦勝";
const LOSES_UNPLAYED: &str = "不戦敗";

/// The words after a move number, the one to write first. The English ones are the first words of
/// endings by 81Dojo and others, in any case. The last value says whether the side to move wins, if
/// the reason does not.
const WORDS: [(&str, Option<EndReason>, Option<bool>); 17] = [
    ("投了 resign resigns resigned", Some(EndReason::Resignation), None),
    ("中断 interrupted suspended adjourned", Some(EndReason::Interrupted), None),
    ("持将棋 jishogi impasse", Some(EndReason::Impasse), None),
    ("千日手 sennichite repetition", Some(EndReason::Sennichite), None),
    ("連続王手の千日手 王手千日手", Some(EndReason::PerpetualCheck), None),
    ("詰み 詰 checkmate", Some(EndReason::Checkmate), None),
    ("切れ負け 時間切れ 時間切れ負け time time-up timeup timeout", Some(EndReason::Time), None),
    ("反則勝ち", Some(EndReason::IllegalMove), Some(true)),
    ("反則負け", Some(EndReason::IllegalMove), Some(false)),
    ("反則 反則手 illegal", Some(EndReason::IllegalMove), None),
    ("入玉勝ち 入玉宣言 宣言勝ち 勝ち宣言 declaration", Some(EndReason::Declaration), None),
    // ShogiHome writes it after the winning move of a king to the other king's home square.
    (TRY, Some(EndReason::Declaration), Some(false)),
    (WINS_UNPLAYED, Some(EndReason::Forfeit), Some(true)),
    (LOSES_UNPLAYED, Some(EndReason::Forfeit), Some(false)),
    ("最大手数", Some(EndReason::MaxPlies), None),
    ("裁定引分", Some(EndReason::Adjudication), None),
    ("引き分け 引分 draw 不詰 封じ手 待った エラー", None, None),
];

/// Parts of sentences, the more specific ones first.
const PHRASES: [(&str, EndReason); 13] = [
    ("連続王手", EndReason::PerpetualCheck),
    ("千日手", EndReason::Sennichite),
    ("持将棋", EndReason::Impasse),
    ("最大手数", EndReason::MaxPlies),
    ("時間切れ", EndReason::Time),
    ("切れ負け", EndReason::Time),
    ("反則", EndReason::IllegalMove),
    ("入玉", EndReason::Declaration),
    ("宣言", EndReason::Declaration),
    (TRY, EndReason::Declaration),
    ("不戦", EndReason::Forfeit),
    ("中断", EndReason::Interrupted),
    ("投了", EndReason::Resignation),
];

/// The side to move at the end of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FinalTurn {
    /// The side to move on the board. An illegal last move is not made: its player is then to move.
    pub(super) mover: Color,
    pub(super) after_illegal: bool,
}

impl FinalTurn {
    /// The winner of 反則勝ち (`wins`) or 反則負け. The side to move wins by 反則勝ち, unless it made the
    /// illegal move itself.
    fn winner(self, wins: bool) -> Color {
        if wins && !self.after_illegal { self.mover } else { opponent(self.mover) }
    }
}

/// The statement of the word after a move number. `None` if it is unknown. The word becomes the
/// remark if it says more than outcome and reason, or gives neither.
pub(super) fn of_word(word: &str, turn: FinalTurn) -> Option<StatedResult> {
    let known = |&(words, reason, wins): &(&'static str, _, _)| {
        Some((words.split(' ').find(|known| known.eq_ignore_ascii_case(word))?, reason, wins))
    };
    let (word, reason, wins) = WORDS.iter().find_map(known)?;
    let decided = wins.map(|wins| GameOutcome::win_of(turn.winner(wins)));
    let drawn = (word.contains('引') || word == "draw").then_some(GameOutcome::Draw);
    let outcome = decided.or(drawn);
    let is_kept = outcome.is_none() && reason.is_none() || [TRY, WINS_UNPLAYED, LOSES_UNPLAYED].contains(&word);
    let remark = if is_kept { word } else { "" };
    Some(StatedResult { outcome, reason, remark: remark.to_owned() })
}

/// The statement of the sentence at the end. A win without a reason is by resignation.
pub(super) fn of_sentence(sentence: &str, turn: FinalTurn) -> StatedResult {
    let said = PHRASES.iter().find(|(phrase, _)| sentence.contains(phrase)).map(|&(_, reason)| reason);
    let mate = (sentence.contains('詰') && !sentence.contains("不詰")).then_some(EndReason::Checkmate);
    // Without a side's name, the sentence means what the word alone does: `まで3手で反則勝ち`.
    let ends_with = |words: &str| words.split(' ').any(|word| sentence.ends_with(word));
    let unnamed = || WORDS.iter().find_map(|(words, _, wins)| wins.filter(|_| ends_with(words)));
    let winner = winner(sentence).or_else(|| unnamed().map(|wins| turn.winner(wins)));
    let reason = said.or(mate).or_else(|| winner.map(|_| EndReason::Resignation));
    let drawn = sentence.contains('引').then_some(GameOutcome::Draw);
    let outcome = winner.map(GameOutcome::win_of).or(drawn);
    let remark = match winner {
        Some(winner) if reason == Some(EndReason::Forfeit) => unplayed(winner == turn.mover),
        // 封じ手 and other ends without a result come after the number of moves.
        None if outcome.is_none() && reason.is_none() => sentence.split_once("手で").map_or("", |(_, end)| end.trim()),
        _ => "",
    };
    StatedResult { outcome, reason, remark: remark.to_owned() }
}

/// The word for a game that was not played, for the side to move.
fn unplayed(mover_wins: bool) -> &'static str {
    if mover_wins { WINS_UNPLAYED } else { LOSES_UNPLAYED }
}

/// The winner in a sentence: 勝 or 負 follows the name of a side.
fn winner(sentence: &str) -> Option<Color> {
    const SIDES: [(&str, Color); 4] =
        [("先手", Color::Black), ("下手", Color::Black), ("後手", Color::White), ("上手", Color::White)];
    let mut named: Vec<(usize, Color)> =
        SIDES.iter().flat_map(|&(name, side)| sentence.match_indices(name).map(move |(at, _)| (at, side))).collect();
    named.sort_unstable_by_key(|(at, _)| *at);
    let ends = named.iter().skip(1).map(|(at, _)| *at).chain([sentence.len()]);
    named.iter().zip(ends).find_map(|(&(at, side), end)| {
        let verdict = sentence.get(at..end)?.chars().find(|letter| "勝負敗".contains(*letter))?;
        Some(if verdict == '勝' { side } else { opponent(side) })
    })
}

pub(super) struct ResultWords {
    /// The word after the move number.
    pub(super) word: Option<&'static str>,
    pub(super) sentence: Option<String>,
    /// Kiki's own words, if the others do not say everything.
    pub(super) own: Option<String>,
}

/// The end of the game or of a variation, as writers need it.
#[derive(Clone, Copy)]
pub(super) struct EndOfLine<'a> {
    pub(super) ending: &'a Ending,
    pub(super) position: &'a Position,
    /// The number of moves from the beginning of the game to the end.
    pub(super) plies: usize,
    /// Whether the game has a handicap. The sides then have other names.
    pub(super) has_handicap: bool,
    /// Whether the form has a place for the word. Only KIF does.
    pub(super) has_word: bool,
}

pub(super) fn words(line: EndOfLine<'_>) -> ResultWords {
    let EndOfLine { ending, position, .. } = line;
    let turn = FinalTurn { mover: position.side_to_move(), after_illegal: false };
    let word = word(ending, turn, position);
    let sentence = word.map(|word| sentence(line, word));
    let by_word = word.filter(|_| line.has_word).and_then(|word| of_word(word, turn));
    let stated = joined(by_word, sentence.as_deref().map(|sentence| of_sentence(sentence, turn)));
    // A time without a word needs Kiki's own words before it.
    let has_place = stated.is_some() || !line.has_word;
    let is_stated = has_place && StatedResult::tells(stated, ending, position);
    ResultWords { word, sentence, own: own_text(ending).filter(|_| !is_stated) }
}

/// The word of the reason if readers get the right result from it in this position; else a word
/// that gives it.
fn word(ending: &Ending, turn: FinalTurn, position: &Position) -> Option<&'static str> {
    let wins = ending.outcome.winner() == Some(turn.mover);
    let exact = ending.reason.and_then(|reason| match reason.general() {
        // 不戦勝 and 不戦敗 only where the record had them: a game that a program broke off was played.
        EndReason::Forfeit => Some(unplayed(wins)).filter(|word| ending.remark == *word),
        EndReason::Adjudication => Some("投了"),
        EndReason::FailedDeclaration | EndReason::IllegalMove => Some("反則負け"),
        EndReason::PerpetualCheck => None,
        other => {
            let row = WORDS.iter().find(|(_, known, _)| *known == Some(other));
            row.and_then(|(words, ..)| words.split(' ').next())
        }
    });
    let gives = |word: &&str| of_word(word, turn).is_some_and(|stated| stated.outcome(position) == ending.outcome);
    exact.filter(gives).or(match (ending.outcome.winner(), ending.outcome, ending.reason) {
        (Some(_), ..) => Some(if wins { "反則勝ち" } else { "反則負け" }),
        // Every program knows this word for a draw.
        (None, GameOutcome::Draw, _) => Some("持将棋"),
        (None, _, Some(_)) => Some("中断"),
        (None, _, None) => undecided(ending).map(|(word, _)| word),
    })
}

fn sentence(line: EndOfLine<'_>, word: &str) -> String {
    let name = |side: Color| match (side, line.has_handicap) {
        (Color::Black, false) => "先手",
        (Color::White, false) => "後手",
        (Color::Black, true) => "下手",
        (Color::White, true) => "上手",
    };
    let winner = line.ending.outcome.winner();
    let end = match (winner, word) {
        (Some(winner), "投了") => format!("{}の勝ち", name(winner)),
        (Some(winner), "切れ負け") => format!("時間切れにより{}の勝ち", name(winner)),
        (Some(winner), "反則負け" | LOSES_UNPLAYED) => format!("{}の{word}", name(opponent(winner))),
        (Some(winner), "反則勝ち" | "入玉勝ち" | WINS_UNPLAYED) => format!("{}の{word}", name(winner)),
        _ => word.to_owned(),
    };
    format!("まで{}手で{end}", line.plies)
}
