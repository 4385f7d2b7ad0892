//! Command lines that make no sense: they end with status 2, like those that cannot be read.

use anyhow::Error;

/// The status of a command line that makes no sense.
pub const STATUS: u8 = 2;

/// What is wrong with a command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrongUsage(pub String);

impl std::fmt::Display for WrongUsage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongUsage {}

/// The error, as one of the command line.
#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
pub fn wrong_usage(error: Error) -> Error {
    WrongUsage(format!("{error:#}")).into()
}

/// Whether an error is one of the command line.
pub fn is_wrong_usage(error: &Error) -> bool {
    error.chain().any(|cause| cause.is::<WrongUsage>())
}

/// `bail!` for what a command line says.
#[macro_export]
macro_rules! bail_usage {
    ($($text:tt)+) => {
        anyhow::bail!($crate::usage::WrongUsage(format!($($text)+)))
    };
}

/// `ensure!` for what a command line says.
#[macro_export]
macro_rules! ensure_usage {
    ($holds:expr, $($text:tt)+) => {
        if !$holds {
            $crate::bail_usage!($($text)+);
        }
    };
}

#[cfg(test)]
mod tests {
    use anyhow::{Context as _, Result, anyhow};

    use super::*;

    #[test]
    fn an_error_of_the_command_line_stays_one_with_a_context() {
        let refused = |games: usize| -> Result<()> {
            ensure_usage!(games > 0, "--games {games}");
            Ok(())
        };
        let error = refused(0).context("match").unwrap_err();
        assert!(is_wrong_usage(&error) && !is_wrong_usage(&anyhow!("no file")));
        assert_eq!(format!("{error:#}"), "match: --games 0");
        let marked = wrong_usage(anyhow!("two engines").context("--engine"));
        assert!(is_wrong_usage(&marked));
        assert_eq!(format!("{marked:#}"), "--engine: two engines");
    }
}
