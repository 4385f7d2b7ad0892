//! Every number of the search that can be tuned, and a flag for each step that no number turns off: one line each.
//!
//! Normally they are constants, and the compiler removes the flags. With the feature `tune` they are variables that USI options set: an
//! optimizer changes the numbers, and `kiki-lab ablation` turns off steps to measure what each is worth.

use kiki_eval::Tunable;

macro_rules! params {
    (
        numbers { $($name:ident = $default:literal, $min:literal..=$max:literal, step $step:literal, $meaning:literal;)* }
        flags { $($flag:ident: $flag_meaning:literal;)* }
    ) => {
        /// The numbers that an optimizer may change, in the order of the source.
        pub const ALL: &[Tunable] =
            &[$(Tunable::new(stringify!($name), $default, $min..=$max, $step as f64, $meaning)),*];

        /// The ablation flags, in the order of the source: 1 is on, 0 is off.
        pub const ABLATION_FLAGS: &[Tunable] =
            &[$(Tunable::new(stringify!($flag), 1, 0..=1, 1.0, $flag_meaning)),*];

        #[cfg(not(feature = "tune"))]
        mod values {
            $(#[doc = $meaning] #[inline(always)] pub(crate) const fn $name() -> i32 { $default })*
            $(#[doc = $flag_meaning] #[inline(always)] pub(crate) const fn $flag() -> bool { true })*
        }

        #[cfg(feature = "tune")]
        mod values {
            use std::sync::atomic::{AtomicI32, Ordering};
            #[allow(non_upper_case_globals, reason = "one name for the variable and its reader")]
            mod cells {
                use super::AtomicI32;
                $(pub(super) static $name: AtomicI32 = AtomicI32::new($default);)*
                $(pub(super) static $flag: AtomicI32 = AtomicI32::new(1);)*
            }
            $(#[doc = $meaning] #[inline(always)] pub(crate) fn $name() -> i32 { cells::$name.load(Ordering::Relaxed) })*
            $(#[doc = $flag_meaning] #[inline(always)] pub(crate) fn $flag() -> bool { cells::$flag.load(Ordering::Relaxed) != 0 })*

            /// Sets a number or an ablation flag by name; false if the name is unknown. A search in progress may see the change at once.
            pub fn set(name: &str, value: i32) -> bool {
                let cell = match name {
                    $(stringify!($name) => &cells::$name,)*
                    $(stringify!($flag) => &cells::$flag,)*
                    _ => return false,
                };
                cell.store(value, Ordering::Relaxed);
                true
            }
        }
    };
}

params! {
numbers {
    aspiration_width = 85, 8..=120, step 6, "centipawns: first half width of the window at the root";
    aspiration_growth = 54, 20..=200, step 15, "percent by which the window grows when it fails";
    razor_base = 337, 50..=900, step 50, "centipawns below alpha where a node near the leaves goes to quiescence";
    razor_slope = 332, 50..=600, step 40, "centipawns more for each ply squared";
    reverse_futility_slope = 176, 30..=300, step 15, "centipawns a ply above beta that cut";
    reverse_futility_depth = 8, 3..=14, step 1, "plies up to which reverse futility is tried";
    reverse_futility_hanging = 38, 0..=64, step 5, "sixteenths of the value of the second hanging piece that reverse futility expects to lose";
    reverse_futility_return = 67, 0..=100, step 12, "percent of the evaluation, the rest of beta, that a cut by reverse futility returns";
    null_hope = 18, 0..=100, step 6, "centipawns a ply that the static evaluation may lack for a null move";
    null_base = 5, 2..=7, step 0.5, "plies taken off by a null move";
    null_divisor = 2, 2..=8, step 0.35, "plies of depth that take off one more";
    null_eval_divisor = 266, 100..=900, step 50, "centipawns above beta that take off one more ply";
    null_verification_depth = 12, 6..=20, step 1, "plies from which a null move cut is verified";
    probcut_margin = 332, 60..=600, step 30, "centipawns above beta that a shallow search must show";
    probcut_depth = 5, 3..=10, step 1, "plies from which ProbCut is tried";
    probcut_reduction = 4, 2..=7, step 0.6, "plies less for the search that confirms ProbCut";
    probcut_capture_k = 130, 0..=300, step 20, "hundredths of sigma above beta that a capture must show, where margins follow from sigma";
    probcut_search_min = 6, 3..=20, step 1, "plies from which ProbCut searches the node itself less deep";
    probcut_search_max = 20, 0..=40, step 1, "plies up to which it does so; below the least depth it never does";
    probcut_search_reduction = 4, 2..=8, step 0.6, "plies less for that search";
    probcut_search_margin = 0, 0..=800, step 30, "centipawns outside the window that it must show where margins do not follow from sigma; 0 for no such search";
    probcut_first_reduction = 0, 0..=10, step 1, "plies less for a first, cheaper check search, which needs a greater reduction than the other";
    probcut_first_percent = 130, 50..=300, step 20, "percent of the other margin that the first check search must show";
    probcut_low_percent = 100, 0..=300, step 20, "percent of the margins for cuts below alpha; 0 for no such cuts";
    probcut_nested = 0, 0..=1, step 1, "number of check searches that a check search may stand in";
    futility_base = 114, 30..=500, step 25, "centipawns below alpha where quiet moves are skipped";
    futility_slope = 90, 30..=300, step 20, "centipawns more for each ply left";
    futility_depth = 8, 3..=14, step 1, "plies up to which quiet moves are skipped by futility";
    late_move_base = 7, 2..=30, step 1.5, "quiet moves always searched";
    late_move_slope = 267, 50..=600, step 30, "hundredths of a quiet move more for each ply squared";
    late_move_falling = 35, 10..=100, step 10, "percent of them when not improving";
    see_quiet_slope = 66, 10..=200, step 10, "centipawns a ply that a quiet move may lose in the exchange";
    see_capture_slope = 167, 30..=400, step 25, "centipawns a ply that a capture may lose in the exchange";
    history_prune_depth = 5, 1..=12, step 0.7, "plies up to which quiet moves are skipped by history";
    history_prune_slope = 2525, 500..=9000, step 400, "history below minus this a ply skips a quiet move";
    singular_depth = 7, 5..=40, step 0.7, "plies from which a TT move may be singular";
    singular_margin = 3, 1..=6, step 0.6, "centipawns a ply by which the others must be worse";
    double_margin = 29, 0..=200, step 10, "centipawns by which the others must be worse for a second ply";
    check_extension_depth = 1, 1..=30, step 1, "plies from which a check that loses nothing is extended";
    double_limit = 3, 0..=20, step 1, "such double extensions on one line";
    extension_reach = 175, 100..=300, step 25, "percent of the iteration's depth: greatest length of extended lines, in plies";
    iterative_reduction_depth = 5, 2..=12, step 1, "plies from which a node without a TT move is searched a ply less";
    reduction_base = 78, 0..=200, step 15, "hundredths of a ply: constant part of late-move reductions";
    reduction_divisor = 155, 80..=400, step 12, "hundredths: divides log(depth) * log(number)";
    reduction_falling = 19, 0..=100, step 10, "percent more when not improving";
    reduction_tactical = 21, 0..=150, step 12, "percent of it for captures";
    reduction_cut_node = 189, 0..=400, step 20, "hundredths of a ply more where a cut is expected";
    reduction_was_pv = 34, 0..=400, step 20, "hundredths of a ply less where a principal variation has been";
    reduction_pv = 105, 0..=400, step 20, "hundredths of a ply less on the principal variation";
    reduction_check = 62, 0..=400, step 25, "hundredths of a ply less for checks";
    reduction_evasion = 66, 0..=400, step 20, "hundredths of a ply less for answers to a check";
    reduction_threat = 85, 0..=400, step 30, "hundredths of a ply less where the opponent threatens mate";
    reduction_history = 8334, 3000..=20000, step 1200, "history that takes back a ply of reduction";
    history_bonus_slope = 256, 40..=400, step 25, "history bonus for each ply of depth";
    correction_hands = 409, 0..=1000, step 40, "quarters of a centipawn: the greatest correction of the evaluation by the hands";
    correction_kings = 275, 0..=1000, step 40, "the same by the squares of the kings";
    correction_last = 323, 0..=1000, step 40, "the same by the opponent's last move";
    correction_own = 397, 0..=1000, step 40, "the same by one's own last move";
    correction_hanging = 329, 0..=1000, step 50, "the same by hanging pieces";
    correction_rate = 72, 4..=200, step 8, "sixteenths: learning rate of corrections";
    capture_gain = 49, 8..=200, step 8, "eighths: weight of the gain in the order of captures, beside the history";
    capture_loss = 40, 4..=200, step 6, "divisor: a good capture may lose its score divided by this";
    evasion_last = 103, 0..=400, step 20, "percent: weight of the continuation of the opponent's last move in the order of evasions";
    quiet_origin = 203, 0..=800, step 30, "percent: weight of origin and destination in the order of quiet moves";
    quiet_last = 311, 0..=800, step 30, "percent: weight of the continuation of the opponent's last move";
    quiet_own = 183, 0..=800, step 25, "percent: weight of the continuation of one's own last move";
    quiet_own_before = 41, 0..=300, step 25, "percent: the same of one's own move before that";
    quiet_own_first = 18, 0..=300, step 15, "percent: the same of the one before that";
    quiet_check = 8509, 0..=30000, step 1500, "score of a check in the order of quiet moves";
    quiet_hanging = 223, 0..=400, step 35, "sixteenths of its value off the score of a piece that moves to an attacked square without support";
    quiet_escape = 193, 0..=400, step 30, "sixteenths of its value on the score of a piece that leaves such a square";
    history_malus = 118, 20..=300, step 12, "percent of the bonus that moves lose which did not cut";
    history_bonus_max = 1595, 500..=4000, step 200, "largest history bonus";
    mate_share = 60, 0..=500, step 20, "thousandths of the nodes that go into the search for a forced mate at the root";
    quiescence_evasions = 1, 1..=10, step 1, "quiet answers to a check that quiescence searches once it has one that is not mated";
    quiescence_margin = 142, 40..=500, step 25, "centipawns below alpha where a capture is not worth trying";
}
flags {
    use_aspiration_windows: "iterations begin with a narrow window around the last value";
    use_mate_in_one: "mates in one move are looked for at nodes without an entry in the table";
    use_razoring: "nodes far below alpha go to quiescence";
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
}

#[cfg(feature = "tune")]
pub use values::set;
pub(crate) use values::*;

#[cfg(test)]
mod tests {
    use super::*;
    use kiki_eval::TUNABLES;

    /// The lines that `kiki-lab spsa --list` prints for an engine built with the feature `tune`.
    fn lines<'a>(tunables: impl Iterator<Item = &'a Tunable>) -> Vec<String> {
        let line = |tunable: &Tunable| {
            let Tunable { name, default, min, max, step, .. } = tunable;
            format!("{name} = {{ start = {default}, min = {min}, max = {max}, step = {step} }}")
        };
        tunables.map(line).collect()
    }

    #[test]
    fn the_examples_of_a_tuning_have_these_numbers() {
        let all = lines(ALL.iter().chain(TUNABLES));
        let formula = lines(TUNABLES.iter());
        for (file, text, expected) in [
            ("tuning.toml", include_str!("../../../examples/tuning.toml"), all),
            ("tuning-formula.toml", include_str!("../../../examples/tuning-formula.toml"), formula),
        ] {
            let found: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
            assert_eq!(found, expected, "{file}: make it again from kiki-lab spsa --list --engine KIKI");
        }
    }

    #[test]
    fn no_name_stands_twice() {
        let all = ALL.iter().chain(ABLATION_FLAGS).chain(TUNABLES);
        let mut names: Vec<&str> = all.map(|tunable| tunable.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "each is a USI option of its own");
    }
}
