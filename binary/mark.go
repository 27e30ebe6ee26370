package binary

import (
	"math"
	"math/rand/v2"
)

// A Mark remembers an offset in the output or input: where a span begins whose length
// precedes it, or where the bytes of a checksum begin. A Begin method sets it for one
// call of End, and the Mark of a decoder for one call of Since. Only the encoder or
// decoder that set a mark can use it, and only until its next Reset. Other uses panic,
// except that Appenders and Decoders do not recognize the marks of others of their
// type. The zero value is a mark that is not set.
type Mark struct {
	at    int64  // where the content begins
	outer int64  // in decoders: where the enclosing span ends; otherwise see Plus
	owner uint32 // who set the mark
	kind  kind
}

// A kind says what a mark was set for.
type kind uint8

const (
	unmarked kind = iota
	counted       // Plus
	place         // Mark
	prefix8       // a Begin method; the name says what precedes the content
	prefix16
	prefix24
	prefix32
	prefixVarint
	bound // a Begin method of a decoder, which has read the length
)

// Plus is for lengths that count more than the content of the span, or less: the Begin
// method that gets m next, and its End, write or expect a length that is larger by n.
// Plus clears m and returns it.
//
//	b.Begin32(m.Plus(4))                // a length that counts itself
//	b.Begin32(m.Plus(-4)).String(kind)  // a length that does not count the kind behind it
//
// If the length would be negative or does not fit, End fails, or panics, with
// [ErrOverflow]. A decoder fails if the length that it reads is less than n.
func (m *Mark) Plus(n int) *Mark {
	t := Mark{outer: int64(n), kind: counted}
	if m.holds() {
		t.at, t.owner = m.at, m.owner // the Begin method lets go of the bytes
	}
	*m = t
	return m
}

// holds reports whether a StreamDecoder that set m, if one did, keeps the bytes from at on.
func (m *Mark) holds() bool {
	return m.kind == place || m.kind == counted && m.owner >= aStream
}

// extra returns by how much the length of the next span exceeds its content.
func (m *Mark) extra() int64 {
	if m.kind == counted {
		return m.outer
	}
	return 0
}

// without returns n - extra. It reports whether that is not too large for an int64.
func without(n uint64, extra int64) (content int64, ok bool) {
	content = int64(n) - extra
	return content, n <= math.MaxInt64 && (extra >= 0 || content >= 0)
}

// Owners of marks. Appenders and Decoders are values that are copied all the time, so
// they have no identity. A stream has a random number from Reset to Reset; two streams
// have the same number with a probability of 2^-31.
const (
	anAppender uint32 = iota
	aDecoder
	aStream // or any larger number
)

func newOwner() uint32 { return rand.Uint32() | aStream }

// close returns the mark of a span and clears it, so that a second End panics.
func (m *Mark) close(owner uint32) Mark {
	t := *m
	if t.owner != owner || t.kind <= place {
		panic(t.misuse("End", owner))
	}
	*m = Mark{}
	return t
}

// since is close for a mark that Mark set. It returns the offset.
func (m *Mark) since(owner uint32) int64 {
	t := *m
	if t.owner != owner || t.kind != place {
		panic(t.misuse("Since", owner))
	}
	*m = Mark{}
	return t.at
}

// misuse says why a method cannot use t.
func (t Mark) misuse(method string, owner uint32) string {
	why := " of a mark that a Begin set, not Mark"
	switch {
	case t.kind <= counted:
		why = " of a mark that is not set"
	case t.owner != owner:
		why = " of a mark that another encoder or decoder set, or this one before its Reset"
	case t.kind == place:
		why = " of a mark that Mark set, not a Begin"
	}
	return "binary: " + method + why
}
