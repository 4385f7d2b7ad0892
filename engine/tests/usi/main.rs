//! Conversations with the real engine over its standard input and output, each named by the promise that it keeps.

mod any_conversation;
mod background;
mod bad_input;
mod book;
mod clocks;
mod conformance;
mod conversation;
mod getting_ready;
mod last_lines;
mod levels;
mod mates;
mod memory;
mod named_files;
mod network;
mod options_page;
mod protocol;
mod reliability;
mod resources;
mod settings_file;
mod thinking;
mod time_slices;
mod tunables;
mod values;
