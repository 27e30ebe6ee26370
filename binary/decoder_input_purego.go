//go:build octet_purego

package binary

// An input is the memory that a Decoder reads: a slice, which checks the bounds of
// every access again.
type input struct{ b []byte }

func newInput(b []byte) input { return input{b} }

func (in input) at(i uint64) byte      { return in.b[i] }
func (in input) at2(i uint64) *[2]byte { return (*[2]byte)(in.b[i:]) }
func (in input) at4(i uint64) *[4]byte { return (*[4]byte)(in.b[i:]) }
func (in input) at8(i uint64) *[8]byte { return (*[8]byte)(in.b[i:]) }

// bytes returns the first n bytes.
func (in input) bytes(n uint64) []byte { return in.b[:n:n] }

// unlink returns e. The compiler sees it, so the input of a Decoder whose Err is called
// is on the heap.
func unlink(e *Error) *Error { return e }
