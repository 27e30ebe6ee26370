// Package buffer provides a growable byte buffer whose memory comes from the
// pools of package [github.com/octet-go/octet/bytespool] and goes back there, and
// which may have several owners.
//
//	b := buffer.Get()
//	defer b.Release()
//	fmt.Fprintf(b, "%d items", n)
//	b.WriteTo(w)
//
// [Get] returns an empty Buffer, and [Make] one with room for a size that is known.
// [Buffer.Release] ends its use. A [Pool] hands out Buffers for one purpose.
//
// # Ownership
//
// A Buffer belongs to the caller that got it until it is released. After that,
// neither the Buffer nor anything that shows its memory may be used: B, the results of
// Bytes, Next and Peek, and readers of these. A Buffer that is never released goes
// to the collector. Package [github.com/octet-go/octet/pooltest] finds breaches of these
// rules in tests, and package [github.com/octet-go/octet/checked] in any program.
//
// A Buffer may have several owners: [Buffer.RefInc] adds a reference for another
// one, and each of them calls [Buffer.Release] once. [Buffer.Share] returns another
// Buffer with the same content, and [Buffer.Body] an [io.ReadCloser] for a request of
// net/http. The last release
// returns the memory to the pool. If a Buffer has other references when it outgrows
// its array, the old array goes to the collector, because others may still read it.
//
// # Writing and reading
//
// B is the content, from its first byte to its last. Writing appends to B.
// Reading does not change B: it moves a read offset, 0 at first. All methods
// except Cap and Available work on the bytes from that offset on, the unread ones, as
// those of [bytes.Buffer] do. In a program that never reads, these are all of B.
// Reset drops the whole content. A write that finds no room drops
// the bytes read and moves the rest to another array, so a Buffer that is written and
// read in turn does not grow for ever. Programs that read must empty the Buffer by
// Reset: b.B = b.B[:0] leaves the read offset where it is.
//
// WriteTo differs from that of a bytes.Buffer: it does not count as reading, so a second
// one writes the same again. Cap counts all of B. The file docs/MIGRATION.md of the module
// has the rest.
//
// # Concurrency
//
// A Buffer without other references may be used by one goroutine at a time. If
// there are references, any number of goroutines may read it, except by the
// methods that move the read offset. One of them may append to it. Meanwhile the
// others must not use B or the methods, but only slices, bodies and shares that
// they got from the Buffer before. RefInc and Release may be called from any goroutine
// at any time.
//
// # Cost
//
// Getting, writing and releasing a Buffer takes about as long as with a
// [bytes.Buffer] from a [sync.Pool], and allocates nothing: an idle Buffer keeps
// its array. Get returns one as large as the last that was released, or the smallest that is idle. Writes that
// fit are inlined. The file docs/EVIDENCE.md of the module has measurements.
package buffer

// # Map
//
//	buffer.go   Buffer, and the methods that look at it or shorten it
//	get.go      Get, Make and all that return a Buffer
//	release.go  Release, and the way back to the pool
//	refs.go     refCount: who owns a Buffer
//	tenure.go   tenure: who owns the array that a Buffer shows
//	write.go    writing where there is room
//	grow.go     writing where there is none
//	read.go     reading, which moves the read offset
//	stream.go   ReadFrom and WriteTo
//	share.go    Share, Detach and RefInc
//	body.go     Body, for code that closes what it reads
//	earlier.go  what compat/bytespool/buffer needs and programs do not
//	pools.go    which pools the package uses
//	pool.go     Pool, for Buffers of one purpose
//	checked.go  tracked Buffers, in checked modes
//	doc.go      the package documentation
