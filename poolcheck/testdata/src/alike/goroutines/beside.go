package goroutines

import (
	"io"
	"sync"
	"sync/atomic"
	"time"
)

var boxes = sync.Pool{New: func() any { b := make([]byte, 4096); return &b }}

func getBoxed() []byte  { return *boxes.Get().(*[]byte) }
func putBoxed(b []byte) { boxes.Put(&b) }

// A sheet goes back with its last reference.
type sheet struct {
	refs int32
	data []byte
}

func newSheet() *sheet { return &sheet{refs: 1, data: getBoxed()} }

func (p *sheet) release() {
	if atomic.AddInt32(&p.refs, -1) == 0 {
		putBoxed(p.data)
		p.data = nil
	}
}

func beside(f func(), timeout time.Duration) bool {
	done := make(chan struct{}, 1)
	t := time.NewTimer(timeout)
	defer t.Stop()
	go func() {
		f()
		close(done)
	}()
	select {
	case <-done:
		return true
	case <-t.C:
		return false
	}
}

// ok: the goroutine has a reference of its own.
func sheetShared(w io.Writer) {
	p := newSheet()
	atomic.AddInt32(&p.refs, 1)
	beside(func() {
		defer p.release()
		w.Write(p.data)
	}, time.Second)
	p.release()
}

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

type job struct {
	refs atomic.Int32
	data []byte
}

var jobs = sync.Pool{New: func() any { return new(job) }}

func (j *job) release() {
	if j.refs.Add(-1) == 0 {
		j.data = j.data[:0]
		jobs.Put(j)
	}
}

// ok: each goroutine has a reference, and nobody knows how many there are.
func jobShared(results chan []byte, ticks <-chan int) {
	j := jobs.Get().(*job)
	j.refs.Store(1)
	for range ticks {
		j.refs.Add(1)
		go func() {
			results <- append([]byte(nil), j.data...)
			j.release()
		}()
	}
	j.release()
}
