package oct001

import (
	"sync"

	"github.com/octet-go/octet/bytespool"
)

// A window is a growing slice of pooled bytes.
type window struct{ buf []byte }

// bad: it is stored behind its release.
func (w *window) fill(p []byte) {
	buf := bytespool.New(len(p))
	copy(buf, p)
	bytespool.Release(buf)
	w.buf = buf // want "OCT001: buf is used after its release"
}

// ok: and something else right after that.
func (w *window) refill(p []byte) {
	buf := bytespool.New(len(p))
	copy(buf, p)
	bytespool.Release(buf)
	w.buf = buf
	w.buf = nil
}

// A section of a queue has slots, which go back before the section does not lead to
// the next one any more.
type section struct {
	slots [][]byte
	once  sync.Once
	next  *section
}

type sections struct {
	head *section
	at   int
	free sync.Pool
}

func (q *sections) after(s *section) *section {
	s.once.Do(func() { s.next = &section{slots: make([][]byte, 32)} })
	return s.next
}

// ok: the address of a field goes back, and other fields are used.
func (q *sections) take() []byte {
	b := q.head.slots[q.at]
	if q.at++; q.at == 32 {
		q.at = 0
		q.free.Put(&q.head.slots)
		q.head = q.after(q.head)
	}
	return b
}
