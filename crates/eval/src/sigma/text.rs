//! Models as text: lines of a key and its numbers, with tabs between; a column for each pair of depths.

use std::fmt::Write as _;

use super::features::{FEATURES, feature_name};
use super::model::{PROGRESS_BANDS, PairModel, SigmaLink, SigmaModel, ValueLine};
use super::progress::{ELEMENT_NAMES, PROGRESS_ELEMENTS, ProgressWeights};
use super::values::{VALUE_FEATURE_NAMES, VALUE_FEATURES};

/// The first line of a file. The number goes up whenever what the lines mean changes.
const HEADER: &str = "kiki sigma model\t2";

/// Why a text is no model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SigmaModelError {
    /// It is something else, or of another version.
    #[error("the first line is not `{}`", HEADER.replace('\t', " "))]
    Header,
    /// It ends too early.
    #[error("line {line} is missing: `{key}`")]
    Missing {
        /// The line, from 1.
        line: usize,
        /// What should stand there.
        key: String,
    },
    /// Another key stands where one is expected.
    #[error("line {line}: `{found}` stands where `{key}` should")]
    Key {
        /// The line, from 1.
        line: usize,
        /// What stands there.
        found: String,
        /// What should.
        key: String,
    },
    /// There are too few or too many numbers.
    #[error("line {line}: {found} numbers instead of {expected}")]
    Count {
        /// The line, from 1.
        line: usize,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// Something is no number that can stand there.
    #[error("line {line}: `{value}` is not {expected}")]
    Value {
        /// The line, from 1.
        line: usize,
        /// What stands there.
        value: String,
        /// What could.
        expected: &'static str,
    },
    /// There is more after the end.
    #[error("line {line}: there is more than a model")]
    TooLong {
        /// The line, from 1.
        line: usize,
    },
}

/// The lines that are still to be read.
struct Lines<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    /// The number of the line read last, from 1.
    line: usize,
}

impl<'a> Lines<'a> {
    /// The cells of the next line behind its key.
    fn next(&mut self, key: &str) -> Result<Vec<&'a str>, SigmaModelError> {
        self.line += 1;
        let line = self.line;
        let missing = || SigmaModelError::Missing { line, key: key.to_owned() };
        let (_, text) = self.lines.next().ok_or_else(missing)?;
        let mut cells = text.split('\t');
        let found = cells.next().unwrap_or_default();
        if found != key {
            return Err(SigmaModelError::Key { line, found: found.to_owned(), key: key.to_owned() });
        }
        Ok(cells.collect())
    }

    /// So many numbers.
    fn numbers(&mut self, key: &str, expected: usize) -> Result<Vec<f32>, SigmaModelError> {
        let cells = self.next(key)?;
        if cells.len() != expected {
            return Err(SigmaModelError::Count { line: self.line, found: cells.len(), expected });
        }
        cells.iter().map(|cell| self.number(cell)).collect()
    }

    /// So many numbers above 0.
    fn positive_numbers(&mut self, key: &str, expected: usize) -> Result<Vec<f32>, SigmaModelError> {
        let numbers = self.numbers(key, expected)?;
        match numbers.iter().find(|&&number| number <= 0.0) {
            Some(number) => Err(self.value(&number.to_string(), "above 0")),
            None => Ok(numbers),
        }
    }

    fn number(&self, cell: &str) -> Result<f32, SigmaModelError> {
        let number = cell.parse().ok().filter(|number: &f32| number.is_finite());
        number.ok_or_else(|| self.value(cell, "a finite number"))
    }

    fn value(&self, cell: &str, expected: &'static str) -> SigmaModelError {
        SigmaModelError::Value { line: self.line, value: cell.to_owned(), expected }
    }
}

impl SigmaModel {
    /// Reads a model.
    ///
    /// # Errors
    /// Names the line of what is wrong: another version, a key or a number that is not the expected one, a number that is not finite, a floor
    /// that is not above zero.
    pub fn from_text(text: &str) -> Result<Self, SigmaModelError> {
        if text.lines().next() != Some(HEADER) {
            return Err(SigmaModelError::Header);
        }
        let mut lines = Lines { lines: text.lines().enumerate(), line: 0 };
        lines.next("kiki sigma model")?;
        let note = lines.next("note")?.join(" ");
        let link = match lines.next("link")?[..] {
            ["linear"] => SigmaLink::Linear,
            ["log"] => SigmaLink::Log,
            ref other => return Err(lines.value(&other.join(" "), "`linear` or `log`")),
        };
        let progress = lines.numbers("progress of the game", PROGRESS_ELEMENTS + 1)?;
        let pairs = read_pairs(&mut lines)?;
        if lines.lines.next().is_some() {
            return Err(SigmaModelError::TooLong { line: lines.line + 1 });
        }
        let progress = ProgressWeights(std::array::from_fn(|index| progress[index]));
        Ok(Self { note, link, progress, pairs })
    }

    /// The text that [`SigmaModel::from_text`] reads.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = format!("{HEADER}\nnote\t{}\n", self.note.replace(['\t', '\n'], " "));
        let link = match self.link {
            SigmaLink::Linear => "linear",
            SigmaLink::Log => "log",
        };
        let _ = writeln!(text, "link\t{link}");
        write_line(&mut text, "progress of the game", self.progress.0);
        let depths = self.pairs.iter().map(|pair| format!("{}-{}", pair.shallow, pair.deep));
        write_line(&mut text, "depths", depths);
        for (index, key) in PAIR_KEYS.into_iter().enumerate() {
            write_line(&mut text, key, self.pairs.iter().map(|pair| pair_numbers(pair)[index]));
        }
        for (band, [slope, offset, share]) in LINE_KEYS.into_iter().enumerate() {
            let lines = || self.pairs.iter().map(|pair| pair.lines[band]);
            write_line(&mut text, slope, lines().map(|line| line.slope));
            write_line(&mut text, offset, lines().map(|line| line.offset));
            write_line(&mut text, share, lines().map(|line| line.share));
        }
        for (index, key) in value_keys().iter().enumerate() {
            write_line(&mut text, key, self.pairs.iter().map(|pair| pair.values[index]));
        }
        for feature in 0..FEATURES {
            write_line(&mut text, &feature_name(feature), self.pairs.iter().map(|pair| pair.weights[feature]));
        }
        text
    }
}

/// What the numbers of a pair mean that stand before the weights of the features.
const PAIR_KEYS: [&str; 4] = ["floor", "constant alone", "constant beside the progress alone", "progress alone"];

/// What the numbers of the lines of a pair mean, by the part of the game.
const LINE_KEYS: [[&str; 3]; PROGRESS_BANDS] = [
    ["slope, opening", "offset, opening", "share of sigma, opening"],
    ["slope, middle game", "offset, middle game", "share of sigma, middle game"],
    ["slope, endgame", "offset, endgame", "share of sigma, endgame"],
];

/// What the weights beside those of the features mean: of the constant, the elements of the progress and the values.
fn value_keys() -> [String; 1 + PROGRESS_ELEMENTS + VALUE_FEATURES] {
    let names = ["constant"].iter().chain(&ELEMENT_NAMES).chain(&VALUE_FEATURE_NAMES);
    let keys: Vec<String> = names.map(|name| format!("{name}, with values")).collect();
    std::array::from_fn(|index| keys[index].clone())
}

/// The numbers of [`PAIR_KEYS`].
fn pair_numbers(pair: &PairModel) -> [f32; 4] {
    let [constant, progress] = pair.progress;
    [pair.floor, pair.constant, constant, progress]
}

fn write_line(text: &mut String, key: &str, numbers: impl IntoIterator<Item = impl std::fmt::Display>) {
    text.push_str(key);
    for number in numbers {
        let _ = write!(text, "\t{number}");
    }
    text.push('\n');
}

fn read_pairs(lines: &mut Lines<'_>) -> Result<Vec<PairModel>, SigmaModelError> {
    let depths = read_depths(lines)?;
    let floors = lines.positive_numbers(PAIR_KEYS[0], depths.len())?;
    let rest: Vec<Vec<f32>> =
        PAIR_KEYS[1..].iter().map(|key| lines.numbers(key, depths.len())).collect::<Result<_, _>>()?;
    let mut bands = Vec::new();
    for [slope, offset, share] in LINE_KEYS {
        let (slopes, offsets) = (lines.positive_numbers(slope, depths.len())?, lines.numbers(offset, depths.len())?);
        bands.push((slopes, offsets, lines.positive_numbers(share, depths.len())?));
    }
    let keys = value_keys();
    let values: Vec<Vec<f32>> = keys.iter().map(|key| lines.numbers(key, depths.len())).collect::<Result<_, _>>()?;
    let weights: Vec<Vec<f32>> =
        (0..FEATURES).map(|feature| lines.numbers(&feature_name(feature), depths.len())).collect::<Result<_, _>>()?;
    let pair = |(index, (shallow, deep))| PairModel {
        shallow,
        deep,
        floor: floors[index],
        constant: rest[0][index],
        progress: [rest[1][index], rest[2][index]],
        lines: std::array::from_fn(|band| {
            let (slopes, offsets, shares) = &bands[band];
            ValueLine { slope: slopes[index], offset: offsets[index], share: shares[index] }
        }),
        values: std::array::from_fn(|row| values[row][index]),
        weights: weights.iter().map(|row| row[index]).collect(),
    };
    Ok(depths.into_iter().enumerate().map(pair).collect())
}

/// The pairs of depths, such as `4-8`.
fn read_depths(lines: &mut Lines<'_>) -> Result<Vec<(u8, u8)>, SigmaModelError> {
    let mut depths = Vec::new();
    for cell in lines.next("depths")? {
        let parts = cell.split_once('-').map(|(shallow, deep)| (shallow.parse(), deep.parse()));
        let Some((Ok(shallow), Ok(deep))) = parts else {
            return Err(lines.value(cell, "a pair of depths such as `4-8`"));
        };
        if shallow >= deep || depths.contains(&(shallow, deep)) {
            return Err(lines.value(cell, "a pair of a smaller and a greater depth that stands only once"));
        }
        depths.push((shallow, deep));
    }
    Ok(depths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> SigmaModel {
        let pair = |shallow, deep| PairModel {
            shallow,
            deep,
            floor: 10.5,
            lines: [1.02, 1.0, 0.9].map(|slope| ValueLine { slope, offset: -3.0, share: 0.8 }),
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

    /// What `from_text` says of a text in which a part was replaced.
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
        assert_eq!(SigmaModel::from_text(""), Err(SigmaModelError::Header));
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
        let last = feature_name(FEATURES - 1);
        let cut = SigmaModel::from_text(&lines[..lines.len() - 1].join("\n"));
        assert_eq!(cut, Err(SigmaModelError::Missing { line: lines.len(), key: last }));
        let long = SigmaModel::from_text(&format!("{text}more\n"));
        assert_eq!(long, Err(SigmaModelError::TooLong { line: lines.len() + 1 }));
    }
}
