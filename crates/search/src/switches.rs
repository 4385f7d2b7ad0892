//! A switch for each step of pruning, reduction, extension and ordering that no tunable number turns off.
//!
//! Normally they are constants, `true`, and the compiler takes them away. With the feature `tune` they are variables that USI options set, 0
//! for off, so that a match shows what a step is worth: `kiki-lab ablation`. They are no numbers for an optimizer, so they stand apart from
//! [`crate::params`].

use kiki_eval::Tunable;

macro_rules! switches {
    ($($name:ident: $meaning:literal;)*) => {
        /// All of them, in the order of the source: 1 is on, 0 is off.
        pub const ALL: &[Tunable] = &[$(Tunable {
            name: stringify!($name), meaning: $meaning, default: 1, min: 0, max: 1, step: 1.0,
        }),*];

        #[cfg(not(feature = "tune"))]
        mod states {
            $(#[doc = $meaning] #[inline(always)] pub(crate) const fn $name() -> bool { true })*
        }

        #[cfg(feature = "tune")]
        mod states {
            use std::sync::atomic::{AtomicBool, Ordering};
            #[allow(non_upper_case_globals, reason = "one name for the variable and its reader")]
            mod cells {
                use super::AtomicBool;
                $(pub(super) static $name: AtomicBool = AtomicBool::new(true);)*
            }
            $(#[doc = $meaning] #[inline(always)] pub(crate) fn $name() -> bool { cells::$name.load(Ordering::Relaxed) })*

            /// Turns a step off, by 0, or on; false if there is no switch of that name. A search in progress may see it at once.
            pub fn set(name: &str, value: i32) -> bool {
                match name {
                    $(stringify!($name) => cells::$name.store(value != 0, Ordering::Relaxed),)*
                    _ => return false,
                }
                true
            }
        }
    };
}

switches! {
    use_aspiration_windows: "iterations begin with a narrow window around the last value";
    use_mate_in_one: "mates in one move are looked for at nodes without an entry in the table";
    use_razoring: "nodes far below alpha fall to quiescence";
    use_reverse_futility: "nodes far above beta are cut";
    use_null_moves: "nodes where passing reaches beta are cut";
    use_probcut: "nodes where a capture is far above beta in a shallow search are cut";
    use_mate_threats: "nodes where passing is answered by mate are searched a ply deeper";
    use_internal_reductions: "nodes without a TT move are searched a ply less";
    use_late_move_pruning: "late quiet moves are left out";
    use_history_pruning: "quiet moves with a bad history are left out";
    use_move_futility: "quiet moves are left out where the evaluation is far below alpha";
    use_quiet_exchanges: "quiet moves that lose material in the exchange are left out";
    use_capture_exchanges: "captures that lose much material in the exchange are left out";
    use_late_move_reductions: "late moves are searched with less depth first";
    use_table_moves: "the move of the table is tried first";
    use_bad_captures_last: "captures that lose material are tried after quiet moves";
    use_killers: "the last quiet moves that cut at the same ply are tried early";
    use_counter_moves: "the last quiet move that refuted the opponent's move is tried early";
    use_quiet_history: "cutoffs teach the history of origin and destination";
    use_continuation_history: "cutoffs teach the history of pairs of moves";
    use_capture_history: "cutoffs teach the history of captures";
    use_quiescence_checks: "the first ply of quiescence tries quiet checks";
    use_quiescence_futility: "quiescence leaves out captures that cannot reach alpha";
    use_quiescence_exchanges: "quiescence leaves out moves that lose material in the exchange";
}

#[cfg(feature = "tune")]
pub use states::set;
pub(crate) use states::*;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params;

    #[test]
    fn no_switch_has_the_name_of_a_number() {
        let mut names: Vec<&str> =
            ALL.iter().chain(params::ALL).chain(kiki_eval::TUNABLES).map(|tunable| tunable.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "each is an option of its own");
    }
}
