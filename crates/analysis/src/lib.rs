//! Games searched by USI engines, position by position, and the page that shows what they found.
//!
//! | module | what |
//! |---|---|
//! | [`game`] | the game or line of moves whose positions are searched |
//! | [`value`] | what an engine thinks of a position: centipawns or a mate, and the winning probability that follows |
//! | [`answer`] | what an engine says about one position: lines, sigma, the value of the move that was played |
//! | [`search`] | engines asked about positions, several at the same time |
//! | [`judgement`] | what a played move has lost, its mark, and the accuracy of a player |
//! | [`report`] | all of it for one game; as JSON its keys are documented in docs/analyze.md |
//! | [`page`] | the report as one HTML page that needs nothing else |
//!
//! Nothing here opens files or prints. A caller reads games, asks [`search::AnalysisPool`] about their positions, keeps the answers, and makes a
//! [`report::GameReport`] of them, complete or not.

pub mod answer;
pub mod command;
mod failures;
pub mod game;
pub mod judgement;
pub mod page;
mod prepare;
pub mod report;
mod run;
pub mod search;
pub mod value;
