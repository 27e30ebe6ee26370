package binary

import "math/rand/v2"

// A Mark remembers a place in what is being written or read: the beginning of a
// span that has its length in front, or of bytes that are summed. A Begin method
// sets it and End uses it, or Mark sets it and CRC32C or Since uses it. It is good
// for the encoder or decoder that set it alone, and until that one's next Reset; the
// streams and, as far as they can tell, the others panic otherwise. The zero value
// is a mark that is not set.
type Mark struct {
	at    int64  // where the content begins
	outer int64  // reading: where the input ends once this span is closed, or the checksum
	owner uint32 // who set it
	kind  kind
}

// A kind says what End does for a mark.
type kind uint8

const (
	unmarked kind = iota
	place         // nothing: the mark is only a place
	prefix8       // the length goes in front of the content
	prefix16
	prefix24
	prefix32
	prefixVarint
	prefixCRC // the checksum goes in front
	bound     // reading: the span ends here
)

// Owners of marks. Appenders and Decoders are values that are copied with every
// call, and cannot be told apart. A stream has a number of its own until its next
// Reset.
const (
	anAppender uint32 = iota
	aDecoder
	aStream // or more
)

// newOwner returns the number of a stream. One in 2^31 has that of another.
func newOwner() uint32 { return rand.Uint32() | aStream }

// close returns the mark of a span and clears it, so that what is closed twice, or
// never was open, is found.
func (m *Mark) close(owner uint32) Mark {
	t := *m
	if t.owner != owner || t.kind <= place {
		panic(t.misuse("End", owner))
	}
	*m = Mark{}
	return t
}

// since is close for a mark that is a place.
func (m *Mark) since(method string, owner uint32) int64 {
	t := *m
	if t.owner != owner || t.kind != place {
		panic(t.misuse(method, owner))
	}
	*m = Mark{}
	return t.at
}

// misuse says why a method cannot use t.
func (t Mark) misuse(method string, owner uint32) string {
	why := " of a mark that a Begin set, not Mark"
	switch {
	case t.kind == unmarked:
		why = " of a mark that is not set"
	case t.owner != owner:
		why = " of a mark that another encoder or decoder set, or this one before its Reset"
	case t.kind == place:
		why = " of a mark that Mark set, not a Begin"
	}
	return "binary: " + method + why
}
