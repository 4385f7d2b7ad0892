//! The strength of councils of engines: by the model of [`crate::model`], and by the answers of
//! members.

mod calibration;
mod output;
mod sweep;

pub(crate) use calibration::{
    CalibrationRun, CalibrationSettings, CalibrationSummary, FEWEST_POSITIONS, MoveAccuracy, ask, summary,
};
pub(crate) use output::{csv, write_pictures};
pub(crate) use sweep::{CouncilRates, EqualMembers, Simulation, Sweep, SweepPoint};
