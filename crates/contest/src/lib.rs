//! Which engine is stronger? Matches, tournaments, sequential tests and ablation: `kiki-lab match`,
//! `sprt`, `show` and `ablation`.
//!
//! Data flows one way. [`settings`] describe a contest; the workers of [`kiki_play`] play the
//! schedule of [`standings`]. Each game goes into the journal and then into the standings, the
//! source of all output. A resumed contest first counts the games of its journal. docs/match.md
//! describes the commands.
//!
//! | question | file |
//! |---|---|
//! | how does a user describe a contest? | [`settings`], [`engine_words`], [`run_args`] |
//! | who plays whom, and who has won how much? | [`standings`] |
//! | when does a sequential test stop, and what is the Elo? | [`sprt`] |
//! | how is a contest played and resumed? | `runner` |
//! | what does it print and write? | `report`, [`show`], [`export`] |
//! | what is a step of the search worth? | [`ablation`] |

pub mod ablation;
pub mod command;
pub mod engine_words;
pub mod export;
mod report;
pub mod run_args;
mod runner;
pub mod settings;
pub mod show;
pub mod sprt;
pub mod standings;
