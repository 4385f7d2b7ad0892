//! What councils of engines are worth: by the model of [`crate::model`], and by members that are asked.

mod calibration;
mod output;
mod sweep;

pub(crate) use calibration::{
    Calibration, CalibrationSettings, CalibrationSummary, MemberNumbers, MoveNumbers, RuleNumbers,
};
pub(crate) use output::{csv, write_pictures};
pub(crate) use sweep::{EqualMembers, Sweep, SweepPoint};
