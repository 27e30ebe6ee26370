package oct004

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"
	"sync"
)

const (
	smallArray = 1 << 10
	largeArray = 1 << 16
)

var (
	smallArrays = &sync.Pool{New: func() any { return new([smallArray]byte) }}
	largeArrays = &sync.Pool{New: func() any { return new([largeArray]byte) }}
)

func arrayFor(n int) []byte {
	switch {
	case n <= smallArray:
		return smallArrays.Get().(*[smallArray]byte)[:0]
	case n <= largeArray:
		return largeArrays.Get().(*[largeArray]byte)[:0]
	}
	return make([]byte, 0, n)
}

func arrayBack(b []byte) {
	switch cap(b) {
	case smallArray:
		smallArrays.Put((*[smallArray]byte)(b[:smallArray]))
	case largeArray:
		largeArrays.Put((*[largeArray]byte)(b[:largeArray]))
	}
}

// ok: the slice of an array is the caller's to put back.
func readArray(f *os.File, n int) ([]byte, error) {
	b := arrayFor(n)
	m, err := io.ReadFull(f, b[:n])
	if err != nil {
		arrayBack(b)
		return nil, err
	}
	return b[:m], nil
}

// A note has text of its own.
type note struct {
	kind byte
	text []byte
}

var notes = sync.Pool{New: func() any { return new(note) }}

func (n *note) release() {
	n.text = n.text[:0]
	notes.Put(n)
}

// bad: the length that cannot be read loses the note.
func readNote(r *bufio.Reader) (*note, error) {
	n := notes.Get().(*note) // want "OCT004: n is not released on every path"
	kind, err := r.ReadByte()
	if err != nil {
		n.release()
		return nil, err
	}
	size, err := binary.ReadUvarint(r)
	if err != nil {
		return nil, err
	}
	n.kind, n.text = kind, append(n.text[:0], make([]byte, size)...)
	if _, err := io.ReadFull(r, n.text); err != nil {
		n.release()
		return nil, err
	}
	return n, nil
}

// bad: what was read is lost where reading goes well; where it fails, that is
// readNote's fault.
func skipNote(r *bufio.Reader) error {
	_, err := readNote(r) // want "OCT004: pooled memory is not released on every path"
	return err
}
