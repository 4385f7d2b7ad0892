//! Moves as a reader wants to see them.

use kiki_board::{Move, Position};
use kiki_record::JapaneseLine;

/// Moves in Japanese notation, with the rank as a Chinese numeral, `▲７六歩`, up to the first that is illegal.
pub(super) fn japanese(position: &Position, moves: &[Move]) -> Vec<String> {
    let mut line = JapaneseLine::new(position);
    moves.iter().map_while(|&mv| Some(with_chinese_rank(&line.play(mv)?))).collect()
}

/// `▲７６歩` as `▲７六歩`; what has no square, such as `△同銀`, stays.
fn with_chinese_rank(text: &str) -> String {
    const RANKS: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];
    let digit = |letter: char| ('１'..='９').contains(&letter).then(|| letter as usize - '１' as usize);
    let mut letters: Vec<char> = text.chars().collect();
    if let [_, file, rank, ..] = letters.as_mut_slice()
        && digit(*file).is_some()
        && let Some(index) = digit(*rank)
    {
        *rank = RANKS[index];
    }
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_rank_of_a_square_is_written_in_chinese() {
        assert_eq!(with_chinese_rank("▲７６歩"), "▲７六歩");
        assert_eq!(with_chinese_rank("△同銀"), "△同銀");
        assert_eq!(with_chinese_rank("▲５８金左"), "▲５八金左");
        assert_eq!(with_chinese_rank("▲同　歩"), "▲同　歩");
    }
}
