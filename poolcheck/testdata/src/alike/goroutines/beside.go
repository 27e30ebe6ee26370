package goroutines

import (
	"io"
	"sync"
)

var boxes = sync.Pool{New: func() any { b := make([]byte, 4096); return &b }}

func getBoxed() []byte  { return *boxes.Get().(*[]byte) }
func putBoxed(b []byte) { boxes.Put(&b) }

// A leaf counts its references under a lock.
type leaf struct {
	mu   sync.Mutex
	refs int
	data []byte
}

func (l *leaf) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refs--
	if l.refs == 0 {
		putBoxed(l.data)
	}
}

// ok: so has it here, and no atomic counts them.
func leafShared(w io.Writer) {
	l := &leaf{refs: 2, data: getBoxed()}
	go func() {
		defer l.release()
		w.Write(l.data)
	}()
	l.release()
}
