// Package right puts what several goroutines have used, and is right.
package right

import (
	"bytes"
	"sync"
	"sync/atomic"
	"testing"
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Who puts has waited for the reader, in one way or another.
func TestWaits(t *testing.T) {
	for i, wait := range []func(read func()){
		func(read func()) {
			var group sync.WaitGroup
			group.Go(read)
			group.Wait()
		},
		func(read func()) {
			var done atomic.Bool
			go func() { read(); done.Store(true) }()
			for !done.Load() {
			}
		},
	} {
		b := buffers.Get().(*bytes.Buffer)
		b.Reset()
		b.WriteString("content")
		n := 0
		wait(func() { n = b.Len() })
		if n != 7 {
			t.Errorf("%d: %d bytes", i, n)
		}
		buffers.Put(b)
	}
}

// A worker has a goroutine of its own, which waits for jobs on a channel also while the worker is idle.
type worker struct {
	jobs chan func()
	done chan bool
	runs atomic.Int32
}

var workers = sync.Pool{New: func() any {
	w := &worker{jobs: make(chan func()), done: make(chan bool)}
	go func() {
		for {
			(<-w.jobs)()
			w.runs.Add(1)
			w.done <- true
		}
	}()
	return w
}}

func TestWorkers(t *testing.T) {
	for range 20 {
		w := workers.Get().(*worker)
		n := 0
		w.jobs <- func() { n++ }
		if <-w.done; n != 1 {
			t.Error(n)
		}
		workers.Put(w)
	}
}

// What the goroutine that puts does after that with what is not the object's alone.
type guarded struct {
	mu     sync.Mutex
	closed atomic.Bool
	name   string
	data   []byte
	next   *[64]byte
}

var guards = sync.Pool{New: func() any { return new(guarded) }}

func (g *guarded) unlockLast(next *[64]byte) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	name := g.name
	g.next = next
	guards.Put(g)
	next[0]++
	return name
}

func (g *guarded) close() {
	if g.closed.CompareAndSwap(false, true) {
		guards.Put(g)
	}
}

func TestAfterPut(t *testing.T) {
	data := bytes.Repeat([]byte("x"), 100)
	next := new([64]byte)
	for range 20 {
		g := guards.Get().(*guarded)
		g.name, g.data = "name", data
		if g.unlockLast(next) != "name" {
			t.Error("somebody else's name")
		}
		data[0]++

		g = guards.Get().(*guarded)
		g.data = data[:50]
		g.closed.Store(false)
		g.close()
		if g.close(); data[1] != 'x' {
			t.Error(data)
		}
	}
}

// The slice that was taken out of an object before is the caller's.
func TestTakenOut(t *testing.T) {
	for range 20 {
		b := buffers.Get().(*bytes.Buffer)
		b.Reset()
		b.WriteString("content")
		content := b.Bytes()
		*b = bytes.Buffer{}
		buffers.Put(b)
		if content[0]++; string(content[1:]) != "ontent" {
			t.Error(content)
		}
	}
}
