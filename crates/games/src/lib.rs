//! Games and positions from files: records of every form, folders of matches, training data.
//!
//! | module | what |
//! |---|---|
//! | [`records`] | records found in files and folders, and what they hold |
//! | [`played_games`] | finished games with their moves, out of records and matches |
//! | [`positions`] | positions drawn at random out of all of these |
//! | [`problems`] | `kiki-lab problems` |
//! | [`convert`] | `kiki-lab convert` |
//! | [`command`] | `kiki-lab records` |

pub mod command;
pub mod convert;
pub mod played_games;
pub mod positions;
pub mod problems;
pub mod records;
