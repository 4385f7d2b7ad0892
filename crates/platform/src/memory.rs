//! Memory: how much there is, and large pages for large tables.

use std::fs::File;
use std::io;

use memmap2::{Mmap, MmapMut};
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

/// The memory of the machine, in MiB.
#[derive(Clone, Copy, Debug)]
pub struct SystemMemory {
    /// Memory that programs may still take without swapping, as the system reports it; inside a
    /// container, at most the rest of its limit.
    pub available: usize,
    /// Memory that this program uses now.
    pub own: usize,
}

impl SystemMemory {
    /// Reads the present state. `None` if the system does not report it.
    #[must_use]
    pub fn now() -> Option<Self> {
        let mut system = System::new().ok()?;
        system.refresh_memory();
        let container =
            system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory.saturating_sub(limits.rss));
        let available = system.available_memory().min(container);
        let process = Pid::from_u32(std::process::id());
        let memory = ProcessRefreshKind::nothing().with_memory();
        let _ = system.refresh_processes_specifics(ProcessesToUpdate::Some(&[process]), false, memory);
        let own = system.process(process).map_or(0, |process| process.memory());
        let [available, own] = [available, own].map(|bytes| usize::try_from(bytes >> 20).unwrap_or(usize::MAX));
        // Zero may be available, but a total of zero means that the system reports nothing.
        (system.total_memory() > 0).then_some(Self { available, own })
    }

    /// Total memory that this program may use if it first frees its own.
    #[must_use]
    pub fn usable(self) -> usize {
        self.available.saturating_add(self.own)
    }
}

/// 15/16 of an amount of memory: a system that runs out of memory kills programs.
#[must_use]
pub fn all_but_some(mebibytes: usize) -> usize {
    mebibytes - mebibytes / 16
}

/// Asks for large pages where the system has them. Memory that is not yet touched stays
/// uncommitted.
///
/// The search touches its tables in random order. With pages of 4 KiB nearly every first touch is a
/// page fault, and nearly every later one misses the TLB. With pages of 2 MiB the search visits
/// 1.5 times as many nodes.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "advice to the kernel that has no safe form")]
pub fn prefer_large_pages<T>(memory: &[T]) {
    /// Advice needs whole pages; this is a multiple of every small page size in use.
    const PAGE: usize = 1 << 16;
    let start = memory.as_ptr().addr();
    let first = start.next_multiple_of(PAGE);
    let end = (start + size_of_val(memory)) & !(PAGE - 1);
    if first < end {
        let address = memory.as_ptr().cast_mut().cast::<u8>().wrapping_add(first - start);
        // SAFETY: this advice changes how memory is backed, never what is in it; the range lies
        // within a live allocation. A refusal (an old kernel, large pages switched off) leaves
        // everything as it was.
        unsafe { libc::madvise(address.cast(), end - first, libc::MADV_HUGEPAGE) };
    }
}

/// Does nothing on other systems.
#[cfg(not(target_os = "linux"))]
pub fn prefer_large_pages<T>(_: &[T]) {}

/// Memory for a large network: private, on large pages where the system has them, or the content of
/// a file, which all processes share.
#[derive(Debug)]
pub struct LargeMemory(Mapping);

#[derive(Debug)]
enum Mapping {
    Own(MmapMut),
    File(Mmap),
}

impl LargeMemory {
    /// Zeros that this process may change.
    pub fn zeroed(bytes: usize) -> io::Result<Self> {
        let memory = MmapMut::map_anon(bytes.max(1))?;
        prefer_large_pages(&memory);
        Ok(Self(Mapping::Own(memory)))
    }

    /// Maps a file, which must not change while this lives: replace it only by renaming another
    /// one.
    ///
    /// Sixteen processes with a network of 225 MB then hold it once, 801 MiB in all instead of
    /// 4,057. A search has 0.98 to 1.00 times the speed that it has with private memory on large
    /// pages (docs/experiments/2026-11-26-speed-of-networks.md).
    #[expect(unsafe_code, reason = "a file is not shared without a mapping")]
    pub fn of_file(file: &File) -> io::Result<Self> {
        // SAFETY: any bytes are valid. Nothing here writes into a mapped file: a file is complete
        // when it gets its name, and is replaced by renaming. A user who truncates it ends the
        // program.
        unsafe { Mmap::map(file) }.map(|memory| Self(Mapping::File(memory)))
    }

    #[must_use]
    pub fn is_of_file(&self) -> bool {
        matches!(self.0, Mapping::File(_))
    }

    /// All bytes, aligned to a page.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match &self.0 {
            Mapping::Own(memory) => memory,
            Mapping::File(memory) => memory,
        }
    }

    /// # Panics
    /// If they belong to a file.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        match &mut self.0 {
            Mapping::Own(memory) => memory,
            Mapping::File(_) => panic!("the memory of a file is shared"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_zeroed_or_that_of_a_file() {
        let mut own = LargeMemory::zeroed(70_000).unwrap();
        assert!(own.bytes() == [0; 70_000] && !own.is_of_file());
        own.bytes_mut()[69_999] = 7;
        assert_eq!(own.bytes()[69_999], 7);
        assert!(LargeMemory::zeroed(1 << 50).is_err());
        let mut file = tempfile::tempfile().unwrap();
        io::Write::write_all(&mut file, b"weights").unwrap();
        let shared = LargeMemory::of_file(&file).unwrap();
        assert!(shared.bytes() == b"weights" && shared.is_of_file());
    }

    #[test]
    fn the_system_tells_how_much_memory_there_is() {
        let memory = SystemMemory::now().expect("this system tells");
        assert!(memory.available > 100 && memory.own > 0 && memory.usable() > memory.available, "{memory:?}");
        assert_eq!(all_but_some(1600), 1500);
    }
}
