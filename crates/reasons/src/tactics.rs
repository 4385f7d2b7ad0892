//! What a line wins for one side, and by which means.

use kiki_board::{Cell, Color, HAND_KINDS, Move, PieceKind, Position, Sq, exchange_value, opponent};

use crate::sentence::{Recapture, Theme};

/// The least gain that counts, in units of static exchange evaluation: more than two pawns, less
/// than a lance.
pub(crate) const LEAST_GAIN: i32 = 250;
/// A gain below this one explains little: less than a silver.
const LITTLE: i32 = 450;
/// Number of plies after which a gain is no longer called the result of the first move.
const LONGEST_WIN: usize = 9;
/// Number of plies for which a gain has to last.
const LASTING: usize = 4;
/// All values of pieces are multiples of it.
const STEP: i32 = 45;

/// A line that wins material for one side.
pub(crate) struct Win {
    /// Number of moves up to the one that wins.
    pub(crate) plies: usize,
    /// In units of static exchange evaluation.
    pub(crate) gain: i32,
}

/// Material of a side less that of the other, in units of static exchange evaluation.
fn balance(position: &Position, side: Color) -> i32 {
    let board: i32 = Sq::all().map(|sq| signed(position.cell(sq), side)).sum();
    let hand = |color| -> i32 {
        let count = |kind| position.hand(color).count(kind) as i32 * exchange_value(Cell::new(kind, color));
        HAND_KINDS.into_iter().map(count).sum()
    };
    board + hand(side) - hand(opponent(side))
}

fn signed(cell: Cell, side: Color) -> i32 {
    match cell.kind() {
        None | Some(PieceKind::King) => 0,
        Some(_) if cell.color() == side => exchange_value(cell),
        Some(_) => -exchange_value(cell),
    }
}

/// The most that the side to move gains by exchanges on one square; at least 0.
fn best_exchange(position: &Position) -> i32 {
    let moves = position.legal_moves();
    let captures = moves.iter().filter(|&&mv| position.is_capture(mv));
    captures.map(|&mv| exchange_gain(position, mv)).max().unwrap_or(0)
}

/// What a capture gains by the exchange that it begins; at least 0.
pub(crate) fn exchange_gain(position: &Position, mv: Move) -> i32 {
    let most = exchange_value(position.cell(mv.to())) / STEP;
    (1..=most).rev().map(|steps| steps * STEP).find(|&gain| position.see_ge(mv, gain)).unwrap_or(0)
}

/// What each prefix of a line has won for `side` since `position`, after the best exchange of the
/// other side if that is to move: `[number of moves]`.
pub(crate) fn gains(position: &Position, line: &[Move], side: Color) -> Vec<i32> {
    let mut now = position.clone();
    let before = balance(position, side);
    let mut gains = vec![0];
    for &mv in line {
        now.make(mv);
        // A capture changes the balance by the piece that one side loses and the other gains.
        let won = (balance(&now, side) - before) / 2;
        let at_stake = if now.side_to_move() == side { 0 } else { best_exchange(&now) };
        gains.push(won - at_stake);
    }
    gains
}

/// The first move of `side` after which a line has won material that lasts. If that is little, the
/// first move after which it has won at least twice as much, if there is one.
pub(crate) fn win(position: &Position, line: &[Move], side: Color) -> Option<Win> {
    let gains = gains(position, line, side);
    let first = if position.side_to_move() == side { 1 } else { 2 };
    let lasts = |plies: usize, least| gains[plies..].iter().step_by(2).take(1 + LASTING / 2).all(|&gain| gain >= least);
    let end = gains.len().min(LONGEST_WIN + 1);
    let first_win = |from: usize, least| (from..end).step_by(2).find(|&plies| lasts(plies, least));
    let mut plies = first_win(first, LEAST_GAIN)?;
    if gains[plies] < LITTLE {
        plies = first_win(plies + 2, 2 * gains[plies]).unwrap_or(plies);
    }
    Some(Win { plies, gain: gains[plies] })
}

/// The means by which `line` wins material, which begins with a move of the winning side and ends
/// with the move that wins.
pub(crate) fn theme_of_win(position: &Position, line: &[Move]) -> Option<Theme> {
    let winner = position.side_to_move();
    let first = line[0];
    if let [capture] = *line {
        let cell = position.cell(capture.to());
        let mut taken = position.clone();
        taken.make(capture);
        let recapture = if !taken.effects().attacks(taken.side_to_move(), capture.to()) {
            Recapture::Impossible
        } else if exchange_gain(position, capture) == exchange_value(cell) {
            Recapture::Useless
        } else {
            Recapture::Useful
        };
        return cell.kind().map(|piece| Theme::Capture { piece, square: capture.to(), recapture });
    }
    let [_, answer, capture] = *line else { return pieces_exchanged(position, line, winner) };
    let mut attacked = position.clone();
    attacked.make(first);
    let (square, victim) = (capture.to(), attacked.cell(capture.to()));
    let stays = !victim.is_empty() && victim.color() != winner && (answer.is_drop() || answer.from() != square);
    let Some(piece) = victim.kind().filter(|_| stays) else { return pieces_exchanged(position, line, winner) };
    let is_by_attacker = !capture.is_drop() && capture.from() == first.to();
    let targets = targets_of(&attacked, first.to());
    if is_by_attacker && targets.len() >= 2 && targets.contains(&square) {
        let mut kinds: Vec<PieceKind> = targets.iter().filter_map(|&sq| attacked.cell(sq).kind()).collect();
        kinds.sort_by_key(|&kind| std::cmp::Reverse(worth(kind)));
        return Some(Theme::Fork { targets: kinds });
    }
    let loser = opponent(winner);
    if attacked.pinned_of(loser).contains(square) {
        return Some(Theme::Pin { piece, square });
    }
    if is_by_attacker && targets.contains(&square) {
        return Some(Theme::Attack { piece, square });
    }
    pieces_exchanged(position, line, winner)
}

/// The same for a line that begins with a move of the losing side. What that move takes is part of
/// the price.
pub(crate) fn theme_of_reply(position: &Position, line: &[Move]) -> Option<Theme> {
    let first = line[0];
    if !position.cell(first.to()).is_empty() {
        return pieces_exchanged(position, line, opponent(position.side_to_move()));
    }
    let mut replying = position.clone();
    replying.make(first);
    theme_of_win(&replying, &line[1..])
}

fn worth(kind: PieceKind) -> i32 {
    exchange_value(Cell::new(kind, Color::Black))
}

/// The pieces that the piece on `from` attacks and could win: the king, pieces that nobody guards,
/// and pieces worth more than itself.
fn targets_of(position: &Position, from: Sq) -> Vec<Sq> {
    let attacker = position.cell(from);
    let other = opponent(attacker.color());
    let is_target = |&sq: &Sq| {
        let cell = position.cell(sq);
        let is_loose = !position.effects().attacks(other, sq) || exchange_value(cell) > exchange_value(attacker);
        cell.is_kind(PieceKind::King) || (exchange_value(cell) >= LEAST_GAIN && is_loose)
    };
    (position.targets(from) & position.pieces_of(other)).into_iter().filter(is_target).collect()
}

/// What a line wins by several moves: the pieces that both sides capture, and those that the winner
/// promotes. The recaptures behind the last move count too. `None` if the winner gains nothing.
fn pieces_exchanged(position: &Position, line: &[Move], winner: Color) -> Option<Theme> {
    let mut now = position.clone();
    let (mut won, mut lost, mut promoted) = (Vec::new(), Vec::new(), Vec::new());
    // A piece that the line has promoted is lost as the piece it was before.
    let mut lose = |piece: PieceKind, promoted: &mut Vec<PieceKind>| {
        let before = promoted.iter().position(|&kind| kind.promote() == Some(piece));
        lost.push(before.map_or(piece, |at| promoted.swap_remove(at)));
    };
    let recaptures = line.last().map(|last| recaptures(&after(position, line), last.to())).unwrap_or_default();
    for &mv in line.iter().chain(&recaptures) {
        let is_winner = now.side_to_move() == winner;
        let captured = now.cell(mv.to()).kind();
        if is_winner && mv.is_promotion() {
            promoted.extend(now.cell(mv.from()).kind());
        }
        match captured {
            Some(piece) if is_winner => won.push(piece),
            Some(piece) => lose(piece, &mut promoted),
            None => {}
        }
        now.make(mv);
    }
    let (won, lost) = (without(&won, &lost), without(&lost, &won));
    let promoted = without(&promoted, &[]);
    let sum = |pieces: &[PieceKind]| -> i32 { pieces.iter().map(|&kind| worth(kind)).sum() };
    (sum(&won) > sum(&lost) || !promoted.is_empty()).then_some(Theme::Exchange { won, lost, promoted })
}

/// The captures on a square that gain something for the side that makes them, one after the other.
pub(crate) fn recaptures(position: &Position, square: Sq) -> Vec<Move> {
    let mut now = position.clone();
    let mut captures = Vec::new();
    loop {
        let moves = now.legal_moves();
        let gains = moves.iter().filter(|mv| mv.to() == square).map(|&mv| (exchange_gain(&now, mv), mv));
        let cheapest = |mv: Move| std::cmp::Reverse(exchange_value(now.cell(mv.from())));
        let best = gains.filter(|&(gain, _)| gain > 0).max_by_key(|&(gain, mv)| (gain, cheapest(mv)));
        let Some((_, mv)) = best else { return captures };
        captures.push(mv);
        now.make(mv);
    }
}

/// The position after some moves.
pub(crate) fn after(position: &Position, moves: &[Move]) -> Position {
    let mut after = position.clone();
    for &mv in moves {
        after.make(mv);
    }
    after
}

/// A list of pieces without those of another, dearest first.
fn without(pieces: &[PieceKind], others: &[PieceKind]) -> Vec<PieceKind> {
    let mut left = others.to_vec();
    let is_kept = |kind: &&PieceKind| match left.iter().position(|other| other == *kind) {
        Some(place) => {
            left.swap_remove(place);
            false
        }
        None => true,
    };
    let mut kept: Vec<PieceKind> = pieces.iter().filter(is_kept).copied().collect();
    kept.sort_by_key(|&kind| std::cmp::Reverse(worth(kind)));
    kept
}

/// The promotion by the first move of a line, if the piece gains by it and stays for the rest of
/// the line.
pub(crate) fn promotion(position: &Position, line: &[Move]) -> Option<Theme> {
    let first = *line.first().filter(|mv| mv.is_promotion())?;
    let piece = position.cell(first.from()).kind()?;
    let gains = matches!(piece, PieceKind::Rook | PieceKind::Bishop | PieceKind::Pawn | PieceKind::Lance);
    let mut at = first.to();
    for (ply, &mv) in line.iter().enumerate().skip(1) {
        match ply % 2 {
            1 if mv.to() == at => return None,
            0 if !mv.is_drop() && mv.from() == at => at = mv.to(),
            _ => {}
        }
    }
    (gains && line.len() > 1 && position.see_ge(first, 0)).then_some(Theme::Promotion { piece, square: first.to() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sentence::{Reason, Role};

    fn line(position: &Position, moves: &str) -> Vec<Move> {
        let mut now = position.clone();
        let play = |text| {
            let mv = now.parse_move(text).unwrap();
            now.make(mv);
            mv
        };
        moves.split(' ').map(play).collect()
    }

    /// Number of moves of the line up to the win of Black.
    fn plies_of_win(sfen: &str, moves: &str) -> Option<usize> {
        let position = Position::from_sfen(sfen).unwrap();
        win(&position, &line(&position, moves), Color::Black).map(|win| win.plies)
    }

    #[test]
    fn a_small_win_that_leads_to_a_great_one_is_not_the_win() {
        let board = "4k4/7b1/7p1/7P1/9/9/9/9/4K4 b - 1";
        assert_eq!(plies_of_win(board, "2d2c+ 5a6a 2c2b 6a7a"), Some(3));
        assert_eq!(plies_of_win(board, "2d2c+ 5a6a 5i5h 6a7a"), Some(1));
        let board = "4k4/9/7bp/7P1/9/9/9/9/4K4 b - 1";
        assert_eq!(plies_of_win(board, "2d2c+ 5a6a 2c1c 6a7a"), Some(1));
    }

    /// The pawn is guarded by a gold, and behind it stands a rook.
    #[test]
    fn a_piece_that_is_guarded_is_not_taken_for_nothing() {
        let sfen = "lng1k1snl/1r1s2gb1/p1pppppp1/1p5Pp/9/2P6/PPNPPPP1P/1B5R1/L1SGKGSNL b - 11";
        let position = Position::from_sfen(sfen).unwrap();
        let line = [position.parse_move("2d2c+").unwrap()];
        let told = Reason::new(Role::Does, theme_of_win(&position, &line).unwrap(), &line).told(&position);
        assert_eq!(told.english, "Px2c+ takes the pawn on 2c, and to take back gains nothing.");
        assert_eq!(told.japanese, "▲２三歩成で、２三の歩を取れます。取り返しても得になりません。");
    }

    /// The bishop takes a silver, a bishop takes back, and the dragon behind takes that one.
    #[test]
    fn an_exchange_is_told_to_its_end() {
        let sfen = "ln3g1nl/s1+Rs1gks1/ppp2p1pp/5bp2/3pP4/2P2P3/PP1PG1PPP/1SK4R1/LN3G1NL w BP 36";
        let mut position = Position::from_sfen(sfen).unwrap();
        position.make(position.parse_move("4d5c").unwrap());
        let line = line(&position, "B*8b 6b7a 8b7a+");
        let told = Reason::new(Role::Does, theme_of_win(&position, &line).unwrap(), &line).told(&position);
        assert_eq!(told.english, "B*8b wins a silver: B*8b S-7a Bx7a+.");
    }
}
