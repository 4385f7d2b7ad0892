//! Does a gambling move (勝負手) turn games? The experiment of Kameko 2013: from the same position one game goes on with the best move and others
//! with the moves that rules choose by their chances; all are played to their ends by shallower searches.

pub mod chance;
pub mod command;
pub(crate) mod duel;
pub(crate) mod picture;
pub(crate) mod table;
