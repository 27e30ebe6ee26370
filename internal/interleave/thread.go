package interleave

import (
	"fmt"
	"iter"
)

// A thread is a coroutine that stops before each of its steps.
type thread struct {
	resume func() (step, bool)
	stop   func()
	yield  func(step) bool
	next   step
	done   bool
	err    error
}

// running is the current thread, or nil outside of threads.
var running *thread

// abandoned is the panic value that ends a thread of an abandoned run.
type abandoned struct{}

// before stops the current thread before s.
func before(s step) {
	if t := running; t != nil && !t.yield(s) {
		panic(abandoned{})
	}
}

func newThread(f func()) *thread {
	t := new(thread)
	t.resume, t.stop = iter.Pull(func(yield func(step) bool) {
		defer func() {
			switch e := recover().(type) {
			case nil, abandoned:
			default:
				t.err = fmt.Errorf("panic: %v", e)
			}
		}()
		t.yield = yield
		f()
	})
	return t
}

// advance lets t take its next step and run up to the one after it.
func (t *thread) advance() error {
	running = t
	next, ok := t.resume()
	running = nil
	t.next, t.done = next, !ok
	return t.err
}
