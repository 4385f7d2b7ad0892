//! The rules that [`crate::faulty`] can break.

/// One way to break a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Its word on the command line: the case that fails, and a suffix that distinguishes several
    /// faults of a case.
    pub word: &'static str,
}

impl Fault {
    #[must_use]
    pub fn case(self) -> &'static str {
        self.word.split_once(':').map_or(self.word, |(case, _)| case)
    }

    /// All cases that fail: its own always, others if they meet the fault. A race meets it only if
    /// the answer comes first.
    #[must_use]
    pub fn failing_cases(self) -> Vec<&'static str> {
        let others: &[&str] = match self.word {
            // Both positions are among those of the races, where an answer before `stop` fails too.
            "infinite-mated" | "infinite-one-move" => &["stop-races"],
            // Other cases ponder on this position too.
            "ponder-waits:one-move" => &["ponder-ended", "ponder-races"],
            // A full standard error blocks only those that write to it.
            "errors-full" => &["errors-silent"],
            _ => &[],
        };
        [&[self.case()], others].concat()
    }

    /// Whether it is slow in every process, so that a test can afford few cases.
    #[must_use]
    pub fn is_slow(self) -> bool {
        matches!(self.word, "handshake:mute" | "handshake-time" | "ready:mute")
    }
}

/// All faults. Every case has at least one.
#[must_use]
pub fn faults() -> Vec<Fault> {
    WORDS.split_ascii_whitespace().map(|word| Fault { word }).collect()
}

const WORDS: &str = "
    handshake:no-author handshake:late-option handshake:order handshake:mute handshake-time
    handshake-quit handshake-quit:tolerated
    other-directory
    option-lines:blank option-lines:range option-lines:twice
    options-resent
    option-unknown option-bad-value option-empty option-blanks option-name-case option-button
    option-between-searches
    ready:mute ready-repeated ready-after-gameover ready-in-search ready-in-search:late
    game-start-orders game-start-time
    go-while-loading:early go-while-loading:dropped
    position-forms position-forms:resign position-lenient position-unpromoted position-repeated
    perpetual-check
    position-illegal
    position-illegal-state:reached position-illegal-state:before position-illegal-state:value
    position-illegal-told position-long
    go-byoyomi go-increment go-zero go-depth go-nodes go-movetime go-searchmoves go-first-limit
    go-negative go-negative:late go-negative:increment go-unreadable go-unreadable:without-limit
    clock-byoyomi clock-increment clock-sudden-death clock-own clock-own-increment clock-movetime
    infinite infinite:illegal infinite-book infinite-mated infinite-one-move infinite-mate-found
    infinite-deepest
    mate-found:none mate-found:illegal mate-found:help mate-none mate-no-bestmove
    mate-time mate-time:false mate-stopped mate-stopped:nomate mate-stopped:false
    ponder-waits ponder-waits:one-move ponder-waits:deepest ponder-hit ponder-miss ponder-miss-burst
    ponder-early ponder-times ponder-ended ponder-ended:early ponder-ended:byoyomi
    ponder-races ponder-races:illegal ponder-races:stop-first
    stop-races stop-races:stale stop-races:null stop-time stop-time:tolerated stop-idle stop-twice
    ponderhit-idle ponderhit-idle:stopped
    gameover-in-ponder gameover-in-search gameover-after-stop gameover-silent gameover-silent:ponder
    quit quit-in-search quit-in-ponder quit-while-loading quit-silent quit-silent:ponder
    input-end input-end-in-search input-end-in-ponder input-end-while-loading
    junk-words
    unknown-told unknown-told:twice unknown-told:blank
    junk-long-line junk-flood junk-bytes
    line-breaks
    blanks
    half-lines
    errors-silent errors-full
    output-closed output-ascii output-no-error output-known
    bestmove-legal
    ponder-legal
    resign-mated
    win-with-right
    info-form:mate info-form:number info-pv-legal info-last-exact info-all-lines info-all-lines:none
    info-score-side info-last-line
";
