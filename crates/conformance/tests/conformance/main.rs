//! The cases of `kiki-lab usi-check`: listed in the documentation, and able to fail.

mod documentation;
mod faults;
mod hostile_engines;
