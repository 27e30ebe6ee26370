package binary

// A scratch is heap memory for what Writers and Readers get to see about which
// nothing is known: they may give it to another goroutine, so that it must not
// lie on a stack.
//
// Chains and Readers may be copied, and a copy may be used while the original
// is. So each holds its scratch by a scratchRef, which is good at its own address
// only: a copy gets a scratch of its own. exact_scratch_addr.go and exact_scratch_self.go
// have two ways to know the address.
type scratch struct {
	field [fieldMax]byte
	long  []byte // strings and pieces of slices; see grow
	busy  bool   // between acquire and release
}

const (
	// fieldMax is the room for a field: a varint takes up to 10 bytes.
	fieldMax = 16

	// piece bounds how much of a slice is converted at once where that must
	// happen outside of its own memory, so that both stay in a first-level cache.
	piece = 8 << 10

	// keep bounds the memory that a scratch holds on to, lest one large string
	// be paid for ever. What is larger is allocated each time.
	keep = 64 << 10
)

// room returns n bytes that hold old content.
func (s *scratch) room(n int) []byte {
	if n > keep {
		return make([]byte, n)
	}
	if n > cap(s.long) {
		s.long = make([]byte, max(n, min(2*cap(s.long), keep)))
	}
	return s.long[:n]
}
