//! Processes many items on several threads.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread::Builder;
use std::time::Duration;

use anyhow::Result;
use kiki_search::SEARCH_STACK_SIZE;

/// Interval between two checks of the stop flag.
const STOP_INTERVAL: Duration = Duration::from_millis(50);

/// Sets a flag when dropped, so that threads watching it end.
struct SetAtEnd<'a> {
    flag: &'a AtomicBool,
    /// Only if its thread panics: the others would wait for its outcome for ever.
    at_panic_only: bool,
}

impl Drop for SetAtEnd<'_> {
    fn drop(&mut self) {
        if !self.at_panic_only || std::thread::panicking() {
            self.flag.store(true, Ordering::Relaxed);
        }
    }
}

/// Works on the numbers from `first` on, on several threads with the stack of a search, each with
/// its own state. `work` returns `None` if `ended` was set or nothing is left. `each` gets the
/// outcomes in the order of their numbers. Ends when `each` breaks off or the run `is_stopped`, or
/// with the first error; then sets `ended`.
pub fn in_order<S, O: Send>(
    first: u64,
    threads: usize,
    is_stopped: &dyn Fn() -> bool,
    ended: &AtomicBool,
    new_state: impl Fn() -> Result<S> + Sync,
    work: impl Fn(&mut S, u64) -> Option<O> + Sync,
    mut each: impl FnMut(O) -> Result<ControlFlow<()>>,
) -> Result<()> {
    let (mut early, mut wanted) = (BTreeMap::new(), first);
    as_completed(first, threads, is_stopped, ended, new_state, work, |number, outcome| {
        early.insert(number, outcome);
        while let Some(outcome) = early.remove(&wanted) {
            wanted += 1;
            if each(outcome)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    })
}

/// The same, but `each` gets each number with its outcome at once.
fn as_completed<S, O: Send>(
    first: u64,
    threads: usize,
    is_stopped: &dyn Fn() -> bool,
    ended: &AtomicBool,
    new_state: impl Fn() -> Result<S> + Sync,
    work: impl Fn(&mut S, u64) -> Option<O> + Sync,
    mut each: impl FnMut(u64, O) -> Result<ControlFlow<()>>,
) -> Result<()> {
    let next = AtomicU64::new(first);
    std::thread::scope(|scope| {
        // The threads end with this scope.
        let _end = SetAtEnd { flag: ended, at_panic_only: false };
        let (sender, outcomes) = sync_channel(2 * threads);
        for _ in 0..threads {
            let (sender, next, new_state, work) = (sender.clone(), &next, &new_state, &work);
            Builder::new().stack_size(SEARCH_STACK_SIZE).spawn_scoped(scope, move || {
                let _end = SetAtEnd { flag: ended, at_panic_only: true };
                let mut state = match new_state() {
                    Ok(state) => state,
                    Err(error) => return drop(sender.send(Err(error))),
                };
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(outcome) = work(&mut state, number) else { return };
                    // After an error nobody receives outcomes any more.
                    if sender.send(Ok((number, outcome))).is_err() {
                        return;
                    }
                }
            })?;
        }
        drop(sender);
        while !is_stopped() {
            match outcomes.recv_timeout(STOP_INTERVAL) {
                Ok(found) => {
                    let (number, outcome) = found?;
                    if each(number, outcome)?.is_break() {
                        break;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        Ok(())
    })
}

/// Processes all items on several threads, each with its own state. A thread ends if its `work`
/// returns `None`. `each` gets the index and the outcome of an item, in the order of completion.
/// Returns the first error of `new_state` or `each`.
pub fn for_each<T: Sync, S, O: Send>(
    items: &[T],
    threads: usize,
    new_state: impl Fn() -> Result<S> + Sync,
    work: impl Fn(&mut S, &T) -> Option<O> + Sync,
    mut each: impl FnMut(usize, O) -> Result<()>,
) -> Result<()> {
    let (threads, ended) = (threads.min(items.len()), AtomicBool::new(false));
    let work = |state: &mut S, index: u64| work(state, items.get(index as usize)?);
    as_completed(0, threads, &|| false, &ended, new_state, work, |index, outcome| {
        each(index as usize, outcome)?;
        Ok(ControlFlow::Continue(()))
    })
}

/// All outcomes in the order of the items; `None` for those after a stop. `each` gets the number of
/// finished items.
pub fn outcomes<T: Sync, S, O: Send>(
    items: &[T],
    threads: usize,
    new_state: impl Fn() -> Result<S> + Sync,
    work: impl Fn(&mut S, &T) -> Option<O> + Sync,
    mut each: impl FnMut(usize),
) -> Result<Vec<Option<O>>> {
    let mut outcomes: Vec<Option<O>> = items.iter().map(|_| None).collect();
    let mut done = 0;
    for_each(items, threads, new_state, work, |index, outcome| {
        outcomes[index] = Some(outcome);
        done += 1;
        each(done);
        Ok(())
    })?;
    Ok(outcomes)
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    #[test]
    fn every_item_is_worked_on_once() {
        let items: Vec<u64> = (0..1000).collect();
        let mut seen = 0;
        let squares = outcomes(&items, 4, || Ok(()), |(), item| Some(item * item), |done| seen = done).unwrap();
        assert!(squares.iter().enumerate().all(|(index, square)| *square == Some((index * index) as u64)));
        assert_eq!(seen, items.len());
    }

    #[test]
    fn outcomes_come_in_order_until_enough() {
        let mut seen = Vec::new();
        let ended = AtomicBool::new(false);
        let work = |(): &mut (), number| (!ended.load(Ordering::Relaxed)).then_some(number);
        in_order(
            5,
            3,
            &|| false,
            &ended,
            || Ok(()),
            work,
            |number| {
                seen.push(number);
                Ok(if seen.len() < 100 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
            },
        )
        .unwrap();
        assert_eq!(seen, (5..105).collect::<Vec<u64>>());
    }

    #[test]
    #[should_panic(expected = "a scoped thread panicked")]
    fn a_panic_ends_the_other_threads() {
        let ended = AtomicBool::new(false);
        let work = |(): &mut (), number| {
            assert_ne!(number, 3);
            (!ended.load(Ordering::Relaxed)).then_some(number)
        };
        let _ = in_order(0, 2, &|| false, &ended, || Ok(()), work, |_| Ok(ControlFlow::Continue(())));
    }

    #[test]
    fn errors_and_stops_end_the_work() {
        let items = [1, 2, 3];
        let failed = for_each(&items, 2, || -> Result<()> { bail!("no room") }, |(), _| Some(()), |_, ()| Ok(()));
        assert_eq!(failed.unwrap_err().to_string(), "no room");
        let mut done = 0;
        for_each(
            &items,
            1,
            || Ok(()),
            |(), &item| (item < 2).then_some(()),
            |_, ()| {
                done += 1;
                Ok(())
            },
        )
        .unwrap();
        assert_eq!(done, 1);
        let refused = for_each(&items, 2, || Ok(()), |(), _| Some(()), |_, ()| bail!("disk full"));
        assert_eq!(refused.unwrap_err().to_string(), "disk full");
    }
}
