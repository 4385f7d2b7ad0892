//! Game records in every form, from real files and from generated games.

mod all_forms;
mod any_input;
mod common;
mod csa_files;
mod japanese_moves;
mod jkf_files;
mod kif_files;
mod kif_of_other_programs;
mod odd_files;
mod pgn_files;
mod tables;
