// Package guard hands out slices that have memory mappings of their own. Freed
// memory becomes inaccessible for good, so that the very instruction that reads or
// writes it later faults, and so does one that runs past the end of a slice. When
// such a fault ends the program, package postmortem says where the memory was acquired
// and freed.
//
// # Map
//
//	doc.go         this map, and how the package works
//	guard.go       the functions that others call
//	arena.go       which addresses are in use: blocks, divided into mappings
//	ranges.go      a set of addresses
//	memory_*.go    what the operating system does with the addresses
//	protect_*.go   mprotect, which package syscall lacks on some systems
//	unsupported.go the same functions where there is no guarded memory
//
// # Addresses
//
// A mapping is the pages that a slice needs, followed by an inaccessible page. The
// slice ends where its last page ends, so that not even one byte past it can be
// touched. The bytes between the start of its first page and the slice are
// accessible. A slice is aligned as well as its length is.
//
// Mappings are cut from blocks, one after the other, and no address is handed out
// twice. A block is what one page of page-table entries covers, 2 MiB on most
// machines. Freed memory still costs 8 bytes of page table per page, until its
// block is retired as a whole: when the arena has cut all of it and nothing in it is
// live. A slice that would fill more than half of a block gets a block of its own,
// as large as necessary.
//
// On 64-bit Linux address space is reserved in spaces of 64 GiB and never
// returned: 2^47 bytes are enough for 17 billion slices of 4,096 bytes. On 32-bit
// Linux, s390x and other systems a block is a chunk of 256 KiB, which the system
// places, and unmaps some time after it was retired. From then on the system may use
// these addresses for something else, also for another block, and an access to the
// old slice is not found: see chunks.
//
// # How memory is opened and closed
//
// Measured on two cores of an AMD EPYC, Linux 6.18: opening, one write to each
// page, closing, and retiring blocks, in µs.
//
//	                                     4 KiB  64 KiB  1 MiB
//	mprotect, mmap of PROT_NONE            7.8      32    374
//	mprotect, mprotect                     7.4      31    381  keeps dead memory
//	mprotect, MADV_DONTNEED, mprotect      8.5      31    392
//	guard pages (Linux 6.13)               4.6      29    396
//	userfaultfd with SIGBUS                4.2      34    459
//
// On Linux the choice is the first: the others are no faster, or not everywhere. Other
// systems use mprotect alone.
//
// # Limits
//
// The number of live mappings is bounded, and so is the number of the system's
// mappings that blocks may use: a Linux kernel refuses to make more than
// vm.max_map_count, and the Go runtime does not survive that. The methods limits and
// systemMaps of each kind of memory have the figures. Requests beyond them are
// refused and counted.
//
// A system call that is given freed memory does not fault. It fails with EFAULT.
//
// The race detector and the sanitizers do not know this memory. There is none in
// their builds, with the tag octet_purego, and on systems without the necessary
// calls: [Start] says why.
package guard
