//! Books made by search: drop-out expansion (Lincke, "Strategies for the Automatic Construction of Opening Books", 2000).
//!
//! The book is a graph of positions, one for each however it is reached. A searched position has some moves with values; a move leads to a position
//! that is searched, whose own value then counts, or to a leaf. The leaf to be searched next is the one that is reached with the smallest loss,
//! both sides together, and so what good players may meet.
//!
//! | module | what |
//! |---|---|
//! | `growth` | the book that grows, round by round |
//! | `settings` | where it grows |
//! | `graph` | the positions and their moves |
//! | `backup` | the values of positions by those of what they lead to |
//! | `perpetual` | cycles of checks, which whoever checks must leave |
//! | `choose` | which leaves come next |

mod backup;
mod choose;
mod graph;
mod growth;
mod perpetual;
mod settings;

pub use growth::{Expansion, ExpansionError};
pub use settings::ExpansionSettings;
