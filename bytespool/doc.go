// Package bytespool lends byte slices and takes them back, so that a program
// that needs many for a moment each does not allocate them anew.
//
//	b := bytespool.New(1024) // len 1024, cap 1024, old bytes in it
//	n, err := r.Read(b)
//	…
//	bytespool.Release(b) // from here on b is somebody else's
//
// The functions of the package use [DefaultCapacityPools], which serves sizes up
// to 4 MiB; [NewCapacityPools] makes pools with other bounds, a name, a budget
// of idle bytes, or clearing. [BufPool] hands out slices of one length, as
// [net/http/httputil.ReverseProxy] wants them. [PointerPool] is a pool of buffers for
// grpc-go, and [Allocator] allocates for arrow-go. Package
// [github.com/octet-go/octet/bytespool/buffer] has a growable buffer on top.
//
// # Ownership
//
// A slice that New, Make and their relatives return belongs to the caller until
// it is released. After that it must not be read, written or released again, and
// neither must anything that shares its memory: sub-slices, strings made with
// package unsafe, readers over it. Slices need not be released; the collector
// takes those that are not. A slice that did not come from a pool may be
// released into one if nobody else uses its memory.
//
// What breaks these rules is found by package
// [github.com/octet-go/octet/checked] while a program runs, without a rebuild:
// OCTETDEBUG=check=full, and by [github.com/octet-go/octet/pooltest] in tests.
//
// # Contents
//
// A slice may hold bytes that earlier owners left in it. Only what the caller
// wrote has meaning: whoever sends, hashes or compares more shows old data. A
// pool with [WithClear] clears.
//
// # Sizes
//
// All sizes are in bytes. A pool has a class for each power of two from its
// smallest to its largest size; a request takes the smallest class that is
// large enough, so that a slice has at most twice the capacity asked for.
// Requests above the largest size are allocated, with exactly the capacity asked
// for.
//
// # Memory
//
// What is released and not used again goes back to the collector after two
// collections; [CapacityPools.Trim] gives it back at once, and [WithIdleBudget]
// bounds it at any time. A pool that is no longer referred to is collected with
// all that it keeps.
//
// # Cost
//
// A New and its Release take about as long as a Get and Put of a [sync.Pool] of
// pointers to slices of one size, in a program with one goroutine and in one with
// many, and they allocate nothing. Counting is included: see
// [CapacityPools.Stats].
//
// # When not to pool
//
// Slices below 64 bytes or so are as cheap to make. A slice that does not outlive
// the function that makes it, of a size that the compiler knows, is on the stack
// and costs nothing. For slices of a single size in one place a sync.Pool of
// *[]byte does as well, if you can keep the pointer.
package bytespool
