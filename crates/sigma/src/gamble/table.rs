//! How many games a gambling move has turned, by the value before it.

/// Where the rows of the table begin, in centipawns, as in Kameko 2013; the first has everything below the next.
const ROWS: [i32; 6] = [i32::MIN, -1000, -500, 0, 500, 1000];

/// Counts of games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct GambleCounts {
    /// Not won with the best move, and better with the gambling move.
    pub(crate) better: u64,
    /// The reverse.
    pub(crate) worse: u64,
    /// As good as before.
    pub(crate) unchanged: u64,
}

impl GambleCounts {
    fn count(&mut self, (best, gamble): (i8, i8)) {
        match gamble.cmp(&best) {
            std::cmp::Ordering::Greater => self.better += 1,
            std::cmp::Ordering::Less => self.worse += 1,
            std::cmp::Ordering::Equal => self.unchanged += 1,
        }
    }
}

/// A row: what it is called, and its counts.
pub(crate) struct GambleRow {
    pub(crate) name: String,
    pub(crate) counts: GambleCounts,
}

/// The table: values of best moves for their side, with how the games with the best move and with the gambling move ended.
pub(crate) fn rows(changes: &[(i32, (i8, i8))]) -> (Vec<GambleRow>, GambleCounts) {
    let mut total = GambleCounts::default();
    changes.iter().for_each(|&(_, change)| total.count(change));
    let row = |index: usize| {
        let (low, next) = (ROWS[index], ROWS.get(index + 1).copied());
        let mut counts = GambleCounts::default();
        let inside = |value: i32| value >= low && next.is_none_or(|next| value < next);
        changes.iter().filter(|(value, _)| inside(*value)).for_each(|&(_, change)| counts.count(change));
        let name = match next {
            Some(next) if index == 0 => format!("to {next}"),
            Some(next) => format!("{low}..{next}"),
            None => format!("{low} up"),
        };
        GambleRow { name, counts }
    };
    ((0..ROWS.len()).map(row).collect(), total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_counted_by_value_and_by_what_changed() {
        let (rows, total) =
            rows(&[(-1001, (-1, 1)), (-1000, (-1, 0)), (-500, (1, -1)), (0, (0, 0)), (999, (1, 1)), (1000, (0, -1))]);
        let counts: Vec<_> =
            rows.iter().map(|row| (row.counts.better, row.counts.worse, row.counts.unchanged)).collect();
        assert_eq!(counts, [(1, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 1), (0, 1, 0)]);
        assert_eq!((total.better, total.worse, total.unchanged), (2, 2, 2));
        assert_eq!(
            (rows[0].name.as_str(), rows[1].name.as_str(), rows[5].name.as_str()),
            ("to -1000", "-1000..-500", "1000 up")
        );
    }
}
