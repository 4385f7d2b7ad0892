//! How the player's moves changed from month to month.

use std::collections::BTreeMap;

use kiki_judgement::Thresholds;
use kiki_stats::means::{Mean, OfGame, Ratio};
use serde::Serialize;

use crate::LEVEL;
use crate::groups::{MeanReport, PlayReport, losses};
use crate::moves::GroupedMove;
use crate::words::{Bilingual, percent};

/// Year and month, as in `1709/11`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(transparent)]
pub struct Month(String);

impl Month {
    /// The month of a start time that begins with year and month; `None` if it does not.
    ///
    /// ```
    /// use kiki_player::progress::Month;
    ///
    /// let months = ["2026/1/31 09:30", "2026-01-31T09:30", "2026年1月31日"].map(Month::of);
    /// assert!(months[0].is_some() && months.iter().all(|month| *month == months[0]));
    /// assert!(["", "2026", "31/1/2026", "2026/13/01"].map(Month::of).iter().all(Option::is_none));
    /// ```
    pub fn of(start_time: &str) -> Option<Self> {
        let mut numbers = start_time.trim_start().split(|letter: char| !letter.is_ascii_digit());
        let year = numbers.next().filter(|year| year.len() == 4)?;
        let month: u32 = numbers.next()?.parse().ok()?;
        (1..=12).contains(&month).then(|| Self(format!("{year}/{month:02}")))
    }
}

/// The play of a month.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MonthReport {
    pub month: Month,
    #[serde(flatten)]
    pub play: PlayReport,
    /// What opponents lose in the same games.
    pub opponents_mean_loss: Option<MeanReport>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Progress {
    /// At least two.
    pub months: Vec<MonthReport>,
    /// Later games and earlier ones; `None` with fewer than two games of each.
    pub change: Option<Change>,
}

/// The mean loss of later games over that of earlier ones.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Change {
    /// The first month of the later games.
    pub from: Month,
    pub ratio: f64,
    /// Its 95 % interval.
    pub interval: [f64; 2],
    pub sentence: Bilingual,
}

/// The play by months; `months` are those of the games. `None` with fewer than two months.
pub fn progress(
    moves: &[GroupedMove],
    of_opponents: &[GroupedMove],
    months: &[Option<Month>],
    thresholds: &Thresholds,
) -> Option<Progress> {
    let [own, theirs] = [moves, of_opponents].map(|moves| by_month(moves, months));
    let report = |(&month, moves): (&&Month, &Vec<&GroupedMove>)| {
        let opponents = theirs.get(month).and_then(|moves| Mean::new(&losses(moves))).map(MeanReport::from);
        let play = PlayReport::new(moves, thresholds)?;
        Some(MonthReport { month: month.clone(), play, opponents_mean_loss: opponents })
    };
    let reports: Vec<MonthReport> = own.iter().filter_map(report).collect();
    (reports.len() > 1).then(|| Progress { change: change(&own, &reports), months: reports })
}

fn by_month<'a>(moves: &'a [GroupedMove], months: &'a [Option<Month>]) -> BTreeMap<&'a Month, Vec<&'a GroupedMove>> {
    let mut found: BTreeMap<&Month, Vec<&GroupedMove>> = BTreeMap::new();
    for played in moves {
        if let Some(month) = &months[played.game] {
            found.entry(month).or_default().push(played);
        }
    }
    found
}

/// Compares the later months with the earlier ones: about half of the games each.
fn change(moves: &BTreeMap<&Month, Vec<&GroupedMove>>, reports: &[MonthReport]) -> Option<Change> {
    let all: usize = reports.iter().map(|report| report.play.games).sum();
    let before = |place: usize| reports[..place].iter().map(|report| report.play.games).sum::<usize>();
    let middle = (1..reports.len()).min_by_key(|&place| (2 * before(place)).abs_diff(all))?;
    let from = &reports[middle].month;
    let sample = |is_later: bool| -> Vec<OfGame> {
        let months = moves.iter().filter(|(month, _)| (**month >= from) == is_later);
        months.flat_map(|(_, moves)| losses(moves)).collect()
    };
    let [earlier, later] = [sample(false), sample(true)];
    let Ratio { value: ratio, interval } = Ratio::new([&later[..]], [&earlier[..]], LEVEL)?;
    let [before, after] = [Mean::new(&earlier)?, Mean::new(&later)?].map(|mean| percent(mean.value));
    let [times, low, high] = [ratio, interval[0], interval[1]].map(|number| format!("{number:.2}"));
    let (ja, en) = match interval {
        [low, _] if low > 1.0 => ("損失が増えています", "more is lost"),
        [_, high] if high < 1.0 => ("損失が減っています", "less is lost"),
        _ => ("変化は偶然の範囲です", "no change beyond chance"),
    };
    let month = &from.0;
    let sentence = Bilingual::new(
        format!(
            "一手の平均損失は{month}より前で{before}、以後で{after}です（{times}倍、95%区間 {low}〜{high}）: {ja}。"
        ),
        format!(
            "A move lost {before} before {month}, {after} since ({times} times as much, 95% interval {low} to {high}): {en}."
        ),
    );
    Some(Change { from: from.clone(), ratio, interval, sentence })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::tests::moves;

    fn found(months: &[&str], losses: [f64; 2]) -> Option<Progress> {
        let months: Vec<Option<Month>> = months.iter().map(|month| Month::of(month)).collect();
        let half = months.len() / 2;
        let mut all = moves(months.len(), [("a", losses[0]), ("b", losses[0])], 0.001);
        all.iter_mut()
            .filter(|played| played.game >= half)
            .for_each(|played| played.judgement.loss += losses[1] - losses[0]);
        progress(&all, &moves(2, [("a", 0.2), ("b", 0.2)], 0.0), &months, &Thresholds::default())
    }

    #[test]
    fn months_have_means_and_a_change() {
        let months = ["2026/01/03", "2026/01/04", "2026/01/05", "2026/02/01", "2026/03/01", "2026/03/02"];
        let Progress { months: reports, change } = found(&months, [0.04, 0.02]).unwrap();
        let counts: Vec<(&str, usize)> = reports.iter().map(|of| (of.month.0.as_str(), of.play.games)).collect();
        assert_eq!(counts, [("2026/01", 3), ("2026/02", 1), ("2026/03", 2)]);
        assert!(reports[0].play.mean_loss.interval.is_some() && reports[1].play.mean_loss.interval.is_none());
        let of_opponents = |place: usize| reports[place].opponents_mean_loss.as_ref().map(|mean| mean.value);
        assert_eq!((of_opponents(0).map(|loss| loss > 0.19), of_opponents(1)), (Some(true), None));
        let change = change.unwrap();
        assert!(change.from == Month("2026/02".to_owned()) && change.interval[1] < 1.0, "{change:?}");
        assert!(change.sentence.en.ends_with(": less is lost."), "{change:?}");
        let same = found(&months, [0.03, 0.03]).unwrap().change.unwrap();
        assert!(same.sentence.en.ends_with(": no change beyond chance."), "{same:?}");
    }

    #[test]
    fn one_month_or_unknown_dates_show_no_progress() {
        assert_eq!(found(&["2026/01/03", "2026/01/04", "", "?"], [0.03, 0.03]), None);
        assert_eq!(found(&["", ""], [0.03, 0.03]), None);
        let two = found(&["2026/01/03", "2026/02/04", ""], [0.03, 0.03]).unwrap();
        assert_eq!((two.months.len(), two.change), (2, None), "one game of each");
    }
}
