//! The options of the engine: one row each in [`rows`], with name, type, default and the effect of
//! a value.
//!
//! A new option needs a row, a field of [`EngineSettings`] or of a part of it, and a line in
//! docs/playing.md.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kiki_board::{ByColor, Color, DeclarationRule, PromotionChoice};
use kiki_book::{BUILT_IN, BookPolicy};
use kiki_eval::{DEFAULT_FV_SCALE, Weights};
use kiki_search::{FULL_SKILL, GREATEST_RATING, GambleMode, LEAST_RATING, Options, ProbCutMode, level_of_rating};
use kiki_usi::{
    DeclarationError, GREATEST_INTEGER, OptionDeclaration, OptionEffect, OptionError, OptionSet, OptionValue,
};

const ENTERING_KING: [(&str, DeclarationRule); 6] = [
    ("NoEnteringKing", DeclarationRule::None),
    ("CSARule24", DeclarationRule::Points24),
    ("CSARule24H", DeclarationRule::Points24Handicap),
    ("CSARule27", DeclarationRule::Points27),
    ("CSARule27H", DeclarationRule::Points27Handicap),
    ("TryRule", DeclarationRule::Try),
];

const PROBCUT_MODES: [(&str, ProbCutMode); 5] = [
    ("off", ProbCutMode::Off),
    ("constant", ProbCutMode::Constant),
    ("progress", ProbCutMode::Progress),
    ("features", ProbCutMode::Features),
    ("sigma", ProbCutMode::Sigma),
];

const GAMBLE_MODES: [(&str, GambleMode); 4] =
    [("off", GambleMode::Off), ("show", GambleMode::Show), ("auto", GambleMode::Auto), ("on", GambleMode::On)];

/// Whether the increment comes before the move; `auto`: learned from the clocks.
const INCREMENT_BEFORE_MOVE: [(&str, Option<bool>); 3] = [("auto", None), ("true", Some(true)), ("false", Some(false))];

/// The `ResignValue` that no position has.
const NEVER_RESIGN: i32 = 99_999;

/// Number of best moves that a gambling move is chosen from.
const GAMBLE_LINES: usize = 6;

/// The `BookFile` that means no book.
const NO_BOOK: &str = "no_book";

/// The conventional network file. If it is missing, the engine silently uses the built-in network.
const DEFAULT_FOLDER: &str = "eval";
const DEFAULT_FILE: &str = "nn.bin";

/// The `EvalArchitecture` that means the one stated by the file.
const ANY_ARCHITECTURE: &str = "auto";

/// The `SigmaFile` that means the built-in model.
const BUILT_IN_SIGMA: &str = "built_in";

/// The settings of the engine, with the analysis modes already applied.
#[derive(Clone, Debug, Default)]
pub(crate) struct EngineSettings {
    pub(crate) search: Options,
    pub(crate) evaluation: EvaluationSettings,
    pub(crate) book: BookSettings,
    /// Whether to search a mating problem until its shortest mate is proven.
    pub(crate) shortest_mates: bool,
    pub(crate) stochastic_ponder: bool,
    /// Resign at this many centipawns below zero.
    pub(crate) resign_value: i32,
    /// Whether the answer says how far the last value may be off.
    pub(crate) show_sigma: bool,
    /// The level of strength, up to [`FULL_SKILL`].
    pub(crate) skill_level: u32,
    /// The seed of a level's errors; `None` for a new one in every game.
    pub(crate) skill_seed: Option<u64>,
    /// Whether `rating` replaces `skill_level`.
    limits_strength: bool,
    rating: i32,
    pub(crate) depth_limit: Option<u32>,
    pub(crate) node_limit: Option<u64>,
    /// Whether to show every line in full and no bounds, for a person who studies a position.
    consideration: bool,
    /// Whether to analyse positions instead of playing.
    analysis: bool,
    /// The log file; empty for none.
    pub(crate) log_file: String,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct EvaluationSettings {
    /// Whether a network evaluates, not the formula.
    pub(crate) by_network: bool,
    pub(crate) folder: String,
    pub(crate) file: String,
    /// The required architecture; `None` for the one that the file states.
    pub(crate) architecture: Option<String>,
    /// The divisor that turns a network's output into centipawns.
    pub(crate) fv_scale: i32,
    /// The weights of the formula. Options change them in a build with the feature `tune`.
    pub(crate) formula: Arc<Weights>,
    /// The file of the model of sigma; `None` for the built-in one.
    pub(crate) sigma_file: Option<String>,
}

impl EvaluationSettings {
    /// Whether the network file has its conventional name.
    pub(crate) fn is_default_file(&self) -> bool {
        (self.folder.as_str(), self.file.as_str()) == (DEFAULT_FOLDER, DEFAULT_FILE)
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct BookSettings {
    is_used: bool,
    folder: String,
    /// Their names, separated by `;`.
    files: String,
    pub(crate) on_the_fly: bool,
    /// Whether book moves are only shown by an infinite search, never played.
    pub(crate) shows_only: bool,
    /// The last ply for the book.
    pub(crate) last_ply: i64,
    /// Percent of positions in which the book is ignored.
    pub(crate) ignore_rate: i64,
    /// Whether entries at another ply count.
    pub(crate) any_ply: bool,
    /// Whether entries for the position with colours exchanged count.
    pub(crate) either_colour: bool,
    /// The lowest value of a move in centipawns, by the side that plays it.
    least_value: ByColor<i32>,
    value_difference: i32,
    least_depth: u32,
    by_count: bool,
    narrow: bool,
}

impl BookSettings {
    /// The book files in search order, or [`BUILT_IN`]; empty for no book.
    pub(crate) fn named(&self) -> impl Iterator<Item = PathBuf> {
        let names = self.files.split(';').map(str::trim);
        let used = names.filter(|name| self.is_used && !name.is_empty() && *name != NO_BOOK);
        used.map(|name| if name == BUILT_IN { name.into() } else { Path::new(&self.folder).join(name) })
    }

    pub(crate) fn policy(&self, color: Color) -> BookPolicy {
        BookPolicy {
            value_difference: self.value_difference,
            least_value: self.least_value[color],
            least_depth: self.least_depth,
            by_count: self.by_count,
            narrow: self.narrow,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OptionAction {
    ClearHash,
    OpenLog,
}

type ApplyValue = Box<dyn Fn(&mut EngineSettings, &OptionValue) + Send>;

struct OptionRow {
    declaration: OptionDeclaration,
    /// Another name that GUIs use.
    alias: Option<&'static str>,
    apply: ApplyValue,
    action: Option<OptionAction>,
}

impl OptionRow {
    fn new(declaration: OptionDeclaration, apply: impl Fn(&mut EngineSettings, &OptionValue) + Send + 'static) -> Self {
        Self { declaration, alias: None, apply: Box::new(apply), action: None }
    }

    fn also_named(self, alias: &'static str) -> Self {
        Self { alias: Some(alias), ..self }
    }

    fn with_action(self, action: OptionAction) -> Self {
        Self { action: Some(action), ..self }
    }
}

fn check(name: &str, default: bool, set: fn(&mut EngineSettings, bool)) -> OptionRow {
    OptionRow::new(OptionDeclaration::check(name, default), move |settings, value| {
        if let &OptionValue::Check(value) = value {
            set(settings, value);
        }
    })
}

fn spin(
    name: &str,
    default: i64,
    range: RangeInclusive<i64>,
    set: impl Fn(&mut EngineSettings, i64) + Send + 'static,
) -> OptionRow {
    OptionRow::new(OptionDeclaration::spin(name, default, *range.start(), *range.end()), move |settings, value| {
        if let &OptionValue::Spin(value) = value {
            set(settings, value);
        }
    })
}

fn text(declaration: OptionDeclaration, set: impl Fn(&mut EngineSettings, &str) + Send + Sync + 'static) -> OptionRow {
    OptionRow::new(declaration, move |settings, value| {
        if let OptionValue::Text(value) = value {
            set(settings, value);
        }
    })
}

/// A text; an empty one stands for the default.
fn string(name: &str, default: &'static str, set: fn(&mut EngineSettings, &str)) -> OptionRow {
    text(OptionDeclaration::string(name, default), move |settings, value| {
        set(settings, if value.is_empty() { default } else { value });
    })
}

/// An option of several words, each with its meaning.
fn combo<T: Copy + Send + Sync + 'static>(
    name: &str,
    default: &str,
    words: &'static [(&'static str, T)],
    set: fn(&mut EngineSettings, T),
) -> OptionRow {
    let choices: Vec<&str> = words.iter().map(|&(word, _)| word).collect();
    OptionRow::new(OptionDeclaration::combo(name, default, &choices), move |settings, value| {
        if let OptionValue::Text(value) = value
            && let Some(&(_, meaning)) = words.iter().find(|(word, _)| word == value)
        {
            set(settings, meaning);
        }
    })
}

fn milliseconds(value: i64) -> Duration {
    Duration::from_millis(value.unsigned_abs())
}

/// A limit; 0 means none.
fn limit<T: TryFrom<i64>>(value: i64) -> Option<T> {
    T::try_from(value).ok().filter(|_| value > 0)
}

/// All options, in listing order. Users and GUIs know the names and defaults; no default has a
/// blank. In each row `s` is the settings, `v` the value.
fn rows() -> Vec<OptionRow> {
    let threads = num_cpus::get().clamp(1, 1024) as i64;
    let (full_skill, never_resign) = (i64::from(FULL_SKILL), i64::from(NEVER_RESIGN));
    let (least_rating, greatest_rating) = (i64::from(LEAST_RATING), i64::from(GREATEST_RATING));
    let rows = vec![
        spin("Threads", threads, 1..=1024, |s, v| s.search.threads = v as usize),
        spin("USI_Hash", 256, 1..=33_554_432, |s, v| s.search.table_mebibytes = v as usize),
        // `go ponder` says when to ponder.
        check("USI_Ponder", false, |s, v| s.search.time.ponders = v),
        check("Stochastic_Ponder", false, |s, v| s.stochastic_ponder = v),
        spin("MultiPV", 1, 1..=600, |s, v| s.search.multipv = v as usize).also_named("USI_MultiPV"),
        spin("NetworkDelay", 120, 0..=10_000, |s, v| s.search.time.network_delay = milliseconds(v)),
        spin("NetworkDelay2", 1120, 0..=10_000, |s, v| s.search.time.network_delay2 = milliseconds(v)),
        spin("MinimumThinkingTime", 2000, 0..=60_000, |s, v| s.search.time.minimum_thinking_time = milliseconds(v)),
        spin("SlowMover", 100, 1..=1000, |s, v| s.search.time.slow_mover = v as u32),
        check("RoundUpToFullSecond", true, |s, v| s.search.time.round_up_to_full_second = v),
        combo("IncrementBeforeMove", "auto", &INCREMENT_BEFORE_MOVE, |s, v| s.search.time.increment_before_move = v),
        spin("MaxMovesToDraw", 0, 0..=100_000, |s, v| s.search.rules.max_moves = v as u32),
        spin("DrawValueBlack", -2, -30_000..=30_000, |s, v| s.search.rules.draw_value[Color::Black] = v as i32),
        spin("DrawValueWhite", -2, -30_000..=30_000, |s, v| s.search.rules.draw_value[Color::White] = v as i32),
        spin("ResignValue", never_resign, 0..=never_resign, |s, v| s.resign_value = v as i32),
        combo("EnteringKingRule", "CSARule27", &ENTERING_KING, |s, v| s.search.rules.declaration = v),
        spin("DepthLimit", 0, 0..=i64::from(i32::MAX), |s, v| s.depth_limit = limit(v)),
        spin("NodesLimit", 0, 0..=GREATEST_INTEGER, |s, v| s.node_limit = limit(v)),
        spin("PvInterval", 300, 0..=100_000_000, |s, v| s.search.pv_interval = milliseconds(v)),
        check("ConsiderationMode", false, |s, v| s.consideration = v),
        check("OutputFailLHPV", true, |s, v| s.search.report_bounds = v),
        check("GenerateAllLegalMoves", false, |s, v| {
            s.search.rules.choice = if v { PromotionChoice::All } else { PromotionChoice::Sensible }
        }),
        check("MateShortest", false, |s, v| s.shortest_mates = v),
        spin("SkillLevel", full_skill, 0..=full_skill, |s, v| s.skill_level = v as u32).also_named("USI_SkillLevel"),
        spin("SkillSeed", 0, 0..=i64::from(i32::MAX), |s, v| s.skill_seed = limit(v)),
        check("USI_LimitStrength", false, |s, v| s.limits_strength = v),
        spin("USI_Elo", greatest_rating, least_rating..=greatest_rating, |s, v| s.rating = v as i32),
        check("USI_AnalyseMode", false, |s, v| s.analysis = v),
        // Servers of several games require it.
        combo("USI_Variant", "shogi", &[("shogi", ())], |_, ()| {}),
        combo("ProbCut", "constant", &PROBCUT_MODES, |s, v| s.search.probcut.mode = v),
        spin("ProbCutK", 130, 1..=1000, |s, v| s.search.probcut.k = v as i32),
        string("SigmaFile", BUILT_IN_SIGMA, |s, v| {
            s.evaluation.sigma_file = (v != BUILT_IN_SIGMA).then(|| v.to_owned());
        }),
        check("ShowSigma", false, |s, v| s.show_sigma = v),
        combo("GambleMove", "off", &GAMBLE_MODES, |s, v| s.search.gamble = v),
        combo("Eval", "network", &[("network", true), ("formula", false)], |s, v| s.evaluation.by_network = v),
        string("EvalDir", DEFAULT_FOLDER, |s, v| s.evaluation.folder = v.to_owned()),
        string("EvalFile", DEFAULT_FILE, |s, v| s.evaluation.file = v.to_owned()),
        string("EvalArchitecture", ANY_ARCHITECTURE, |s, v| {
            s.evaluation.architecture = (!v.eq_ignore_ascii_case(ANY_ARCHITECTURE)).then(|| v.to_owned());
        }),
        spin("FV_SCALE", i64::from(DEFAULT_FV_SCALE), 1..=128, |s, v| s.evaluation.fv_scale = v as i32),
        check("USI_OwnBook", true, |s, v| s.book.is_used = v),
        string("BookFile", NO_BOOK, |s, v| s.book.files = v.to_owned()),
        string("BookDir", "book", |s, v| s.book.folder = v.to_owned()),
        spin("BookMoves", 16, 0..=10_000, |s, v| s.book.last_ply = v),
        spin("BookIgnoreRate", 0, 0..=100, |s, v| s.book.ignore_rate = v),
        spin("BookEvalDiff", 30, 0..=99_999, |s, v| s.book.value_difference = v as i32),
        spin("BookEvalBlackLimit", 0, -99_999..=99_999, |s, v| s.book.least_value[Color::Black] = v as i32),
        spin("BookEvalWhiteLimit", -140, -99_999..=99_999, |s, v| s.book.least_value[Color::White] = v as i32),
        spin("BookDepthLimit", 16, 0..=99_999, |s, v| s.book.least_depth = v as u32),
        check("BookOnTheFly", false, |s, v| s.book.on_the_fly = v),
        check("ConsiderBookMoveCount", false, |s, v| s.book.by_count = v),
        check("NarrowBook", false, |s, v| s.book.narrow = v),
        check("IgnoreBookPly", false, |s, v| s.book.any_ply = v),
        check("FlippedBook", true, |s, v| s.book.either_colour = v),
        text(OptionDeclaration::filename("DebugLogFile", ""), |s, v| s.log_file = v.to_owned())
            .with_action(OptionAction::OpenLog),
        OptionRow::new(OptionDeclaration::button("Clear_Hash"), |_, _| {}).with_action(OptionAction::ClearHash),
    ];
    #[cfg(feature = "tune")]
    let rows = rows.into_iter().chain(tunables().chain(kiki_search::params::ABLATION_FLAGS).map(tunable_row)).collect();
    rows
}

/// The tunable numbers: those of the search, then those of the formula.
#[cfg(feature = "tune")]
pub(super) fn tunables() -> impl Iterator<Item = &'static kiki_eval::Tunable> {
    kiki_search::params::ALL.iter().chain(kiki_eval::TUNABLES)
}

/// The row of a number of the search, which is global, or of the formula.
#[cfg(feature = "tune")]
fn tunable_row(parameter: &'static kiki_eval::Tunable) -> OptionRow {
    let [default, min, max] = [parameter.default, parameter.min, parameter.max].map(i64::from);
    spin(parameter.name, default, min..=max, |settings, value| {
        let (name, value) = (parameter.name, value as i32);
        if !kiki_search::params::set(name, value) {
            Arc::make_mut(&mut settings.evaluation.formula).set(name, value);
        }
    })
}

impl EngineSettings {
    fn read(rows: &[OptionRow], values: &OptionSet) -> Self {
        let mut settings = Self::default();
        for row in rows {
            if let Ok(value) = values.get(&row.declaration.name) {
                (row.apply)(&mut settings, value);
            }
        }
        settings.apply_modes();
        settings
    }

    /// Applies options that change the meaning of others.
    fn apply_modes(&mut self) {
        if self.limits_strength {
            self.skill_level = level_of_rating(self.rating);
        }
        // A stochastic search of all replies is no search of the move to come.
        self.search.time.ponders &= !self.stochastic_ponder;
        if self.consideration {
            self.search.pv_interval = Duration::ZERO;
            self.search.report_bounds = false;
        }
        // An analysed position is not played, so draws are worth 0 for both sides.
        if self.analysis {
            self.search.rules.draw_value = ByColor::both(0);
            self.search.gamble = GambleMode::Off;
            self.resign_value = NEVER_RESIGN;
            self.book.shows_only = true;
        }
        if self.consideration || self.analysis {
            self.skill_level = FULL_SKILL;
        }
        if self.search.gamble != GambleMode::Off {
            self.search.multipv = self.search.multipv.max(GAMBLE_LINES);
        }
    }
}

/// The options with their values, and the resulting settings. Only [`UsiOptions::set`] changes
/// values, because it reads the settings anew.
pub(super) struct UsiOptions {
    rows: Vec<OptionRow>,
    pub(super) values: OptionSet,
    pub(super) settings: EngineSettings,
    /// Whether a value has changed since the engine last prepared for a search.
    pub(super) changed: bool,
}

impl UsiOptions {
    pub(super) fn declare() -> Result<Self, DeclarationError> {
        let rows = rows();
        let mut values = OptionSet::default();
        for row in &rows {
            values.declare(row.declaration.clone())?;
            if let Some(alias) = row.alias {
                values.declare_alias(alias, &row.declaration.name)?;
            }
        }
        let settings = EngineSettings::read(&rows, &values);
        Ok(Self { rows, values, settings, changed: true })
    }

    /// Sets an option. Returns further action to take.
    pub(super) fn set(&mut self, name: &str, value: Option<&str>) -> Result<Option<OptionAction>, OptionError> {
        let change = self.values.set(name, value)?;
        self.changed |= change.effect == OptionEffect::Changed;
        self.settings = EngineSettings::read(&self.rows, &self.values);
        let row = self.rows.iter().find(|row| row.declaration.is_named(&change.name));
        Ok(row.and_then(|row| row.action))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stochastic_ponder_plans_no_more_time() -> Result<(), Box<dyn std::error::Error>> {
        let mut options = UsiOptions::declare()?;
        for (name, value, ponders) in
            [("USI_Ponder", "true", true), ("Stochastic_Ponder", "true", false), ("Stochastic_Ponder", "false", true)]
        {
            options.set(name, Some(value))?;
            assert_eq!(options.settings.search.time.ponders, ponders, "{name} {value}");
        }
        Ok(())
    }
}
