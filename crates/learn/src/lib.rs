//! `kiki-lab learn`: networks learned generation by generation, for hours or days, in one folder.
//!
//! A generation is self-play of the best network so far, games of other processes, a training from
//! scratch on the newest games, and games of the new network against the best. If it wins it
//! becomes the best.
//!
//! Each stage resumes from its files: a growing file of games, the checkpoint of a training, a list
//! of test results. Settings and seeds determine their contents. So the state of a run is the list
//! of its generations. An interrupted run repeats the stages of the next generation: complete ones
//! end at once.
//!
//! | file | what |
//! |---|---|
//! | `settings` | the numbers of all stages |
//! | `state` | the run so far: `learn.json` |
//! | `stages` | a generation, stage by stage |
//! | `matches` | test games |
//! | `shards` | games of other processes |
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

pub use command::{LearnArgs, LearnOptions, is_learning, learn, run};
