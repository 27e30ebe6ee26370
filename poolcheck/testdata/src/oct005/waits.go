package oct005

import (
	"io"
	"sync"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/compat/bytespool/buffer"
)

// ok: a WaitGroup, waited for by a deferred call that runs first.
func waitDeferred(w io.Writer) {
	var wg sync.WaitGroup
	b := bytespool.New(64)
	defer bytespool.Release(b)
	defer wg.Wait()
	wg.Go(func() { w.Write(b) })
}

// ok: a mutex that the goroutine has until it is done.
func mutex(mu *sync.Mutex, out chan<- []byte) {
	b := bytespool.New(64)
	out <- b
	mu.Lock()
	mu.Unlock()
	bytespool.Release(b)
}

type worker struct {
	in   chan []byte
	done chan bool
}

// flush waits for the worker.
func (w *worker) flush() { <-w.done }

// ok: a method that waits.
func method(w *worker) {
	b := bytespool.New(64)
	w.in <- b
	w.flush()
	bytespool.Release(b)
}

// deep waits by another.
func (w *worker) deep() { w.flush() }

// ok: a method that calls one that waits.
func methodDeep(w *worker) {
	b := bytespool.New(64)
	w.in <- b
	w.deep()
	bytespool.Release(b)
}

// ok: a second send to a channel without a buffer waits until the receiver comes back.
func barrier(out chan []byte) {
	b := bytespool.New(64)
	out <- b
	out <- nil
	bytespool.Release(b)
}

// ok: the goroutine has a reference of its own.
func reference(out chan<- *buffer.Buffer) {
	buf := buffer.NewString("tick")
	buf.RefInc()
	out <- buf
	buf.Release()
}

// ok: the goroutine captures it, and asks for its length alone.
func lengthAsked(done chan<- bool) {
	b := bytespool.New(64)
	go func() { done <- len(b) > 8 }()
	bytespool.Release(b)
}

// ok: the way without an answer is one on which nobody reads.
func sometimesAnswered(out chan<- []byte, done <-chan bool, quiet bool) {
	b := bytespool.New(64)
	if out <- b; quiet {
		use(nil)
	} else {
		<-done
	}
	bytespool.Release(b)
}

// ok: the same, the other way round.
func answeredUnlessQuiet(out chan<- []byte, done <-chan bool, loud bool) {
	b := bytespool.New(64)
	if out <- b; loud {
		<-done
	} else {
		use(nil)
	}
	bytespool.Release(b)
}

// ok: a number says who releases.
func ownerByMode(out chan<- []byte, mode int) {
	b := bytespool.New(64)
	if mode == 1000 {
		out <- b
	}
	if mode != 1000 {
		bytespool.Release(b)
	}
}

type task struct{ sent bool }

// ok: a flag of the receiver says who releases.
func (t *task) runHere(out chan<- []byte, fail func() bool) {
	b := bytespool.New(64)
	defer func() {
		if t.done() {
			bytespool.Release(b)
		}
	}()
	out <- b
}

func (t *task) done() bool { return !t.sent }
