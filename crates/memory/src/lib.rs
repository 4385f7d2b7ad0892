//! How much memory there is, and large pages for large tables.
//!
//! A table is touched in no order, so with pages of 4 KiB nearly every first touch is a page fault and nearly every later one
//! misses the processor's list of pages. With pages of 2 MiB the search visits half as many nodes again in the same time
//! (`docs/decisions`).

mod system;

pub use system::{SystemMemory, all_but_some};

/// Asks for large pages where the system has them. Memory that is not yet touched stays uncommitted.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "advice to the kernel that has no safe form")]
pub fn prefer_large_pages<T>(memory: &[T]) {
    /// Advice is given for whole pages; this is a multiple of the size of any small page in use.
    const PAGE: usize = 1 << 16;
    let start = memory.as_ptr().addr();
    let first = start.next_multiple_of(PAGE);
    let end = (start + size_of_val(memory)) & !(PAGE - 1);
    if first < end {
        let address = memory.as_ptr().cast_mut().cast::<u8>().wrapping_add(first - start);
        // SAFETY: this advice changes how memory is backed, never what is in it; the range lies within a live allocation.
        // A refusal (an old kernel, large pages switched off) leaves everything as it was.
        unsafe { libc::madvise(address.cast(), end - first, libc::MADV_HUGEPAGE) };
    }
}

/// Other systems decide for themselves.
#[cfg(not(target_os = "linux"))]
pub fn prefer_large_pages<T>(_: &[T]) {}
