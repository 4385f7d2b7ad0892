//! Plays any USI engine on a CSA server such as floodgate.
//!
//! The code that could lose a game is apart from the code that waits: [`game`] is a state machine
//! without connection, process or clock. A line of the server or an answer of the engine goes in,
//! and actions come out.
//!
//! | module | what |
//! |---|---|
//! | [`protocol`] | lines from and to the server |
//! | `time_control`, `clock` | how a server measures time, and which times the engine gets |
//! | [`summary`] | what the server says about a game before it begins |
//! | `comment` | score and principal variation, as they go to the server and into records |
//! | [`game`], `game_result`, `play` | one game as a state machine, and playing it |
//! | `connection` | the connection, read by a thread of its own, and the user's wish to stop |
//! | `engine_start`, `engine_player` | the engine's process |
//! | [`session`] | from login to login |
//! | `records` | files of games |
//! | [`settings`] | the settings: a file, and options of the command line |
//! | [`logging`], [`output`] | what people see; nothing waits for a terminal |

mod clock;
mod comment;
mod connection;
mod engine_player;
mod engine_start;
pub mod game;
mod game_result;
pub mod logging;
pub mod output;
mod play;
pub mod protocol;
mod records;
pub mod session;
pub mod settings;
pub mod summary;
mod time_control;
