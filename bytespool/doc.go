// Package bytespool pools byte slices: a program that needs many of them, each for
// a short time, reuses memory instead of allocating it.
//
//	b := bytespool.New(1024) // len 1024, cap 1024, old bytes in it
//	n, err := r.Read(b)
//	…
//	bytespool.Release(b) // b must not be used any more
//
// The functions of the package use [DefaultCapacityPools], which serves sizes up
// to 4 MiB; [NewCapacityPools] makes pools with other bounds, a name, a budget
// of idle bytes, or clearing. [BufPool] hands out slices of one length, as
// [net/http/httputil.ReverseProxy] wants them. Package
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
// Package [github.com/octet-go/octet/pooltest] finds what breaks these rules in
// tests, and package [github.com/octet-go/octet/checked] in any program, which
// need not be rebuilt: set OCTETDEBUG=check=full in its environment.
//
// # Contents
//
// A slice may hold bytes that earlier owners left in it. A caller that sends,
// hashes or compares more than it has written uses that old data. Pools with
// [WithClear] clear it.
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
// A New and its Release take about as long as Get and Put of a [sync.Pool] of
// pointers to slices of one size, with one goroutine and with many, and allocate
// nothing. That includes the counting for [CapacityPools.Stats]. The file
// docs/FIGURES.md of the module has measurements.
//
// # When not to pool
//
// A slice of a constant size, up to 64 KiB, that does not outlive the function that
// makes it is on the stack and costs nothing. One that does outlive it takes longer
// to make than to get from a pool, even with 16 bytes; but somebody must release
// it, once, and where it is hard to say who, the collector is the better choice.
// For slices of a single size in one place a sync.Pool of *[]byte does as well, if
// you can keep the pointer.
package bytespool

// # Map
//
//	pools.go         CapacityPools, its methods, and the list of all pools
//	default.go       the default pools, and the functions that use them
//	option.go        options of NewCapacityPools and NewBufPool
//	bufpool.go       BufPool: slices of one length
//	stats.go         Stats
//	runtimestats.go  the RuntimeStats family, for programs written for the earlier package
//	doc.go           the package documentation
