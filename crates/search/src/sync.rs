//! Locks and flags by which threads of a search wait for each other. With `--cfg loom` they are
//! those of the model checker loom, which tries every order of the threads: see
//! `threads/models.rs`.

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
#[cfg(loom)]
pub(crate) use model::{Condvar, Mutex};
#[cfg(not(loom))]
pub(crate) use parking_lot::{Condvar, Mutex};
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};

/// loom's lock and condition with the interface of parking_lot. In a model no time passes: a wait
/// with a timeout ends only on a wake-up.
#[cfg(loom)]
mod model {
    use std::ops::{Deref, DerefMut};
    use std::time::Duration;

    use loom::sync as model;

    #[derive(Default)]
    pub(crate) struct Mutex<T>(model::Mutex<T>);

    /// Empty only while a condition variable waits.
    pub(crate) struct MutexGuard<'a, T>(Option<model::MutexGuard<'a, T>>);

    #[derive(Default)]
    pub(crate) struct Condvar(model::Condvar);

    /// Whether a wait timed out.
    pub(crate) struct WaitTimeoutResult;

    impl<T> Mutex<T> {
        pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
            MutexGuard(self.0.lock().ok())
        }
    }

    impl<T> Deref for MutexGuard<'_, T> {
        type Target = T;

        fn deref(&self) -> &T {
            self.0.as_ref().expect("held")
        }
    }

    impl<T> DerefMut for MutexGuard<'_, T> {
        fn deref_mut(&mut self) -> &mut T {
            self.0.as_mut().expect("held")
        }
    }

    impl WaitTimeoutResult {
        pub(crate) fn timed_out(&self) -> bool {
            false
        }
    }

    impl Condvar {
        pub(crate) fn notify_all(&self) {
            self.0.notify_all();
        }

        pub(crate) fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
            guard.0 = guard.0.take().and_then(|held| self.0.wait(held).ok());
        }

        pub(crate) fn wait_while<T>(&self, guard: &mut MutexGuard<'_, T>, mut condition: impl FnMut(&mut T) -> bool) {
            while condition(guard) {
                self.wait(guard);
            }
        }

        pub(crate) fn wait_for<T>(&self, guard: &mut MutexGuard<'_, T>, _: Duration) -> WaitTimeoutResult {
            self.wait(guard);
            WaitTimeoutResult
        }

        pub(crate) fn wait_while_for<T>(
            &self,
            guard: &mut MutexGuard<'_, T>,
            condition: impl FnMut(&mut T) -> bool,
            _: Duration,
        ) -> WaitTimeoutResult {
            self.wait_while(guard, condition);
            WaitTimeoutResult
        }
    }
}
