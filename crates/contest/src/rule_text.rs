//! Rules as words on the command line: `moves=5 score=3000`.

use anyhow::{Result, anyhow, bail};
use kiki_play::rules::{DrawRule, ResignRule};

use super::sprt_options::SprtOptions;

/// Reads `moves=5 score=3000`. What is missing is a number that [`ResignRule::is_valid`] refuses.
pub(crate) fn resign(text: &str) -> Result<ResignRule> {
    let mut rule = ResignRule { moves: 0, score: 0 };
    each(text, |key, value| {
        match key {
            "moves" => rule.moves = number(value)?,
            "score" => rule.score = number(value)?,
            _ => bail!("is none of moves, score"),
        }
        Ok(())
    })?;
    Ok(rule)
}

/// Reads `moves=8 score=20 from=120`. Moves or a score that are missing are numbers that [`DrawRule::is_valid`] refuses.
pub(crate) fn draw(text: &str) -> Result<DrawRule> {
    let mut rule = DrawRule { from: 0, moves: 0, score: -1 };
    each(text, |key, value| {
        match key {
            "moves" => rule.moves = number(value)?,
            "score" => rule.score = number(value)?,
            "from" => rule.from = number(value)?,
            _ => bail!("is none of moves, score, from"),
        }
        Ok(())
    })?;
    Ok(rule)
}

/// Reads `elo0=0 elo1=5 alpha=0.05 beta=0.05 model=logistic counts=pentanomial`.
pub(crate) fn sprt(text: &str) -> Result<SprtOptions> {
    let mut sprt = SprtOptions::default();
    each(text, |key, value| {
        match key {
            "elo0" => sprt.elo0 = Some(number(value)?),
            "elo1" => sprt.elo1 = Some(number(value)?),
            "alpha" => sprt.alpha = Some(number(value)?),
            "beta" => sprt.beta = Some(number(value)?),
            "model" => sprt.model = Some(choice(value)?),
            "counts" => sprt.counts = Some(choice(value)?),
            _ => bail!("is none of elo0, elo1, alpha, beta, model, counts"),
        }
        Ok(())
    })?;
    Ok(sprt)
}

fn each(text: &str, mut set: impl FnMut(&str, &str) -> Result<()>) -> Result<()> {
    for word in text.split_whitespace() {
        let (key, value) = word.split_once('=').ok_or_else(|| anyhow!("`{word}` is not of the form key=value"))?;
        set(key, value).map_err(|error| anyhow!("`{word}` {error}"))?;
    }
    Ok(())
}

fn number<T: std::str::FromStr>(value: &str) -> Result<T> {
    value.parse().map_err(|_| anyhow!("has no number that fits"))
}

fn choice<T: clap::ValueEnum>(value: &str) -> Result<T> {
    let names = || T::value_variants().iter().filter_map(T::to_possible_value).map(|value| value.get_name().to_owned());
    T::from_str(value, true).map_err(|_| anyhow!("is none of {}", names().collect::<Vec<_>>().join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_make_rules() {
        assert_eq!(resign("moves=5 score=3000").unwrap(), ResignRule { moves: 5, score: 3000 });
        assert_eq!(draw("score=20 moves=8").unwrap(), DrawRule { from: 0, moves: 8, score: 20 });
        assert!(!resign("moves=5").unwrap().is_valid() && !resign("score=5").unwrap().is_valid());
        assert!(!draw("moves=5").unwrap().is_valid() && !draw("score=0").unwrap().is_valid());
        assert!(draw("score=0 moves=1").unwrap().is_valid());
        let sprt = sprt("elo0=-5 elo1=1.5 model=normalized").unwrap();
        assert_eq!((sprt.elo0, sprt.elo1, sprt.alpha), (Some(-5.0), Some(1.5), None));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (error, expected) in [
            (resign("moves=x score=1").unwrap_err(), "`moves=x`"),
            (resign("5").unwrap_err(), "`5`"),
            (draw("ply=3").unwrap_err(), "`ply=3` is none of"),
            (sprt("model=guess").unwrap_err(), "is none of logistic, normalized"),
        ] {
            assert!(error.to_string().contains(expected), "{error}");
        }
    }
}
