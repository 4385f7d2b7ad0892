//! What the machine provides: memory and large pages, the processor's instructions and time slices,
//! requests to end, and regular files.

mod files;
mod interruption;
mod lock;
mod memory;
mod processor;

pub use files::{
    MOST_NETWORK, MOST_RECORDS, MOST_SETTINGS, append_to_file, open_regular_file, read_regular_file, read_regular_text,
    user_folder,
};
pub use interruption::on_interruption;
pub use lock::lock_file;
pub use memory::{LargeMemory, SystemMemory, all_but_some, prefer_large_pages};
pub use processor::{give_way, is_sufficient, prefer_short_time_slices};
