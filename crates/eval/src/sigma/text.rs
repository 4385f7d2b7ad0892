//! Models as text: lines of a key and numbers, separated by tabs, with a column for each pair of
//! depths.

use std::fmt::{Display, Write as _};

use super::features::{ELEMENT_NAMES, FEATURES, PROGRESS_ELEMENTS, ProgressWeights, VALUE_FEATURE_NAMES, feature_name};
use super::model::{PROGRESS_BANDS, PairModel, SigmaLink, SigmaModel};

/// The first line of a file. The number goes up whenever the meaning of the lines changes.
const HEADER: &str = "kiki sigma model\t2";

const PROGRESS_KEY: &str = "progress of the game";

/// Why a text is not a model: the line at fault, or a first line of another kind or version.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct SigmaModelError(String);

/// A row of numbers, one for each pair of depths.
struct NumberRow {
    key: String,
    /// Whether its numbers must be above 0.
    positive: bool,
}

/// The rows behind the depths, in the order of the file and of [`numbers`].
fn rows() -> Vec<NumberRow> {
    let row = |key: &str, positive| NumberRow { key: key.to_owned(), positive };
    let mut rows = vec![
        row("floor", true),
        row("constant alone", false),
        row("constant beside the progress alone", false),
        row("progress alone", false),
    ];
    for band in BAND_NAMES {
        for (name, positive) in [("slope", true), ("offset", false), ("share of sigma", true)] {
            rows.push(row(&format!("{name}, {band}"), positive));
        }
    }
    let with_values = ["constant"].iter().chain(&ELEMENT_NAMES).chain(&VALUE_FEATURE_NAMES);
    rows.extend(with_values.map(|name| row(&format!("{name}, with values"), false)));
    rows.extend((0..FEATURES).map(|feature| row(&feature_name(feature), false)));
    rows
}

const BAND_NAMES: [&str; PROGRESS_BANDS] = ["opening", "middle game", "endgame"];

/// The numbers of a pair in the order of [`rows`].
fn numbers(pair: &mut PairModel) -> Vec<&mut f32> {
    let PairModel { floor, fits, constant, progress, values, weights, .. } = pair;
    let mut numbers = vec![floor, constant];
    numbers.extend(progress);
    numbers.extend(fits.iter_mut().flat_map(|fit| [&mut fit.slope, &mut fit.offset, &mut fit.share]));
    numbers.extend(values);
    numbers.extend(weights);
    numbers
}

struct ModelReader<'a> {
    lines: std::str::Lines<'a>,
    /// Number of the line read last, from 1.
    line: usize,
}

impl<'a> ModelReader<'a> {
    /// The cells of the next line behind its key.
    fn next(&mut self, key: &str) -> Result<Vec<&'a str>, SigmaModelError> {
        self.line += 1;
        let Some(text) = self.lines.next() else { return Err(self.error(format!("`{key}` is missing"))) };
        let mut cells = text.split('\t');
        let found = cells.next().unwrap_or_default();
        if found != key {
            return Err(self.error(format!("`{found}` stands where `{key}` should")));
        }
        Ok(cells.collect())
    }

    fn numbers(&mut self, row: &NumberRow, expected: usize) -> Result<Vec<f32>, SigmaModelError> {
        let cells = self.next(&row.key)?;
        if cells.len() != expected {
            return Err(self.error(format!("{} numbers instead of {expected}", cells.len())));
        }
        let number = |cell: &&str| match cell.parse::<f32>() {
            Ok(number) if row.positive && number <= 0.0 => Err(self.not(cell, "above 0")),
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(self.not(cell, "a finite number")),
        };
        cells.iter().map(number).collect()
    }

    /// The pairs of depths, such as `4-8`.
    fn depths(&mut self) -> Result<Vec<(u8, u8)>, SigmaModelError> {
        let mut depths = Vec::new();
        for cell in self.next("depths")? {
            let parts = cell.split_once('-').map(|(shallow, deep)| (shallow.parse(), deep.parse()));
            let Some((Ok(shallow), Ok(deep))) = parts else {
                return Err(self.not(cell, "a pair of depths such as `4-8`"));
            };
            if shallow >= deep || depths.contains(&(shallow, deep)) {
                return Err(self.not(cell, "a pair of a smaller and a greater depth that stands only once"));
            }
            depths.push((shallow, deep));
        }
        Ok(depths)
    }

    fn not(&self, cell: &str, expected: &str) -> SigmaModelError {
        self.error(format!("`{cell}` is not {expected}"))
    }

    fn error(&self, problem: impl Display) -> SigmaModelError {
        SigmaModelError(format!("line {}: {problem}", self.line))
    }
}

impl SigmaModel {
    /// Reads a model.
    pub fn from_text(text: &str) -> Result<Self, SigmaModelError> {
        let mut reader = ModelReader { lines: text.lines(), line: 1 };
        if reader.lines.next() != Some(HEADER) {
            return Err(SigmaModelError(format!("the first line is not `{}`", HEADER.replace('\t', " "))));
        }
        let note = reader.next("note")?.join(" ");
        let link = match reader.next("link")?[..] {
            ["linear"] => SigmaLink::Linear,
            ["log"] => SigmaLink::Log,
            ref other => return Err(reader.not(&other.join(" "), "`linear` or `log`")),
        };
        let progress = NumberRow { key: PROGRESS_KEY.to_owned(), positive: false };
        let progress = reader.numbers(&progress, PROGRESS_ELEMENTS + 1)?;
        let depths = reader.depths()?;
        let columns: Vec<Vec<f32>> =
            rows().iter().map(|row| reader.numbers(row, depths.len())).collect::<Result<_, _>>()?;
        if reader.lines.next().is_some() {
            reader.line += 1;
            return Err(reader.error("the text goes on after the model"));
        }
        let mut pairs: Vec<PairModel> = depths.iter().map(|&(shallow, deep)| PairModel::zero(shallow, deep)).collect();
        for (index, pair) in pairs.iter_mut().enumerate() {
            numbers(pair).into_iter().zip(&columns).for_each(|(number, row)| *number = row[index]);
        }
        Ok(Self { note, link, progress: ProgressWeights(std::array::from_fn(|index| progress[index])), pairs })
    }

    /// The text that [`SigmaModel::from_text`] reads.
    #[must_use]
    pub fn to_text(&self) -> String {
        let link = match self.link {
            SigmaLink::Linear => "linear",
            SigmaLink::Log => "log",
        };
        let note = self.note.replace(['\t', '\n'], " ");
        let mut text = format!("{HEADER}\nnote\t{note}\nlink\t{link}\n");
        write_line(&mut text, PROGRESS_KEY, self.progress.0);
        let depths = self.pairs.iter().map(|pair| format!("{}-{}", pair.shallow, pair.deep));
        write_line(&mut text, "depths", depths);
        let mut pairs = self.pairs.clone();
        let columns: Vec<Vec<&mut f32>> = pairs.iter_mut().map(numbers).collect();
        for (index, row) in rows().iter().enumerate() {
            write_line(&mut text, &row.key, columns.iter().map(|column| &column[index]));
        }
        text
    }
}

fn write_line(text: &mut String, key: &str, numbers: impl IntoIterator<Item = impl Display>) {
    text.push_str(key);
    for number in numbers {
        let _ = write!(text, "\t{number}");
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sigma::ValueFit;

    fn model() -> SigmaModel {
        let pair = |shallow, deep| PairModel {
            shallow,
            deep,
            floor: 10.5,
            fits: [1.02, 1.0, 0.9].map(|slope| ValueFit { slope, offset: -3.0, share: 0.8 }),
            constant: 200.0,
            progress: [100.0, 150.0],
            values: std::array::from_fn(|index| index as f32 - 3.5),
            weights: (0..FEATURES).map(|feature| feature as f32 / 7.0 - f32::from(deep)).collect(),
        };
        SigmaModel {
            note: "made up".to_owned(),
            link: SigmaLink::Linear,
            progress: ProgressWeights(std::array::from_fn(|index| 0.1 * index as f32 - 0.2)),
            pairs: vec![pair(2, 6), pair(4, 8)],
        }
    }

    /// The error of `from_text` for a text with a replaced part.
    fn error(from: &str, to: &str) -> String {
        let text = model().to_text();
        assert!(text.contains(from), "{from}");
        SigmaModel::from_text(&text.replacen(from, to, 1)).unwrap_err().to_string()
    }

    #[test]
    fn a_model_comes_back_as_it_was() {
        for link in [SigmaLink::Linear, SigmaLink::Log] {
            let model = SigmaModel { link, ..model() };
            assert_eq!(SigmaModel::from_text(&model.to_text()), Ok(model));
        }
    }

    #[test]
    fn what_is_no_model_is_refused_with_its_line() {
        let empty = SigmaModel::from_text("").unwrap_err();
        assert_eq!(empty.to_string(), "the first line is not `kiki sigma model 2`");
        assert_eq!(error("model\t2\n", "model\t1\n"), "the first line is not `kiki sigma model 2`");
        assert_eq!(error("linear", "square"), "line 3: `square` is not `linear` or `log`");
        assert_eq!(
            error("\t2-6", "\t6-2"),
            "line 5: `6-2` is not a pair of a smaller and a greater depth that stands only once"
        );
        assert!(error("\t2-6", "\t4-8").starts_with("line 5: `4-8` is not"));
        assert_eq!(error("\t2-6", "\t2"), "line 5: `2` is not a pair of depths such as `4-8`");
        assert_eq!(error("floor\t10.5", "floor\t-1"), "line 6: `-1` is not above 0");
        assert_eq!(error("floor\t10.5", "floor\tNaN"), "line 6: `NaN` is not a finite number");
        assert_eq!(
            error("progress alone", "x"),
            "line 8: `constant beside the x` stands where `constant beside the progress alone` should"
        );
        assert_eq!(error("opening\t1.02", "opening\tinf"), "line 10: `inf` is not a finite number");
        assert_eq!(error("endgame\t0.9", "endgame\t0"), "line 16: `0` is not above 0");
        assert_eq!(error("endgame\t-3\t-3", "endgame\t-3"), "line 17: 1 numbers instead of 2");
    }

    #[test]
    fn a_file_that_is_cut_off_or_goes_on_is_refused() {
        let text = model().to_text();
        let lines: Vec<&str> = text.lines().collect();
        let error = |text: &str| SigmaModel::from_text(text).unwrap_err().to_string();
        let (count, last) = (lines.len(), feature_name(FEATURES - 1));
        assert_eq!(error(&lines[..count - 1].join("\n")), format!("line {count}: `{last}` is missing"));
        assert_eq!(error(&format!("{text}more\n")), format!("line {}: the text goes on after the model", count + 1));
    }
}
