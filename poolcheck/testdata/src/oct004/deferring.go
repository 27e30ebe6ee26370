package oct004

import (
	"io"
	"sync"
)

var parts = sync.Pool{New: func() any { p := make([]byte, 1<<16); return &p }}

// ok: what the rounds have read goes back in the end.
func readParts(r io.ReaderAt, n int, emit func([]byte)) {
	for i := range n {
		p := *parts.Get().(*[]byte)
		p = p[:cap(p)]
		defer parts.Put(&p)
		if _, err := r.ReadAt(p, int64(i)<<16); err != nil {
			continue
		}
		emit(p)
	}
}
