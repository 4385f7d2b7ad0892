//! The protocol: what each command promises, and what holds for any input.

mod gui_commands;
mod properties;
