//! The client of the CSA protocol: a game without connection, engine or clock, and the program `kiki-csa`.

mod client;
mod game;
mod held_output;
