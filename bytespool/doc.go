// Package bytespool pools byte slices: a program that needs many of them, each for
// a short time, reuses memory instead of allocating it.
//
//	b := bytespool.New(1024) // len 1024, cap 1024, old bytes in it
//	n, err := r.Read(b)
//	…
//	bytespool.Release(b) // b must not be used any more
//
// Most programs need no more than [New], [Make], which returns length 0 and room to
// append, [Append] and [Release].
//
// The functions of the package use the [Default] pool, which serves sizes up
// to 64 MiB; [NewPool] makes others, with other bounds, a name, a limit on
// the bytes in use, a budget of idle bytes, or clearing. [BufPool] hands out slices of
// one length, as [net/http/httputil.ReverseProxy] wants them. [PointerPool] is a pool
// of buffers for grpc-go, and [Allocator] allocates for arrow-go. Package
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
// Package [github.com/octet-go/octet/pooltest] finds breaches of these rules in
// tests, and package [github.com/octet-go/octet/checked] in any program, without
// a rebuild: set OCTETDEBUG=check=full in its environment.
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
// large enough, so that a slice has at most twice the capacity asked for, or with
// [WithSteps] at most 1.5 or 1.25 times as much; with [WithExactMax] the largest class has
// exactly the largest size. A request that finds nothing idle in its class gets the smallest
// idle slice that is large enough: so slices that were taken small, and released large because the
// program appends to them, serve requests for small ones. Requests above the largest size are allocated, with
// exactly the capacity asked for.
//
// # Memory
//
// A slice that nobody takes between two collections goes back to the collector, as from a
// sync.Pool, unless it was in use within the last second ([WithRetain]) and all pools
// together hold little for that ([github.com/octet-go/octet/bytespool/stats.Pressure]). Of slices that come from elsewhere a pool
// keeps few. [WithIdleBudget] bounds the idle bytes at any time, and [Pool.Trim]
// gives all of it back at once. Near the memory limit of a program (GOMEMLIMIT) nothing is
// retained. A pool that is no longer referred to is collected with all that it keeps.
// [Pool.Stats] counts the bytes kept and those dropped, by reason; [Pools] has all
// pools of the program. docs/MEMORY.md in the repository has this on one page, with figures.
//
// # Limits
//
// A program that must not take more than it can hold gives its pools a limit on the
// bytes in use, and asks before it takes:
//
//	p := bytespool.NewPool(512, 1<<20, bytespool.WithLimit(256<<20))
//	b, err := p.TryNew(n)        // ErrLimit at the limit
//	b, err := p.Acquire(ctx, n)  // waits until ctx ends
//	r, err := p.TryReserve(n, m) // ErrLimit; else room for r.New(n) and r.New(m) is set aside
//
// New and the other functions that cannot fail succeed at the limit too, and count.
// See [WithLimit] for the bytes that count and the requests that are rejected, and
// [Pool.Stats] for their numbers. Memory that the program allocates elsewhere, or that
// the pools keep idle, is not in the limit: leave room for both below GOMEMLIMIT.
//
// # Cost
//
// A New and its Release take about as long as Get and Put of a [sync.Pool] of
// pointers to slices of one size, with one goroutine and with many, and allocate
// nothing. That includes the counting for [Pool.Stats]. The file
// docs/EVIDENCE.md of the module has measurements.
//
// # When not to pool
//
// A slice of a constant size, up to 64 KiB, that does not outlive the function that
// makes it is on the stack and costs nothing. One that does outlive it takes longer
// to make than to get from a pool, even with 16 bytes; but it must be released
// once, and where its last user is hard to tell, the collector is the better choice.
// For slices of a single size in one place a sync.Pool of *[]byte does as well, if
// you can keep the pointer, and if it does no harm that two collections empty it.
package bytespool

// # Map
//
//	pools.go         Pool, its methods, and the list of all pools
//	default.go       the default pool, and the functions that use it
//	option.go        options of NewPool and NewBufPool
//	pointerpool.go   PointerPool, slices by pointer
//	allocator.go     Allocator, aligned and cleared
//	header_*.go      what a header does not show: unsafe, or its portable twin
//	limit.go         limits on memory in use: TryNew, Acquire, reservations
//	bufpool.go       BufPool: slices of one length
//	stats.go         Stats
//	doc.go           the package documentation
