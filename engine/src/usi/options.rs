//! The options of the engine: declared once here, read into typed settings.

use std::time::Duration;

use kiki_board::{ByColor, DeclarationRule, PromotionChoice};
use kiki_eval::DEFAULT_FV_SCALE;
use kiki_search::{
    CheckOptions, FULL_SKILL, GREATEST_RATING, GambleMode, LEAST_RATING, Options, ProbCutMode, ProbCutOptions, Rules,
    TimeOptions, level_of_rating,
};
use kiki_usi::{DeclarationError, OptionDeclaration, OptionError, OptionSet};

use super::evaluation::{DEFAULT_FILE, DEFAULT_FOLDER};
use super::sigma::BUILT_IN as BUILT_IN_SIGMA;

/// The rules on entering kings by their conventional names.
const ENTERING_KING: [(&str, DeclarationRule); 6] = [
    ("NoEnteringKing", DeclarationRule::None),
    ("CSARule24", DeclarationRule::Points24),
    ("CSARule24H", DeclarationRule::Points24Handicap),
    ("CSARule27", DeclarationRule::Points27),
    ("CSARule27H", DeclarationRule::Points27Handicap),
    ("TryRule", DeclarationRule::Try),
];

/// Where ProbCut takes its margins from, by the words of the option.
const PROBCUT_MODES: [(&str, ProbCutMode); 5] = [
    ("off", ProbCutMode::Off),
    ("constant", ProbCutMode::Constant),
    ("progress", ProbCutMode::Progress),
    ("features", ProbCutMode::Features),
    ("sigma", ProbCutMode::Sigma),
];

/// When gambling moves are played, by the words of the option.
const GAMBLE_MODES: [(&str, GambleMode); 4] =
    [("off", GambleMode::Off), ("show", GambleMode::Show), ("auto", GambleMode::Auto), ("on", GambleMode::On)];

/// The value of `ResignValue` that no position has.
const NEVER_RESIGN: i32 = 99_999;

/// A gambling move is looked for among so many of the best moves.
const GAMBLE_LINES: usize = 6;

/// What the options ask of the engine.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct EngineSettings {
    pub(crate) search: Options,
    /// Whether a problem is searched until its shortest mate is proven.
    pub(crate) shortest_mates: bool,
    pub(crate) stochastic_ponder: bool,
    /// Whether moves of the book are played. If not, only an infinite search shows them.
    pub(crate) plays_book: bool,
    /// Resign at this many centipawns below zero.
    pub(crate) resign_value: i32,
    /// Say how far the last value may be off.
    pub(crate) show_sigma: bool,
    /// The level of strength, up to [`FULL_SKILL`].
    pub(crate) skill_level: u32,
    /// What the errors of a level follow from; `None` for another number in every game.
    pub(crate) skill_seed: Option<u64>,
    pub(crate) depth_limit: Option<u32>,
    pub(crate) node_limit: Option<u64>,
}

/// Declares every option. Names and defaults are those that users and GUIs know; no default holds a blank.
pub(crate) fn declare() -> Result<OptionSet, DeclarationError> {
    let rules: Vec<&str> = ENTERING_KING.iter().map(|&(name, _)| name).collect();
    let threads = num_cpus::get().clamp(1, 1024) as i64;
    let mut options = OptionSet::default();
    for declaration in [
        OptionDeclaration::spin("Threads", threads, 1, 1024),
        OptionDeclaration::spin("USI_Hash", 256, 1, 33_554_432),
        OptionDeclaration::check("USI_Ponder", false),
        OptionDeclaration::check("Stochastic_Ponder", false),
        OptionDeclaration::spin("MultiPV", 1, 1, 600),
        OptionDeclaration::spin("NetworkDelay", 120, 0, 10_000),
        OptionDeclaration::spin("NetworkDelay2", 1120, 0, 10_000),
        OptionDeclaration::spin("MinimumThinkingTime", 2000, 0, 60_000),
        OptionDeclaration::spin("SlowMover", 100, 1, 1000),
        OptionDeclaration::check("RoundUpToFullSecond", true),
        OptionDeclaration::combo("IncrementBeforeMove", "auto", &["auto", "true", "false"]),
        OptionDeclaration::spin("MaxMovesToDraw", 0, 0, 100_000),
        OptionDeclaration::spin("DrawValueBlack", -2, -30_000, 30_000),
        OptionDeclaration::spin("DrawValueWhite", -2, -30_000, 30_000),
        OptionDeclaration::spin("ResignValue", i64::from(NEVER_RESIGN), 0, i64::from(NEVER_RESIGN)),
        OptionDeclaration::combo("EnteringKingRule", "CSARule27", &rules),
        OptionDeclaration::spin("DepthLimit", 0, 0, i64::from(i32::MAX)),
        OptionDeclaration::spin("NodesLimit", 0, 0, i64::MAX),
        OptionDeclaration::spin("PvInterval", 300, 0, 100_000_000),
        OptionDeclaration::check("ConsiderationMode", false),
        OptionDeclaration::check("OutputFailLHPV", true),
        OptionDeclaration::check("GenerateAllLegalMoves", false),
        OptionDeclaration::check("MateShortest", false),
        OptionDeclaration::spin("SkillLevel", i64::from(FULL_SKILL), 0, i64::from(FULL_SKILL)),
        OptionDeclaration::spin("SkillSeed", 0, 0, i64::from(i32::MAX)),
        OptionDeclaration::check("USI_LimitStrength", false),
        OptionDeclaration::spin(
            "USI_Elo",
            i64::from(GREATEST_RATING),
            i64::from(LEAST_RATING),
            i64::from(GREATEST_RATING),
        ),
        OptionDeclaration::check("USI_AnalyseMode", false),
        // Servers of several games ask for it.
        OptionDeclaration::combo("USI_Variant", "shogi", &["shogi"]),
        OptionDeclaration::combo("ProbCut", "constant", &PROBCUT_MODES.map(|(name, _)| name)),
        OptionDeclaration::spin("ProbCutK", 100, 1, 1000),
        OptionDeclaration::string("SigmaFile", BUILT_IN_SIGMA),
        OptionDeclaration::check("ShowSigma", false),
        OptionDeclaration::combo("GambleMove", "off", &GAMBLE_MODES.map(|(name, _)| name)),
        OptionDeclaration::combo("Eval", "network", &["network", "formula"]),
        OptionDeclaration::string("EvalDir", DEFAULT_FOLDER),
        OptionDeclaration::string("EvalFile", DEFAULT_FILE),
        OptionDeclaration::spin("FV_SCALE", i64::from(DEFAULT_FV_SCALE), 1, 128),
        OptionDeclaration::check("USI_OwnBook", true),
        OptionDeclaration::string("BookFile", "no_book"),
        OptionDeclaration::string("BookDir", "book"),
        OptionDeclaration::spin("BookMoves", 16, 0, 10_000),
        OptionDeclaration::spin("BookIgnoreRate", 0, 0, 100),
        OptionDeclaration::spin("BookEvalDiff", 30, 0, 99_999),
        OptionDeclaration::spin("BookEvalBlackLimit", 0, -99_999, 99_999),
        OptionDeclaration::spin("BookEvalWhiteLimit", -140, -99_999, 99_999),
        OptionDeclaration::spin("BookDepthLimit", 16, 0, 99_999),
        OptionDeclaration::check("BookOnTheFly", false),
        OptionDeclaration::check("ConsiderBookMoveCount", false),
        OptionDeclaration::check("NarrowBook", false),
        OptionDeclaration::check("IgnoreBookPly", false),
        OptionDeclaration::check("FlippedBook", true),
        OptionDeclaration::filename("DebugLogFile", ""),
    ] {
        options.declare(declaration)?;
    }
    options.declare_alias("USI_MultiPV", "MultiPV")?;
    options.declare(OptionDeclaration::button("Clear_Hash"))?;
    #[cfg(feature = "tune")]
    for parameter in tunables().chain(kiki_search::params::ABLATION_FLAGS) {
        let [default, min, max] = [parameter.default, parameter.min, parameter.max].map(i64::from);
        options.declare(OptionDeclaration::spin(parameter.name, default, min, max))?;
    }
    Ok(options)
}

/// The numbers that an optimizer may change: those of the search, then those of the formula.
#[cfg(feature = "tune")]
pub(super) fn tunables() -> impl Iterator<Item = &'static kiki_eval::Tunable> {
    kiki_search::params::ALL.iter().chain(kiki_eval::TUNABLES)
}

/// Reads the typed settings.
pub(crate) fn settings(options: &OptionSet) -> Result<EngineSettings, OptionError> {
    let spin = |name: &str| options.spin(name);
    let milliseconds = |name: &str| spin(name).map(|value| Duration::from_millis(value.unsigned_abs()));
    // Who considers a position wants to see every line whole and none that the window has cut.
    let consideration = options.check("ConsiderationMode")?;
    // What is analysed is not played: a searched answer at full strength, and values that take no side.
    let analysis = options.check("USI_AnalyseMode")?;
    let draw_value = |name: &str| if analysis { Ok(0) } else { spin(name).map(|value| value as i32) };
    let skill_level = if consideration || analysis {
        FULL_SKILL
    } else if options.check("USI_LimitStrength")? {
        level_of_rating(spin("USI_Elo")? as i32)
    } else {
        spin("SkillLevel")? as u32
    };
    let rule = options.text("EnteringKingRule")?;
    let declaration =
        ENTERING_KING.iter().find(|(name, _)| *name == rule).map_or_else(Default::default, |&(_, rule)| rule);
    let mode = options.text("ProbCut")?;
    let probcut = PROBCUT_MODES.iter().find(|(name, _)| *name == mode).map_or_else(Default::default, |&(_, mode)| mode);
    let mode = options.text("GambleMove")?;
    let gamble = GAMBLE_MODES.iter().find(|(name, _)| *name == mode && !analysis);
    let gamble = gamble.map_or_else(Default::default, |&(_, mode)| mode);
    let lines = if gamble == GambleMode::Off { 1 } else { GAMBLE_LINES };
    let choice = if options.check("GenerateAllLegalMoves")? { PromotionChoice::All } else { PromotionChoice::Sensible };
    Ok(EngineSettings {
        search: Options {
            threads: spin("Threads")? as usize,
            table_mebibytes: spin("USI_Hash")? as usize,
            multipv: (spin("MultiPV")? as usize).max(lines),
            pv_interval: if consideration { Duration::ZERO } else { milliseconds("PvInterval")? },
            report_bounds: options.check("OutputFailLHPV")? && !consideration,
            time: TimeOptions {
                network_delay: milliseconds("NetworkDelay")?,
                network_delay2: milliseconds("NetworkDelay2")?,
                minimum_thinking_time: milliseconds("MinimumThinkingTime")?,
                slow_mover: spin("SlowMover")? as u32,
                round_up_to_full_second: options.check("RoundUpToFullSecond")?,
                // Neither of the two: to be learned.
                increment_before_move: options.text("IncrementBeforeMove")?.parse().ok(),
            },
            rules: Rules {
                declaration,
                max_moves: spin("MaxMovesToDraw")? as u32,
                draw_value: ByColor::new(draw_value("DrawValueBlack")?, draw_value("DrawValueWhite")?),
                choice,
            },
            probcut: ProbCutOptions { mode: probcut, k: spin("ProbCutK")? as i32, checks: CheckOptions::default() },
            gamble,
        },
        shortest_mates: options.check("MateShortest")?,
        stochastic_ponder: options.check("Stochastic_Ponder")?,
        plays_book: !analysis,
        resign_value: if analysis { NEVER_RESIGN } else { spin("ResignValue")? as i32 },
        show_sigma: options.check("ShowSigma")?,
        skill_level,
        skill_seed: Some(spin("SkillSeed")?).filter(|&seed| seed > 0).map(|seed| seed as u64),
        depth_limit: Some(spin("DepthLimit")?).filter(|&limit| limit > 0).map(|limit| limit as u32),
        node_limit: Some(spin("NodesLimit")?).filter(|&limit| limit > 0).map(|limit| limit as u64),
    })
}
