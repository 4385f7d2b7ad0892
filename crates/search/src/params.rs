//! Every tunable number of the search, and a flag for each step that no number turns off: one line
//! each.
//!
//! Normally they are constants, and the compiler removes the flags. With the feature `tune` they
//! are variables set by USI options. An optimizer changes the numbers; `kiki-lab ablation` turns
//! off steps to measure their worth.

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

            /// Sets a number or an ablation flag by name; false if the name is unknown. A search in
            /// progress may see the change at once.
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
    window_width = 60, 5..=200, step 5, "units: first half width of the window at the root, of steady moves";
    window_square = 9000, 2000..=40000, step 1500, "mean square of a move's values that widens that by a unit";
    table_cut_depth = 5, 0..=20, step 1, "plies above which a value of the table cuts nodes that were not expected to end so";
    razor_base = 502, 50..=1200, step 50, "units below alpha where a node goes to quiescence";
    razor_slope = 306, 50..=700, step 40, "units more for each ply squared";
    reverse_futility_slope = 76, 20..=200, step 8, "units a ply above beta that cut";
    reverse_futility_no_hit = 21, 0..=70, step 5, "units a ply less without an entry in the table";
    reverse_futility_improving = 2686, 0..=6000, step 250, "slopes less where the side improves, in 1/1024";
    reverse_futility_worsening = 362, 0..=2000, step 100, "slopes less where the opponent's evaluation worsened, in 1/1024";
    reverse_futility_doubt = 180600, 40000..=1000000, step 20000, "doubt that demands a unit more";
    reverse_futility_depth = 15, 4..=25, step 1, "plies from which reverse futility is not tried";
    null_slope = 16, 0..=50, step 3, "units a ply that the static evaluation may lack for a null move";
    null_improving = 53, 0..=200, step 12, "units more that it may lack where the side improves";
    null_margin = 378, 0..=900, step 35, "units above beta that it needs beyond that";
    null_base = 7, 2..=10, step 0.5, "plies taken off by a null move";
    null_divisor = 3, 2..=8, step 0.35, "plies of depth that take off one more";
    null_verification_depth = 16, 6..=30, step 1, "plies from which a null move cut is verified";
    hindsight_deeper = 3, 1..=8, step 0.5, "plies of the parent's reduction from which one is given back";
    hindsight_shallower = 2, 1..=8, step 0.5, "plies of the parent's reduction from which one more is taken";
    hindsight_sum = 173, 0..=600, step 20, "units that both evaluations must gain together for that";
    internal_depth = 6, 2..=14, step 0.7, "plies from which a node without a TT move is searched a ply less";
    internal_reduction = 3, 0..=10, step 0.5, "plies of the parent's reduction above which it is not";
    probcut_margin = 224, 60..=600, step 20, "units above beta that a shallow search must show";
    probcut_improving = 61, 0..=200, step 10, "units less where the side improves";
    probcut_depth = 3, 2..=10, step 0.7, "plies from which ProbCut is tried";
    probcut_reduction = 4, 2..=8, step 0.5, "plies less for the search that confirms ProbCut";
    small_probcut_margin = 416, 100..=1200, step 35, "units above beta where a value of the table cuts";
    small_probcut_depth = 4, 0..=10, step 0.5, "plies by which that value may be shallower than the node";
    late_move_base = 3, 1..=15, step 0.7, "moves before quiet ones are left out, beside the depth squared";
    capture_futility_base = 218, 0..=600, step 25, "units below alpha where captures are skipped";
    capture_futility_slope = 223, 50..=600, step 25, "units more for each ply left";
    capture_futility_history = 131, 0..=500, step 20, "1/1024: weight of their history there";
    capture_futility_depth = 7, 2..=14, step 0.7, "plies from which captures are not skipped by futility";
    see_capture_slope = 167, 30..=400, step 20, "units a ply that a capture may lose in the exchange";
    see_capture_history = 34, 0..=150, step 6, "1/1024: weight of its history there";
    history_prune_slope = 4097, 1000..=10000, step 400, "history below minus this a ply skips a quiet move";
    history_quiet = 71, 0..=200, step 8, "1/32: weight of the quiet history in what lengthens the depth that pruning sees";
    history_ply = 3220, 1000..=10000, step 350, "history that lengthens it by a ply";
    futility_base = 42, 0..=300, step 15, "units below alpha where quiet moves are skipped";
    futility_no_best = 151, 0..=400, step 20, "units more while no move has raised alpha";
    futility_slope = 120, 30..=300, step 15, "units more for each ply left";
    futility_above = 86, 0..=300, step 15, "units more where the static evaluation is above alpha";
    futility_depth = 13, 4..=25, step 1, "plies from which quiet moves are not skipped by futility";
    see_quiet_slope = 25, 5..=80, step 3, "units for each ply squared that a quiet move may lose in the exchange";
    singular_depth = 6, 3..=14, step 0.5, "plies from which a TT move may be singular";
    singular_margin = 60, 10..=200, step 8, "units for 55 plies by which the others must be worse";
    singular_was_pv = 66, 0..=200, step 8, "the same more at a node that was on a principal variation and is not now";
    singular_doubt = 210590, 40000..=1000000, step 25000, "doubt that takes a unit off the margins of a second and a third ply";
    double_base = -4, -100..=100, step 6, "units by which the others must be worse still for a second ply";
    double_pv = 212, 0..=500, step 20, "units more on the principal variation";
    double_quiet = 182, 0..=500, step 20, "units less for a quiet move";
    double_history = 906, 0..=3000, step 120, "weight of the history of table moves, in 1/116517 unit";
    double_far = 44, 0..=200, step 8, "units less where the line is longer than the iteration is deep";
    triple_base = 73, -100..=300, step 10, "units by which the others must be worse still for a third ply";
    triple_pv = 320, 0..=700, step 25, "units more on the principal variation";
    triple_quiet = 218, 0..=500, step 20, "units less for a quiet move";
    triple_was_pv = 92, 0..=300, step 12, "units more where a principal variation has been";
    triple_far = 45, 0..=200, step 8, "units less where the line is longer than the iteration is deep";
    singular_other_good = 3, 0..=6, step 0.4, "plies less for a TT move above beta that is not singular";
    singular_cut_node = 2, 0..=6, step 0.4, "plies less for another one where a cut is expected";
    multi_cut_base = 424, 0..=2000, step 60, "what a multi-cut takes off the history of table moves";
    multi_cut_slope = 107, 0..=500, step 15, "more for each ply";
    multi_cut_max = 3375, 500..=8000, step 300, "most of it";
    reduction_window = 585, 0..=1500, step 50, "1/1024 ply less where the window is as wide as the root's";
    reduction_falling = 206, 0..=500, step 18, "1/512 of the logarithms more when not improving";
    reduction_base = 1133, 0..=3000, step 100, "1/1024 ply: constant part before pruning";
    reduction_was_pv = 1013, 0..=3000, step 100, "1/1024 ply more before pruning where a principal variation has been";
    reduction_line = 2819, 0..=6000, step 200, "1/1024 ply less where a principal variation has been";
    reduction_line_pv = 973, 0..=3000, step 100, "1/1024 ply less if it still is one";
    reduction_line_value = 905, 0..=3000, step 100, "1/1024 ply less if the table's value is above alpha";
    reduction_line_depth = 935, 0..=3000, step 100, "1/1024 ply less if the table's entry is as deep";
    reduction_line_depth_cut = 959, 0..=3000, step 100, "1/1024 ply less where a cut is expected then";
    reduction_late = 691, -1000..=3000, step 100, "1/1024 ply: constant part after pruning";
    reduction_number = 65, 0..=300, step 10, "1/1024 ply less for each move before";
    reduction_doubt = 25600, 5000..=200000, step 3000, "doubt that takes off 1/1024 ply";
    reduction_cut = 3611, 0..=8000, step 250, "1/1024 ply more where a cut is expected";
    reduction_cut_no_move = 985, 0..=3000, step 100, "1/1024 ply more without a TT move then";
    reduction_tt_capture = 1054, 0..=3000, step 100, "1/1024 ply more beside a TT move that captures";
    reduction_cutoffs = 251, 0..=3000, step 80, "1/1024 ply more where moves before failed often";
    reduction_cutoffs_more = 1124, 0..=3000, step 100, "1/1024 ply more where they failed more often";
    reduction_cutoffs_all = 1042, 0..=3000, step 100, "1/1024 ply more then where no cut is expected";
    reduction_tt_move = 2239, 0..=6000, step 200, "1/1024 ply less for the TT move";
    reduction_stat = 428, 0..=1500, step 45, "1/4096: weight of the histories of the move";
    reduction_all = 273, 0..=1000, step 30, "weight of the reduction itself where no cut is expected";
    stat_capture = 863, 0..=3000, step 90, "1/128: weight of the piece taken in the histories of a capture";
    negative_reduction = 2, 0..=5, step 0.4, "plies by which a reduction may lengthen a search";
    again_deeper = 48, 0..=200, step 8, "units above the best by which a reduced search earns a ply for the second one";
    again_shallower = 9, 0..=100, step 4, "units above the best below which it loses one";
    again_bonus = 1426, 0..=4000, step 150, "bonus of a move whose reduced search failed high";
    unreduced_no_move = 1057, 0..=4000, step 120, "1/1024 ply of reduction more for moves not reduced, without a TT move";
    unreduced_first = 4628, 0..=10000, step 400, "1/1024 ply of reduction that takes a ply off such moves";
    unreduced_second = 5772, 0..=12000, step 400, "1/1024 ply of reduction that takes off another";
    table_bonus_slope = 130, 20..=400, step 15, "bonus a ply for the table's quiet move that cuts by its value alone";
    table_bonus_base = 71, -200..=400, step 15, "less of it at every depth";
    table_bonus_max = 1043, 200..=4000, step 100, "most of it";
    table_malus = 2142, 0..=6000, step 200, "malus of the opponent's early quiet move before such a cut";
    swing_least = 214, 20..=600, step 20, "units of change of the evaluation by a quiet move that count against it at most";
    swing_most = 171, 20..=600, step 20, "units of change that count for it at most";
    swing_base = 60, -100..=200, step 8, "units that such a change gains for every move";
    swing_quiet = 10, 0..=40, step 1, "bonus a unit of that change for the history of quiet moves";
    swing_pawn = 12, 0..=40, step 1, "bonus a unit of that change for the pawn history";
    bonus_slope = 128, 20..=400, step 12, "bonus a ply for a move that raises alpha";
    bonus_base = 77, -200..=400, step 15, "less of it at every depth";
    bonus_max = 1529, 300..=5000, step 150, "most of it";
    bonus_tt_move = 353, 0..=1500, step 40, "more of it for the TT move";
    bonus_stat = 32, 8..=200, step 4, "history of the opponent's move that adds one";
    malus_slope = 882, 100..=2500, step 80, "malus a ply for the moves searched before it";
    malus_base = 204, -500..=1000, step 40, "less of it at every depth";
    malus_max = 2122, 500..=6000, step 200, "most of it";
    bonus_quiet = 806, 200..=3000, step 80, "1/1024: share of the bonus for a quiet move";
    bonus_capture = 1286, 200..=4000, step 120, "1/1024: share of the bonus for a capture";
    malus_quiet = 1113, 200..=4000, step 100, "1/1024: share of the malus for quiet moves";
    malus_falling = 977, 700..=1024, step 15, "1/1024: what is left of it from one quiet move to the next";
    malus_early = 616, 0..=2500, step 60, "1/1024: share of the malus for the opponent's quiet move, if that was the first one searched";
    malus_capture = 1559, 200..=4000, step 150, "1/1024: share of the malus for captures";
    table_move_right = 805, 0..=3000, step 80, "bonus of the history of table moves where the table's move is best";
    table_move_wrong = 787, 0..=3000, step 80, "malus where another one is";
    failure_capture = 1018, 0..=4000, step 100, "bonus of the opponent's capture where no move raises alpha";
    failure_base = 232, -200..=800, step 25, "share of the bonus of its quiet move that every node takes off, in 1/16384";
    failure_stat = 108, 20..=500, step 12, "history of that move that takes off one more";
    failure_depth = 59, 0..=300, step 6, "what a ply adds";
    failure_depth_max = 454, 0..=1500, step 40, "most of that";
    failure_late = 169, 0..=600, step 20, "what a move after eight others adds";
    failure_own_margin = 110, 0..=400, step 12, "units below the static evaluation at which a result is low";
    failure_own = 145, 0..=600, step 15, "what such a low result adds";
    failure_parent_margin = 73, 0..=400, step 10, "the same below the parent's static evaluation, from this side";
    failure_parent = 154, 0..=600, step 15, "what such a low result adds";
    failure_slope = 135, 20..=500, step 15, "that bonus itself, a ply";
    failure_slope_base = 80, -200..=400, step 15, "less of it at every depth";
    failure_max = 1400, 300..=5000, step 150, "most of it";
    failure_continuation = 221, 0..=800, step 25, "1/16384: share of the continuation histories";
    failure_quiet = 235, 0..=1000, step 25, "1/32768: share of the history of quiet moves";
    failure_pawn = 290, 0..=1000, step 30, "1/8192: share of the pawn history";
    teach_low = 761, 0..=3000, step 80, "1/1024: share of the bonus of a quiet move for the history near the root";
    teach_continuation = 955, 0..=3000, step 90, "1/1024: share for the continuation histories";
    teach_nearest = 88, -200..=400, step 12, "what every bonus adds to the continuation of the move before";
    teach_pawn_good = 850, 0..=3000, step 80, "1/1024: share of a bonus for the pawn history";
    teach_pawn_bad = 550, 0..=3000, step 60, "1/1024: share of a malus for it";
    correct_best = 12, 2..=60, step 1, "1/128: rate at which corrections learn from a best move, a ply";
    correct_bound = 17, 2..=60, step 1.5, "1/128: the same without one";
    correct_rate = 1069, 200..=4000, step 100, "1/1024: rate of all corrections";
    correct_minor = 153, 0..=500, step 12, "1/128: rate of the correction by minor pieces";
    correct_others = 187, 0..=500, step 15, "1/128: rate of the corrections by the other pieces of a side";
    correction_pawn = 12153, 0..=40000, step 1200, "weight of the correction by pawns";
    correction_minor = 8620, 0..=40000, step 1000, "weight of the correction by minor pieces";
    correction_others = 12355, 0..=40000, step 1200, "weight of the corrections by the other pieces of a side";
    correction_pairs = 7982, 0..=40000, step 900, "weight of the corrections by pairs of moves";
    capture_value = 7, 1..=20, step 0.7, "weight of the piece taken in the order of captures, beside the history";
    capture_loss = 18, 4..=100, step 2, "divisor: a good capture may lose its score divided by this";
    quiet_check = 16384, 0..=40000, step 1600, "score of a check in the order of quiet moves";
    quiet_check_loss = 75, 0..=300, step 10, "units that such a check may lose";
    quiet_threat = 100, 0..=400, step 10, "sixteenths of its value for a piece that leaves a square where it hangs, and off for one that enters one";
    quiet_killer = 3000, 0..=20000, step 600, "score of the last quiet move that cut a sibling; half of it for the one before";
    quiet_low = 8, 0..=30, step 1, "weight of the history near the root, less with each ply";
    sorted_quiets = 3560, 1000..=10000, step 350, "quiet moves are sorted down to minus this a ply";
    good_quiet = -14000, -40000..=0, step 1500, "score of quiet moves that come before bad captures";
    mate_share = 60, 0..=500, step 20, "thousandths of the nodes that go into the search for a forced mate at the root";
    quiescence_margin = 328, 40..=800, step 30, "units below alpha where a capture is not worth trying";
    quiescence_loss = 73, 0..=300, step 10, "units that a capture may lose in the exchange";
}
flags {
    use_aspiration_windows: "iterations begin with a narrow window around the mean of the last values";
    use_mate_in_one: "mates in one move are looked for at nodes without an entry in the table";
    use_hindsight: "a node makes good what its parent reduced too much or too little";
    use_razoring: "nodes far below alpha go to quiescence";
    use_reverse_futility: "nodes far above beta are cut";
    use_null_moves: "nodes where passing reaches beta are cut";
    use_internal_reductions: "nodes without a TT move are searched a ply less";
    use_probcut: "nodes where a capture is far above beta in a shallow search are cut";
    use_small_probcut: "nodes that the table knows to be far above beta are cut";
    use_late_move_pruning: "late quiet moves are left out";
    use_history_pruning: "quiet moves with a bad history are left out";
    use_move_futility: "quiet moves are left out where the evaluation is far below alpha";
    use_capture_futility: "captures are left out where the evaluation is far below alpha";
    use_quiet_exchanges: "quiet moves that lose material in the exchange are left out";
    use_capture_exchanges: "captures that lose much material in the exchange are left out";
    use_singular_extensions: "TT moves without a rival are searched deeper";
    use_late_move_reductions: "late moves are searched with less depth first";
    use_table_moves: "the move of the table is tried first";
    use_bad_captures_last: "captures that lose material are tried after quiet moves";
    use_quiet_history: "results teach the history of quiet moves";
    use_low_history: "results near the root teach a history of their own";
    use_continuation_history: "results teach the history of pairs of moves";
    use_pawn_history: "results teach the history of moves by the structure of pawns";
    use_capture_history: "results teach the history of captures";
    use_swing_teaching: "the change of the evaluation teaches the histories of the opponent's move";
    use_failure_teaching: "nodes where no move succeeds teach the histories of the opponent's move";
    use_corrections: "the evaluation is corrected by what searches found before";
    use_quiescence_futility: "quiescence leaves out captures that cannot reach alpha";
    use_quiescence_exchanges: "quiescence leaves out captures that lose material in the exchange";
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
