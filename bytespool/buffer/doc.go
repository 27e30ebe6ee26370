// Package buffer provides a growable byte buffer whose memory comes from the
// pools of package [github.com/octet-go/octet/bytespool] and goes back there, and
// which may have several owners.
//
//	b := buffer.Get()
//	defer b.Release()
//	fmt.Fprintf(b, "%d items", n)
//	b.WriteTo(w)
//
// # Ownership
//
// A Buffer belongs to whoever got it until it is released, and then neither it
// nor anything that shows its memory (B, what Bytes, Next and Peek returned,
// UnsafeString, readers) may be used. Buffers need not be released; the collector
// takes those that are not. Package [github.com/octet-go/octet/checked] finds what
// breaks these rules.
//
// Others may be given a reference each: [Buffer.RefInc] adds one, and everybody
// calls [Buffer.Release] once. [Buffer.GetReader] adds one for a reader, and
// [Buffer.Share] returns another Buffer with the same content. The last release
// puts all back. While a Buffer has several references its arrays stay: what it
// outgrows is released with it.
//
// # Writing and reading
//
// B is the content, from its first byte to its last. Writing appends to B.
// Reading does not change B: it moves a mark that is 0 at first, and the methods
// other than Cap and Available speak of what lies behind the mark, as those of
// [bytes.Buffer] do. So for a program that never reads they speak of all of B,
// and one that reads finds what it read at the beginning of B. Two things drop
// what was read: Reset, Set and their like, which drop all, and a write that
// finds no room, which moves the rest to another array, so that a Buffer that is
// written and read in turn does not grow for ever. A program that empties B by
// hand, b.B = b.B[:0], leaves the mark where it is: one that reads calls Reset.
//
// This is what differs from a bytes.Buffer: WriteTo does not count as reading,
// so that it may be repeated; Grow lengthens the content, and it is Guarantee
// that only makes room; Cap counts all of B.
//
// A Buffer without other references may be used by one goroutine at a time. With
// references, any number of goroutines may read it, but not by the methods that
// move the mark. If one of them writes, beyond the content that others were
// shown, the others must not use B and the methods meanwhile, but only what they
// had from the Buffer before: slices, readers and shares. The count may be used
// from anywhere at any time, and so may Release and PutReader.
//
// # Cost
//
// Getting and releasing a Buffer is cheaper than with a [sync.Pool], and
// allocates nothing: an idle Buffer keeps its array, and each processor has one
// at hand. What is kept, and for how long, is decided by use: see Get. Writes
// that fit are inlined. Several Buffers at once on a processor cost a little more
// than one after the other.
package buffer
