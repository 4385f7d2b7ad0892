//! Positions and moves seen from the other side of the board.

/// Board, side and hands with colours and directions exchanged; what is no SFEN comes back as some other text that is none.
pub(crate) fn flipped_board(board: &str) -> String {
    let mut fields = board.split(' ');
    let mut next = || fields.next().unwrap_or_default();
    let (squares, side, hands) = (next(), next(), next());
    let ranks: Vec<String> = squares.rsplit('/').map(flipped_rank).collect();
    let side = if side == "b" { "w" } else { "b" };
    format!("{} {side} {}", ranks.join("/"), flipped_hands(hands))
}

/// A rank from its other end. A promoted piece is two letters that stay together.
fn flipped_rank(rank: &str) -> String {
    let mut letters = rank.chars().rev().peekable();
    let mut flipped = String::with_capacity(rank.len());
    while let Some(letter) = letters.next() {
        if letters.next_if_eq(&'+').is_some() {
            flipped.push('+');
        }
        flipped.push(other_case(letter));
    }
    flipped
}

/// Black's pieces come first, before and after.
fn flipped_hands(hands: &str) -> String {
    let of = |is_own: fn(char) -> bool| {
        let mut count = String::new();
        let mut text = String::new();
        for letter in hands.chars() {
            if letter.is_ascii_alphabetic() {
                if is_own(letter) {
                    text.push_str(&count);
                    text.push(other_case(letter));
                }
                count.clear();
            } else {
                count.push(letter);
            }
        }
        text
    };
    let flipped = of(|letter| letter.is_ascii_lowercase()) + &of(|letter| letter.is_ascii_uppercase());
    if flipped.is_empty() { "-".to_owned() } else { flipped }
}

fn other_case(letter: char) -> char {
    if letter.is_ascii_uppercase() { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() }
}

/// A move in USI notation from the other side: files and ranks count from the other end, the letter of a dropped piece stays.
pub(crate) fn flipped_move(mv: &str) -> String {
    let (dropped, squares) = match mv.split_once('*') {
        Some((piece, square)) => (Some(piece), square),
        None => (None, mv),
    };
    let turned = squares.chars().map(|letter| match letter {
        '1'..='9' => char::from(b'1' + b'9' - letter as u8),
        'a'..='i' => char::from(b'a' + b'i' - letter as u8),
        other => other,
    });
    dropped.map(|piece| format!("{piece}*")).unwrap_or_default() + &turned.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_turn_round_and_back() {
        let board = "l4k2l/7g1/p3rpn1p/2p3pB1/4s4/1Ps1pSP2/P4P1RP/2GS5/LN1K3NL b G3Pbgn4p";
        let flipped = flipped_board(board);
        assert!(flipped.ends_with(" w BGN4Pg3p"), "{flipped}");
        assert_eq!(flipped_board(&flipped), board);
        let promoted = "9/1+r7/9/9/9/9/9/6+P2/9 w -";
        assert_eq!(flipped_board(promoted), "9/2+p6/9/9/9/9/9/7+R1/9 b -");
    }

    #[test]
    fn moves_turn_round_and_back() {
        for (mv, flipped) in [("7g7f", "3c3d"), ("8h2b+", "2b8h+"), ("P*5e", "P*5e"), ("R*1a", "R*9i")] {
            assert_eq!(flipped_move(mv), flipped);
            assert_eq!(flipped_move(flipped), mv);
        }
    }
}
