//! The protocol: what each command promises, and what holds for any input.

mod go_mistakes;
mod gui_commands;
mod properties;
