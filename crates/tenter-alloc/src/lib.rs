//! A global allocator for a process that lives for a millisecond.
//!
//! A hook call makes a few dozen small allocations and exits. The system allocator pays for each new
//! size with a system call and fresh pages; here the first `ARENA` bytes come from one static block
//! by moving a counter, and only what does not fit goes to the system. A block is given back only if it
//! is the newest one (a growing buffer, mostly); the rest is never reused, which bounds the waste by
//! the size of the arena, also in a process that lives long.
//!
//! With `tenter-signals` this is the only crate of the workspace with `unsafe`. It earns its place by measurement: see
//! "Start time" in ARCHITECTURE.md.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Large enough for an ordinary call; untouched pages cost nothing.
const ARENA: usize = 256 * 1024;

/// Larger requests go to the system at once, so that one big buffer does not use up the arena.
const LARGEST: usize = 64 * 1024;

#[repr(align(4096))]
struct Block(UnsafeCell<[u8; ARENA]>);

/// Serves from a static arena first, then from the system.
#[derive(Debug)]
pub struct Arena {
    block: &'static Block,
    /// Bytes handed out so far. Moved with acquire and release, so that what the last owner of a
    /// reused range wrote is behind what the next one writes.
    used: AtomicUsize,
}

impl std::fmt::Debug for Block {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Block")
    }
}

// SAFETY: the bytes are only ever reached through pointers that `Arena` hands out, and it hands out
// every byte to one owner at a time.
unsafe impl Sync for Block {}

static BLOCK: Block = Block(UnsafeCell::new([0; ARENA]));

impl Arena {
    /// There is one block, so there must be one `Arena`: make it the global allocator.
    #[expect(clippy::new_without_default, reason = "a second instance would share the block")]
    #[must_use]
    pub const fn new() -> Self {
        Self { block: &BLOCK, used: AtomicUsize::new(0) }
    }

    fn start(&self) -> *mut u8 {
        self.block.0.get().cast()
    }

    /// The offset of a pointer into the arena, or `None` if the system owns it.
    fn offset(&self, pointer: *mut u8) -> Option<usize> {
        (pointer as usize).checked_sub(self.start() as usize).filter(|offset| *offset < ARENA)
    }

    /// Takes `layout` from the arena, or says that it does not fit.
    fn take(&self, layout: Layout) -> Option<*mut u8> {
        if layout.size() > LARGEST || layout.align() > 4096 {
            return None;
        }
        let mut used = self.used.load(Ordering::Acquire);
        loop {
            let at = used.checked_next_multiple_of(layout.align())?;
            let end = at.checked_add(layout.size()).filter(|end| *end <= ARENA)?;
            match self.used.compare_exchange_weak(used, end, Ordering::AcqRel, Ordering::Acquire) {
                // SAFETY: `at` is within the block, because `end` is.
                Ok(_) => return Some(unsafe { self.start().add(at) }),
                Err(now) => used = now,
            }
        }
    }

    /// Moves the end of the newest allocation. Fails if there is a newer one or no room.
    fn resize_newest(&self, at: usize, old_size: usize, new_size: usize) -> bool {
        let (Some(old_end), Some(new_end)) = (at.checked_add(old_size), at.checked_add(new_size))
        else {
            return false;
        };
        new_end <= ARENA
            && self
                .used
                .compare_exchange(old_end, new_end, Ordering::AcqRel, Ordering::Acquire)
                .is_ok()
    }
}

// SAFETY: `alloc` returns either a pointer from the system or a range of the block that no other live
// allocation overlaps: ranges start at or after `used`, which moves past them atomically, and it moves
// back only over the newest range, when that is freed or shrunk by its owner. Alignment is kept
// because the block is aligned to 4096 and offsets are rounded up to the layout's alignment.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match self.take(layout) {
            Some(pointer) => pointer,
            // SAFETY: the caller's promise about `layout` is passed on.
            None => unsafe { System.alloc(layout) },
        }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        match self.offset(pointer) {
            Some(at) => {
                self.resize_newest(at, layout.size(), 0);
            }
            // SAFETY: a pointer outside the arena came from the system, with this layout.
            None => unsafe { System.dealloc(pointer, layout) },
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let Some(at) = self.offset(pointer) else {
            // SAFETY: a pointer outside the arena came from the system, with this layout.
            return unsafe { System.realloc(pointer, layout, new_size) };
        };
        if new_size <= LARGEST && self.resize_newest(at, layout.size(), new_size) {
            return pointer;
        }
        // SAFETY: the caller promises that `new_size`, rounded up to the alignment, fits an `isize`.
        let new_layout = unsafe { Layout::from_size_align_unchecked(new_size, layout.align()) };
        // SAFETY: `new_size` is not zero by the caller's promise.
        let new = unsafe { self.alloc(new_layout) };
        if !new.is_null() {
            let length = layout.size().min(new_size);
            // SAFETY: both ranges are live for `length` bytes and cannot overlap: `new` was just
            // handed out while the old one was still live.
            unsafe { std::ptr::copy_nonoverlapping(pointer, new, length) };
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The block is shared, so one test goes through everything in order.
    #[test]
    #[expect(
        clippy::multiple_unsafe_ops_per_block,
        reason = "the story is one block of pointer work"
    )]
    fn keeps_blocks_apart_and_falls_back_to_the_system() {
        let arena = Arena::new();
        let layout = |size, align| Layout::from_size_align(size, align).unwrap();
        // SAFETY: every pointer below is used within its layout and freed with it.
        unsafe {
            let first = arena.alloc(layout(10, 1));
            first.write_bytes(1, 10);
            let second = arena.alloc(layout(100, 64));
            assert_eq!(second as usize % 64, 0);
            assert!(second as usize >= first as usize + 10);
            second.write_bytes(2, 100);

            let grown = arena.realloc(second, layout(100, 64), 200);
            assert_eq!(grown, second, "the newest block grows in place");
            let moved = arena.realloc(first, layout(10, 1), 20);
            assert_ne!(moved, first, "an older block has to move");
            assert_eq!(*moved.add(9), 1);
            assert_eq!(*grown.add(99), 2);

            arena.dealloc(moved, layout(20, 1));
            assert_eq!(arena.alloc(layout(20, 1)), moved, "the newest block is reused");

            let large = arena.alloc(layout(LARGEST + 1, 8));
            assert_eq!(arena.offset(large), None);
            large.write_bytes(3, LARGEST + 1);
            let larger = arena.realloc(large, layout(LARGEST + 1, 8), 2 * LARGEST);
            assert_eq!(*larger.add(LARGEST), 3);
            arena.dealloc(larger, layout(2 * LARGEST, 8));

            while arena.offset(arena.alloc(layout(LARGEST, 8))).is_some() {}
            let outside = arena.alloc(layout(LARGEST, 8));
            assert_eq!(arena.offset(outside), None, "a full arena hands over to the system");
            arena.dealloc(outside, layout(LARGEST, 8));
        }
    }
}
