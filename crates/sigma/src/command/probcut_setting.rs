//! A setting of ProbCut as a word of the command line.

use anyhow::{Context as _, Result, anyhow, ensure};
use kiki_search::{CheckOptions, ProbCutMode, ProbCutOptions};

/// What words may look like.
const FORM: &str =
    "off, constant, constant:MARGIN, progress:K, features:K, sigma:K, perhaps with /6-20, /4, /6+4, /nested, /high";

/// A setting with its name.
pub(super) struct NamedSetting {
    pub(super) name: String,
    pub(super) options: ProbCutOptions,
}

impl NamedSetting {
    /// # Errors
    /// Names the word and what it may look like.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let options = options(text).with_context(|| format!("`{text}` is none of {FORM}"))?;
        Ok(Self { name: text.to_owned(), options })
    }
}

fn options(text: &str) -> Result<ProbCutOptions> {
    let mut parts = text.split('/');
    let mut options = options_of_mode(parts.next().unwrap_or_default())?;
    parts.try_for_each(|part| change(&mut options.checks, part))?;
    Ok(options)
}

/// The part before the first slash.
fn options_of_mode(text: &str) -> Result<ProbCutOptions> {
    let (mode, number) = text.split_once(':').map_or((text, None), |(mode, number)| (mode, Some(number)));
    let mode = match (mode, number) {
        ("off", None) => ProbCutMode::Off,
        ("constant", _) => ProbCutMode::Constant,
        ("progress", Some(_)) => ProbCutMode::Progress,
        ("features", Some(_)) => ProbCutMode::Features,
        ("sigma", Some(_)) => ProbCutMode::Sigma,
        _ => return Err(anyhow!("`{text}`")),
    };
    // Without depths there are no check searches.
    let checks = CheckOptions { max_depth: 0, ..CheckOptions::default() };
    let mut options = ProbCutOptions { mode, checks, ..ProbCutOptions::default() };
    let Some(number) = number else { return Ok(options) };
    if mode == ProbCutMode::Constant {
        options.checks.margin =
            number.parse().ok().filter(|margin| (1..=5000).contains(margin)).context("MARGIN is from 1 to 5000")?;
    } else {
        let k: f64 = number.parse().ok().filter(|k| *k > 0.0 && *k <= 10.0).context("K is above 0 and at most 10")?;
        options.k = (100.0 * k).round() as i32;
    }
    Ok(options)
}

fn change(checks: &mut CheckOptions, part: &str) -> Result<()> {
    let numbers = |separator| -> Option<(i32, i32)> {
        let (first, second) = part.split_once(separator)?;
        Some((first.parse().ok()?, second.parse().ok()?))
    };
    if part == "nested" {
        checks.most_nested = 1;
    } else if part == "high" {
        checks.low_percent = 0;
    } else if let Some((min_depth, max_depth)) = numbers('-') {
        ensure!(
            min_depth >= 1 && min_depth <= max_depth,
            "`{part}`: depths are at least 1, and the first is not the greater one"
        );
        (checks.min_depth, checks.max_depth) = (min_depth, max_depth);
    } else if let Some((first, last)) = numbers('+') {
        ensure!(first > last && last >= 1, "`{part}`: the first is the greater one, and the second at least 1");
        (checks.first_reduction, checks.reduction) = (first, last);
    } else {
        let reduction = part.parse().ok().filter(|plies| *plies >= 1).with_context(|| format!("`{part}`"))?;
        (checks.first_reduction, checks.reduction) = (0, reduction);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_says_where_margins_come_from_and_what_is_searched() {
        let parsed = |text: &str| NamedSetting::parse(text).unwrap().options;
        let checks = CheckOptions { max_depth: 0, ..CheckOptions::default() };
        let usual = ProbCutOptions { mode: ProbCutMode::Constant, checks, ..ProbCutOptions::default() };
        assert_eq!(parsed("constant"), usual);
        assert_eq!(parsed("off").mode, ProbCutMode::Off);
        assert_eq!(parsed("sigma:0.5"), ProbCutOptions { mode: ProbCutMode::Sigma, k: 50, ..usual });
        let checks =
            CheckOptions { min_depth: 6, max_depth: 20, margin: 150, first_reduction: 6, reduction: 3, ..usual.checks };
        assert_eq!(parsed("constant:150/6-20/6+3"), ProbCutOptions { checks, ..usual });
        let one = parsed("features:2/8-10/4/nested/high").checks;
        assert_eq!((one.reduction, one.first_reduction, one.most_nested, one.low_percent), (4, 0, 1, 0));
    }

    #[test]
    fn other_words_are_refused() {
        let texts = [
            "",
            "sigma",
            "sigma:0",
            "sigma:NaN",
            "sigma:11",
            "off:1",
            "constant:0",
            "constant:1.5",
            "constant/x",
            "constant/9-8",
            "constant/4+6",
            "constant/0",
            "sigma:1/",
        ];
        for text in texts {
            let error = NamedSetting::parse(text).err().expect(text).to_string();
            assert!(error.starts_with(&format!("`{text}` is none of off, constant,")), "{error}");
        }
    }
}
