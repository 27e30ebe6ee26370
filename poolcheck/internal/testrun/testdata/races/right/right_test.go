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
			done := make(chan int)
			go func() { read(); close(done) }()
			<-done
		},
		func(read func()) {
			done := make(chan int, 1)
			go func() { read(); done <- 1 }()
			<-done
		},
		func(read func()) {
			var mu sync.Mutex
			mu.Lock()
			go func() { read(); mu.Unlock() }()
			mu.Lock()
		},
		func(read func()) {
			var mu sync.Mutex
			cond, done := sync.NewCond(&mu), false
			go func() { read(); mu.Lock(); done = true; mu.Unlock(); cond.Signal() }()
			mu.Lock()
			for !done {
				cond.Wait()
			}
			mu.Unlock()
		},
		func(read func()) {
			var done atomic.Bool
			go func() { read(); done.Store(true) }()
			for !done.Load() {
			}
		},
		func(read func()) {
			var once sync.Once
			go once.Do(read)
			once.Do(read)
		},
		func(read func()) {
			a, b := make(chan func()), make(chan bool)
			go func() { f := <-a; f(); <-b }()
			a <- read
			b <- true
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

// Whoever has the last reference puts.
type counted struct {
	refs atomic.Int32
	data [64]byte
}

var counters = sync.Pool{New: func() any { return new(counted) }}

func (c *counted) release() {
	if c.refs.Add(-1) == 0 {
		counters.Put(c)
	}
}

func TestReferences(t *testing.T) {
	for range 100 {
		c := counters.Get().(*counted)
		c.refs.Store(3)
		c.data[0] = 1
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() {
				if c.data[0] != 1 {
					t.Error("somebody else has it")
				}
				c.release()
			})
		}
		c.release()
		group.Wait()
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

// The goroutine has a copy.
func TestCopies(t *testing.T) {
	var group sync.WaitGroup
	for range 20 {
		b := buffers.Get().(*bytes.Buffer)
		b.Reset()
		b.WriteString("content")
		mine := bytes.Clone(b.Bytes())
		s := b.String()
		group.Go(func() {
			if string(mine) != s {
				t.Error(s)
			}
		})
		buffers.Put(b)
	}
	group.Wait()
}

// The goroutine is given the object, and puts it.
func TestHandsOver(t *testing.T) {
	queue := make(chan *bytes.Buffer, 4)
	var group sync.WaitGroup
	group.Go(func() {
		for b := range queue {
			if b.String() != "content" {
				t.Error(b)
			}
			buffers.Put(b)
		}
	})
	for range 20 {
		b := buffers.Get().(*bytes.Buffer)
		b.Reset()
		b.WriteString("content")
		queue <- b
	}
	close(queue)
	group.Wait()
}

// A lock that others hold while it is put, and a slice that is its caller's.
type view struct {
	mu   sync.Mutex
	data []byte
}

var views = sync.Pool{New: func() any { return new(view) }}

func TestCallersSlice(t *testing.T) {
	data := bytes.Repeat([]byte("x"), 100)
	var group sync.WaitGroup
	for range 20 {
		v := views.Get().(*view)
		v.data = data
		group.Go(func() {
			if data[1] != 'x' {
				t.Error(data)
			}
		})
		views.Put(v)
	}
	group.Wait()
}

// What the goroutine that puts does after that with what is not the object's alone.
type guarded struct {
	mu     sync.Mutex
	closed atomic.Bool
	name   string
	data   []byte
	next   *counted
}

var guards = sync.Pool{New: func() any { return new(guarded) }}

func (g *guarded) unlockLast(next *counted) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	name := g.name
	g.next = next
	guards.Put(g)
	next.data[0]++
	return name
}

func (g *guarded) close() {
	if g.closed.CompareAndSwap(false, true) {
		guards.Put(g)
	}
}

func TestAfterPut(t *testing.T) {
	data := bytes.Repeat([]byte("x"), 100)
	next := new(counted)
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
