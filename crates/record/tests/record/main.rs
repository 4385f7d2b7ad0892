//! Game records in every form, from files as they are found and from games made up.

mod all_forms;
mod any_input;
mod common;
mod csa_files;
mod japanese_moves;
mod jkf_files;
mod kept_by_all_forms;
mod kif_endings;
mod kif_files;
mod kif_of_other_programs;
mod odd_files;
mod odd_variations;
mod pgn_files;
mod round_trips;
