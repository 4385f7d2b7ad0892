//! What ratings promise: their properties, and values that other programs found.

mod ab;
mod draws_and_anchors;
mod golden;
mod table;
