//! What councils of engines are worth: by the model of [`crate::model`], and by members that are asked.

mod calibration;
mod csv;
mod equal;
mod pictures;
mod sweep;

pub(crate) use calibration::{
    Calibration, CalibrationSettings, CalibrationSummary, MemberNumbers, MoveNumbers, RuleNumbers,
};
pub(crate) use csv::csv;
pub(crate) use equal::EqualMembers;
pub(crate) use pictures::write_pictures;
pub(crate) use sweep::{Sweep, SweepPoint};
