//! What looks like a move, before anybody looks at the board.

/// Whether a word looks like a move, or is written in place of one.
pub(crate) fn is_move(word: &str) -> bool {
    let is_file = |byte: &u8| (b'1'..=b'9').contains(byte);
    let is_rank = |byte: &u8| (b'a'..=b'i').contains(byte);
    if ["none", "(none)", "resign", "win", "pass"].iter().any(|name| word.eq_ignore_ascii_case(name)) {
        return true;
    }
    match word.as_bytes() {
        [piece, b'*', file, rank] => b"PLNSGBR".contains(piece) && is_file(file) && is_rank(rank),
        [from_file, from_rank, file, rank] | [from_file, from_rank, file, rank, b'+'] => {
            is_file(from_file) && is_rank(from_rank) && is_file(file) && is_rank(rank)
        }
        _ => false,
    }
}
