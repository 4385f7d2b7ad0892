//! Runs over many machines.
//!
//! A command with `--nats URL` becomes a coordinator: it cuts its run into numbered tasks and takes
//! their outcomes in the order of the numbers. `kiki-lab worker` does the tasks. Between them stands
//! a NATS server with JetStream, which keeps tasks and results on its disk until they are done and
//! stored.
//!
//! | module | what |
//! |---|---|
//! | [`job`] | what a room hands to this one: a job and its tasks |
//! | [`coordinator`], [`worker`] | the two sides |
//! | [`server`] | the connection and what a run has on the server |
//! | [`message`] | the messages between the two |
//! | [`allowed`] | the engines that a worker may run |
//! | [`context`] | what a worker gives to tasks |
//! | [`files`], [`engines`] | networks and engines of a run on a worker's machine |
//! | [`measure`] | what a machine is |
//! | [`workforce`] | threads of this machine or workers, for jobs without engines |
//! | [`status`] | what workers and runs do, for users |
//! | [`command`] | the arguments of `kiki-lab worker` |

mod allowed;
pub mod command;
pub mod context;
pub mod coordinator;
pub mod engines;
mod files;
pub mod job;
mod measure;
mod message;
mod server;
pub mod status;
mod worker;
pub mod workforce;
