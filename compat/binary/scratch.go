package binary

// A scratch is heap memory for the arguments of Writers and Readers that are not called
// statically. They may pass it to another goroutine, so it must not be on a stack.
//
// WriteChains and Readers may be copied, and the copy used while the original is in
// use. Therefore each refers to its scratch through a scratchRef, which is valid only at
// its own address; a copy gets another scratch. The files scratch_addr.go and
// scratch_self.go determine the address in two ways.
type scratch struct {
	field [fieldMax]byte
	long  []byte // for strings; see room
	busy  bool   // between acquire and release
}

const (
	// fieldMax is the size of the largest field that is passed on at once.
	fieldMax = 8

	// keep bounds the memory that a scratch keeps, so that one large string does not
	// hold memory forever. Anything larger is allocated each time.
	keep = 64 << 10
)

// room returns n bytes with arbitrary content.
func (s *scratch) room(n int) []byte {
	if n > keep {
		return make([]byte, n)
	}
	if n > cap(s.long) {
		s.long = make([]byte, max(n, min(2*cap(s.long), keep)))
	}
	return s.long[:n]
}
