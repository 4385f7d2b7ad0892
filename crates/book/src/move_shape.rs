//! What looks like a move, before anybody looks at the board.

/// Whether a word may stand where books have a move.
pub(crate) fn is_move_or_word(text: &str) -> bool {
    is_word(text) || is_move(text)
}

/// Whether a word is one of those that books have in place of a move.
pub(crate) fn is_word(text: &str) -> bool {
    ["none", "(none)", "resign", "win", "pass"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Whether a word looks like a move.
pub(crate) fn is_move(word: &str) -> bool {
    let is_file = |byte: &u8| (b'1'..=b'9').contains(byte);
    let is_rank = |byte: &u8| (b'a'..=b'i').contains(byte);
    match word.as_bytes() {
        [piece, b'*', file, rank] => b"PLNSGBR".contains(piece) && is_file(file) && is_rank(rank),
        [from_file, from_rank, file, rank] | [from_file, from_rank, file, rank, b'+'] => {
            is_file(from_file) && is_rank(from_rank) && is_file(file) && is_rank(rank)
        }
        _ => false,
    }
}
