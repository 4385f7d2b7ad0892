//! The cases of `kiki-lab usi-check` can fail, and no engine upsets the check.

mod faults;
mod hostile_engines;
