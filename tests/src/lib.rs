//! What the tests of the whole house share: fixtures, seeded playouts, and a second, slow picture of the board.
//!
//! The tests themselves stand in `tests/board`, each file named by the promise it keeps. `fixtures/README.md` tells where the tables
//! come from and how they were verified. The rules of the house are a package of their own, `house`, which optimises nothing.

pub mod diagram;
pub mod fixtures;
pub mod golden;
pub mod moves;
pub mod networks;
pub mod parallel;
pub mod playout;
