//! ProbCut with several settings on the same positions: what it saves, and whether the moves stay as good.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Result;
use kiki_board::Position;
use kiki_eval::SelectedWeights;
use kiki_eval::sigma::SigmaModel;
use kiki_search::{Action, Bound, Limits, Options, ProbCutClaim, ProbCutMode, ProbCutOptions, RootScore};
use parking_lot::Mutex;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;

use kiki_games::positions::SampledPosition;
use kiki_run::parallel;
use kiki_run::position_search::PositionSearcher;

/// What all settings have in common.
pub(crate) struct Experiment<'a> {
    pub(crate) positions: &'a [SampledPosition],
    pub(crate) weights: &'a SelectedWeights,
    pub(crate) model: Arc<SigmaModel>,
    pub(crate) depth: u32,
    pub(crate) table_mebibytes: usize,
    pub(crate) threads: usize,
}

/// What a search of one position took, and whether it found the move that was played.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchCost {
    pub(crate) agrees: bool,
    pub(crate) nodes: u64,
    pub(crate) time: Duration,
}

/// A cut that was made, to be verified.
#[derive(Clone)]
pub(crate) struct ObservedCut {
    position: Position,
    pub(crate) claim: ProbCutClaim,
}

/// Keeps so many of the cuts, each with the same probability.
struct CutSample {
    most: usize,
    seen: u64,
    random: Pcg64,
    cuts: Vec<ObservedCut>,
}

impl CutSample {
    fn offer(&mut self, position: &Position, claim: &ProbCutClaim) {
        self.seen += 1;
        let place = self.random.random_range(0..self.seen) as usize;
        if self.cuts.len() >= self.most && place >= self.most {
            return;
        }
        let cut = ObservedCut { position: position.clone(), claim: *claim };
        if self.cuts.len() < self.most { self.cuts.push(cut) } else { self.cuts[place] = cut }
    }
}

/// What a setting did on all positions.
pub(crate) struct SettingOutcome {
    /// By position.
    pub(crate) costs: Vec<SearchCost>,
    /// How many cuts were made.
    pub(crate) cuts: u64,
    /// Some of them.
    pub(crate) observed: Vec<ObservedCut>,
}

impl Experiment<'_> {
    fn options(&self, probcut: ProbCutOptions) -> Options {
        Options { threads: 1, table_mebibytes: self.table_mebibytes, probcut, ..Options::default() }
    }

    /// Searches all positions with a setting; `None` if `stop` was set. At most `most_cuts` cuts are kept. `each` is called with the number of
    /// positions done.
    pub(crate) fn run(
        &self,
        probcut: ProbCutOptions,
        most_cuts: usize,
        stop: &AtomicBool,
        mut each: impl FnMut(usize),
    ) -> Result<Option<SettingOutcome>> {
        let random = Pcg64::seed_from_u64(1);
        let sample = Arc::new(Mutex::new(CutSample { most: most_cuts, seen: 0, random, cuts: Vec::new() }));
        let limits = Limits { depth: Some(self.depth), ..Limits::default() };
        let new_searcher = || {
            let mut searcher = PositionSearcher::new(self.weights, self.options(probcut))?;
            searcher.searcher.set_sigma_model(Arc::clone(&self.model));
            let sample = Arc::clone(&sample);
            searcher.searcher.set_probcut_observer(Some(Arc::new(move |position, claim| {
                sample.lock().offer(position, claim);
            })));
            Ok(searcher)
        };
        let look = |searcher: &mut PositionSearcher, sampled: &SampledPosition| {
            let result = searcher.search_anew(&sampled.position, &limits, stop)?.result;
            let agrees = matches!(result.action, Action::Play(mv) if Some(mv) == sampled.played);
            Some(SearchCost { agrees, nodes: result.nodes, time: result.time })
        };
        let mut costs = vec![None; self.positions.len()];
        let mut done = 0;
        parallel::for_each(self.positions, self.threads, new_searcher, look, |index, cost| {
            costs[index] = Some(cost);
            done += 1;
            each(done);
            Ok(())
        })?;
        let mut sample = sample.lock();
        let (cuts, observed) = (sample.seen, std::mem::take(&mut sample.cuts));
        let costs: Option<Vec<SearchCost>> = costs.into_iter().collect();
        Ok(costs.map(|costs| SettingOutcome { costs, cuts, observed }))
    }

    /// How many of the cuts a search to the full depth, without ProbCut, contradicts; `None` if `stop` was set.
    pub(crate) fn false_cuts(&self, cuts: &[ObservedCut], stop: &AtomicBool) -> Result<Option<usize>> {
        let off = ProbCutOptions { mode: ProbCutMode::Off, ..ProbCutOptions::default() };
        let new_searcher = || Ok(PositionSearcher::new(self.weights, self.options(off))?);
        let look = |searcher: &mut PositionSearcher, cut: &ObservedCut| {
            let limits = Limits { depth: Some(cut.claim.depth as u32), ..Limits::default() };
            let score = searcher.search_anew(&cut.position, &limits, stop)?.result.score;
            Some(is_contradicted(&cut.claim, score))
        };
        let (mut done, mut contradicted) = (0, 0);
        parallel::for_each(cuts, self.threads, new_searcher, look, |_, is_false| {
            done += 1;
            contradicted += usize::from(is_false);
            Ok(())
        })?;
        Ok((done == cuts.len()).then_some(contradicted))
    }
}

/// Whether a value lies on the other side of what was claimed.
fn is_contradicted(claim: &ProbCutClaim, score: RootScore) -> bool {
    let value = score.centipawns();
    match claim.bound {
        Bound::Upper => value > claim.value,
        Bound::Lower | Bound::Exact => value < claim.value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_contradicted_by_a_value_on_the_other_side() {
        let claim = |bound| ProbCutClaim { depth: 8, bound, value: 100, by_capture: false };
        let contradicted = |bound, score| is_contradicted(&claim(bound), score);
        assert!(!contradicted(Bound::Lower, RootScore::Centipawns(100)));
        assert!(contradicted(Bound::Lower, RootScore::Centipawns(99)));
        assert!(!contradicted(Bound::Upper, RootScore::Centipawns(100)));
        assert!(contradicted(Bound::Upper, RootScore::Centipawns(101)));
        assert!(contradicted(Bound::Lower, RootScore::Mate(-3)) && !contradicted(Bound::Lower, RootScore::Mate(3)));
        assert!(contradicted(Bound::Upper, RootScore::Mate(3)) && !contradicted(Bound::Upper, RootScore::Mate(-3)));
    }

    #[test]
    fn cuts_are_kept_with_equal_probability() {
        let position = Position::startpos();
        let mut counts = [0; 8];
        for seed in 0..2000 {
            let random = Pcg64::seed_from_u64(seed);
            let mut sample = CutSample { most: 2, seen: 0, random, cuts: Vec::new() };
            for depth in 0..8 {
                let claim = ProbCutClaim { depth, bound: Bound::Lower, value: 0, by_capture: false };
                sample.offer(&position, &claim);
            }
            assert_eq!(sample.seen, 8);
            sample.cuts.iter().for_each(|cut| counts[cut.claim.depth as usize] += 1);
        }
        // 500 each, with a standard deviation of 19.
        assert!(counts.iter().all(|count| (420..=580).contains(count)), "{counts:?}");
    }
}
