//! `kiki-lab learn`: networks learned generation by generation, for hours or days, in one folder.
//!
//! A generation is self-play of the best network so far, games that others made meanwhile, a training from nothing on the newest games, and
//! games of the new network against the best. If it wins it becomes the best.
//!
//! Each stage leaves files from which it goes on after any end: games are a file that grows, a training has checkpoints, test games a list of
//! results. What they hold follows from settings and seeds. So the state of a run is the list of its generations, and a run that was interrupted
//! takes the stages of the next one again from the start: those that are complete end at once.
//!
//! | file | what |
//! |---|---|
//! | `settings` | the numbers of all stages |
//! | `state` | the run so far: `learn.json` |
//! | `stages` | a generation, stage by stage |
//! | `matches` | test games |
//! | `shards` | games that other processes make |
//! | `progress` | what the run does now, on the terminal and for the page |
//! | `page` | `learning.html` |

mod command;
mod matches;
mod page;
mod progress;
mod settings;
mod shards;
mod stages;
mod state;

pub use command::{LearnArgs, is_learning, run};
