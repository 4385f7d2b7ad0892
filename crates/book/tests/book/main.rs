//! Opening books: looked up, made, and refused.

mod lookup;
mod making;
mod refusal;
