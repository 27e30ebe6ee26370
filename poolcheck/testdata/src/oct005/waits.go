package oct005

import (
	"io"
	"sync"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/compat/bytespool/buffer"
)

// ok: a WaitGroup.
func waitGroup(w io.Writer) {
	var wg sync.WaitGroup
	b := bytespool.New(64)
	wg.Add(1)
	go func() {
		defer wg.Done()
		w.Write(b)
	}()
	wg.Wait()
	bytespool.Release(b)
}

// ok: a WaitGroup, waited for by a deferred call that runs first.
func waitDeferred(w io.Writer) {
	var wg sync.WaitGroup
	b := bytespool.New(64)
	defer bytespool.Release(b)
	defer wg.Wait()
	wg.Go(func() { w.Write(b) })
}

// ok: an answer is received.
func answer(out chan<- []byte, done <-chan bool) {
	b := bytespool.New(64)
	out <- b
	<-done
	bytespool.Release(b)
}

// ok: answers until the channel is closed.
func drained(out chan<- []byte, answers <-chan int) (n int) {
	b := bytespool.New(64)
	defer bytespool.Release(b)
	out <- b
	for k := range answers {
		n += k
	}
	return n
}

// ok: a mutex that the goroutine has until it is done.
func mutex(mu *sync.Mutex, out chan<- []byte) {
	b := bytespool.New(64)
	out <- b
	mu.Lock()
	mu.Unlock()
	bytespool.Release(b)
}

// ok: a condition.
func condition(c *sync.Cond, out chan<- []byte) {
	b := bytespool.New(64)
	out <- b
	c.L.Lock()
	c.Wait()
	c.L.Unlock()
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

// ok: it was not sent.
func notSent(out chan<- []byte) {
	b := bytespool.New(64)
	select {
	case out <- b:
	default:
		bytespool.Release(b)
	}
}

// ok: the receiver releases, or nobody received.
func sentOrNot(out chan<- []byte, end <-chan bool) bool {
	b := bytespool.New(64)
	select {
	case out <- b:
		return true
	case <-end:
		bytespool.Release(b)
		return false
	}
}

// ok: the goroutine has a reference of its own.
func reference(out chan<- *buffer.Buffer) {
	buf := buffer.NewString("tick")
	buf.RefInc()
	out <- buf
	buf.Release()
}

// ok: it has another by then.
func another(out chan<- []byte) {
	b := bytespool.New(64)
	out <- b
	b = bytespool.New(64)
	use(b)
	bytespool.Release(b)
}

// ok: the goroutine releases.
func itsOwn(w io.Writer) {
	b := bytespool.New(64)
	go func() {
		w.Write(b)
		bytespool.Release(b)
	}()
}

// ok: it waits for a time that is long enough for all.
func slept(out chan<- []byte) {
	b := bytespool.New(64)
	out <- b
	time.Sleep(time.Second)
	bytespool.Release(b)
}

// ok: one goroutine waits for the other, and releases.
func collector(w io.Writer) {
	b := bytespool.New(64)
	done := make(chan bool)
	go func() {
		w.Write(b)
		close(done)
	}()
	go func() {
		<-done
		bytespool.Release(b)
	}()
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

// ok: a field says so, in a deferred literal.
func (t *task) run(out chan<- []byte) {
	b := bytespool.New(64)
	defer func() {
		if !t.sent {
			bytespool.Release(b)
		}
	}()
	t.sent = send(out, b, t)
}

// send sends b unless the task is done.
func send(out chan<- []byte, b []byte, t *task) bool {
	if t.sent {
		return false
	}
	out <- b
	return true
}

// ok: and where the send is here.
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
