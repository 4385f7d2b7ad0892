//! Games searched by USI engines, position by position, and the page that shows the results.
//!
//! | module | what |
//! |---|---|
//! | [`game`] | the game or line of moves whose positions are searched |
//! | [`answer`] | what an engine says about one position: scores and their winning probability, variations, sigma |
//! | [`search`] | engines asked about positions, several at the same time |
//! | [`searched`] | games with the answers so far, in a resumable folder |
//! | [`search_args`] | the arguments of commands that search games |
//! | [`lines`] | lines of moves as people write them, the variations of a record |
//! | [`name`] | names in Japanese and English |
//! | [`formations`] | the names of openings and castles |
//! | [`phase`] | opening, middle game, end game |
//! | [`summary`] | how the sides played: the accuracy of each phase, classes of losses |
//! | [`report`] | all of it for one game; as JSON its keys are documented in docs/analyze.md |
//! | [`annotate`] | the record of the game with values, marks and candidates |
//! | [`page`] | the report as one HTML page that needs nothing else |
//! | [`index`] | all games of an analysis: players and worst moves; as JSON and as a page |
//!
//! A caller reads games, asks [`search::AnalysisPool`] about their positions, keeps the answers,
//! and makes a [`report::GameReport`] of them, complete or not.

pub mod annotate;
pub mod answer;
pub mod command;
pub mod formations;
pub mod game;
pub mod index;
pub mod lines;
pub mod name;
pub mod page;
pub mod phase;
pub mod reasons;
pub mod report;
mod run;
pub mod search;
pub mod search_args;
pub mod searched;
pub mod summary;
