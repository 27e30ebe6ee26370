// Package guard hands out slices in memory mappings of their own. Freed memory
// becomes inaccessible for good, so that the very instruction that reads or
// writes it later faults, and so does one that runs past the end of a slice.
// When such a fault ends the program, a second process, the reporter, says who
// acquired and who freed the memory.
//
// # Map
//
//	doc.go         this map, and how it works
//	guard.go       the functions that others call
//	arena.go       which addresses are in use: blocks, cut into mappings
//	ranges.go      a set of addresses that is asked without a lock
//	memory_*.go    what the operating system is asked to do with them
//	protect_*.go   one call of those, where package syscall lacks it
//	table.go       who acquired and freed what, in memory that survives the program
//	reporter.go    starts the reporter
//	pipe_*.go      what the runtime prints into, word by word where that is possible
//	crash.go       is the reporter: reads the crash text, looks into the table
//	inherited_*.go closes files that the reporter should not have
//	unsupported.go the same functions where there is no guarded memory
//
// # Addresses
//
// A mapping is the pages that a slice needs, and an inaccessible page behind
// them. The slice ends where its last page ends, so that not even one byte past
// it can be touched; what lies between the start of its first page and the slice
// is accessible. A slice is aligned as well as its length is.
//
// Mappings are cut from blocks, one behind the other, and no address is handed
// out twice. A block is what one page of page-table entries covers, 2 MiB on most
// machines: freed memory still costs 8 bytes of page table per page, until its
// block is retired as a whole, which is when the arena has cut all of it and
// nothing in it lives. A slice that would fill more than half of a block has one
// of its own, as large as it takes.
//
// On 64-bit Linux address space is reserved in spaces of 8 GiB to 1 TiB, and none
// of it is given back: 2^47 bytes are enough for 17 billion slices of 4,096 bytes. On
// 32-bit Linux, s390x and other systems a block is a chunk of 256 KiB that the
// system maps wherever it likes, and unmaps some time after it was retired. From
// then on the system may use these addresses for something else, another block
// too, and an access to what was there is not found: see chunks.
//
// # How memory is opened and closed
//
// Measured on two cores of an AMD EPYC, Linux 6.18: opening, one write to each
// page, closing, and retiring blocks, in µs.
//
//	                                     4 KiB  64 KiB  1 MiB
//	guard pages (Linux 6.13)               4.6      29    396
//	mprotect, mmap of PROT_NONE            7.8      32    374
//	mprotect, mprotect                     7.4      31    381  keeps dead memory
//	mmap, mmap of PROT_NONE                8.6      32    372
//	mprotect, MADV_DONTNEED, mprotect      8.5      31    392
//	userfaultfd with SIGBUS                4.2      34    459
//
// All in, with the stacks and the table, Alloc and Free of 4 KiB take 5.4 to 6.9
// µs. After 10 million of them page tables have grown by 84 KiB, and by 108 KiB
// without guard pages: go test -run PageTables -operations 10000000.
//
// Linux uses guard pages (MADV_GUARD_INSTALL), which live in the page table
// alone: unlike everything else except userfaultfd they do not split a mapping of
// the kernel, whose number is limited, and unlike userfaultfd they need no
// privilege. Kernels without them, and slices with blocks of their own, get
// mprotect and mmap. Other systems get mprotect alone.
//
// # Limits
//
// The number of live mappings is bounded, and so is the number of the system's
// mappings that blocks may take: a Linux kernel that is asked for more than
// vm.max_map_count refuses, and the Go runtime does not survive that. The methods
// limits and systemMaps of each kind of memory have the figures. What goes beyond
// them is refused and counted.
//
// A system call that is given freed memory does not fault. It fails with EFAULT.
//
// The race detector and the sanitizers do not know this memory; in their builds,
// with the tag octet_purego, and on systems without the calls it needs, there is
// none: [Supported] says why.
package guard
