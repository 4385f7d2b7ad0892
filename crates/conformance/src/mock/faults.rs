//! The rules that the mock can break.

/// One way to break a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The word for the command line: the case that fails, and what tells ways apart.
    pub word: &'static str,
    /// Cases that cannot but fail too.
    pub also: &'static [&'static str],
    /// The mock is slow in every process: a test asks a few cases only.
    pub slow: bool,
}

impl Fault {
    /// The case that must fail.
    #[must_use]
    pub fn case(&self) -> &'static str {
        self.word.split_once(':').map_or(self.word, |(case, _)| case)
    }
}

const fn fault(word: &'static str) -> Fault {
    Fault { word, also: &[], slow: false }
}

/// All ways; every case has at least one.
pub const FAULTS: [Fault; 97] = [
    fault("handshake:no-author"),
    fault("handshake:late-option"),
    Fault { word: "handshake:mute", also: &[], slow: true },
    Fault { word: "handshake-time", also: &[], slow: true },
    fault("handshake-quit"),
    fault("other-directory"),
    fault("option-lines:blank"),
    fault("option-lines:range"),
    fault("option-lines:twice"),
    fault("options-resent"),
    fault("option-unknown"),
    fault("option-bad-value"),
    fault("option-empty"),
    fault("option-blanks"),
    fault("option-name-case"),
    fault("option-button"),
    fault("option-between-searches"),
    Fault { word: "ready:mute", also: &[], slow: true },
    fault("ready-repeated"),
    fault("ready-after-gameover"),
    fault("ready-in-search"),
    fault("ready-in-search:late"),
    fault("game-start-orders"),
    fault("position-forms"),
    fault("position-lenient"),
    fault("position-unpromoted"),
    fault("position-repeated"),
    fault("perpetual-check"),
    fault("position-illegal"),
    fault("position-illegal-state"),
    fault("position-long"),
    fault("go-byoyomi"),
    fault("go-increment"),
    fault("go-zero"),
    fault("go-depth"),
    fault("go-nodes"),
    fault("go-movetime"),
    fault("go-searchmoves"),
    fault("go-first-limit"),
    fault("clock-byoyomi"),
    fault("clock-increment"),
    fault("clock-sudden-death"),
    fault("clock-movetime"),
    fault("infinite"),
    fault("infinite-mated"),
    fault("infinite-one-move"),
    fault("infinite-mate-found"),
    fault("infinite-deepest"),
    fault("mate-found:none"),
    fault("mate-found:illegal"),
    fault("mate-none"),
    fault("mate-no-bestmove"),
    fault("mate-stopped"),
    fault("ponder-waits"),
    fault("ponder-hit"),
    fault("ponder-miss"),
    fault("ponder-early"),
    fault("ponder-ended"),
    fault("ponder-races"),
    fault("stop-races"),
    fault("stop-time"),
    fault("stop-idle"),
    fault("stop-twice"),
    fault("ponderhit-idle"),
    fault("gameover-in-ponder"),
    fault("gameover-in-search"),
    fault("gameover-after-stop"),
    fault("gameover-silent"),
    fault("quit"),
    fault("quit-in-search"),
    fault("quit-in-ponder"),
    fault("quit-while-loading"),
    fault("quit-silent"),
    fault("input-end"),
    fault("input-end-in-search"),
    fault("junk-words"),
    fault("junk-long-line"),
    fault("junk-flood"),
    fault("junk-bytes"),
    fault("line-breaks"),
    fault("blanks"),
    fault("half-lines"),
    fault("errors-silent"),
    // Nobody is stopped by a full standard error who writes nothing to it.
    Fault { word: "errors-full", also: &["errors-silent"], slow: false },
    fault("output-closed"),
    fault("output-ascii"),
    fault("output-no-error"),
    fault("output-known"),
    fault("bestmove-legal"),
    fault("ponder-legal"),
    fault("resign-mated"),
    fault("win-with-right"),
    fault("info-form:mate"),
    fault("info-form:number"),
    fault("info-pv-legal"),
    fault("info-last-exact"),
    fault("info-all-lines"),
];
