// Package interleave runs a small concurrent program in all interleavings of its atomic
// operations, and checks each outcome.
//
// The functions in atomic.go replace those of sync/atomic. A test uses go test -overlay
// to build the package under test from a copy of its source that imports this package
// instead of sync/atomic. So the steps that are explored are those of the code itself,
// and the code needs no hooks.
//
// Memory is sequentially consistent, as sync/atomic guarantees. If two runs differ only
// in the order of steps that commute (steps on different words, or two loads), only one
// of them is made. The algorithm is that of sleep sets: Godefroid, "Partial-Order
// Methods for the Verification of Concurrent Systems", 1996.
//
// # Map
//
//	interleave.go  Explore: which runs are made
//	thread.go      threads, which stop before each step
//	atomic.go      steps in place of sync/atomic's functions, and Step
//	types.go       steps in place of its types, and for plain memory
//	wait.go        steps that wait
package interleave

import (
	"fmt"
	"math/bits"
	"strings"
	"unsafe"
)

// A step is an operation that a thread is about to perform.
type step struct {
	name  string
	word  unsafe.Pointer // the operand; nil stands for all of memory
	write bool
	ready func() bool // whether it can be taken now; nil for always
}

// commute reports whether the order of a and b makes no difference.
func commute(a, b step) bool {
	if a.word == nil || b.word == nil {
		return false
	}
	return a.word != b.word || !a.write && !b.write
}

// A Program is what Explore runs. Each run starts a new one.
type Program struct {
	// Threads run concurrently. Before the first step of a run, each runs up to its
	// own first step, one after the other. What a thread does between two steps is
	// part of the first of the two. If it accesses plain memory that other threads
	// modify, that step must be a Step.
	Threads []func()

	// Check checks the outcome after all threads have ended.
	Check func() error
}

// Explore runs programs from start until all interleavings of their threads have been
// explored. It returns the number of runs. If a thread panics or waits for ever, or
// Check fails, it stops and returns an error with the steps of that run.
func Explore(start func() Program) (runs int, err error) {
	var path []choice
	for {
		complete, err := run(start(), &path)
		if err != nil {
			return runs, err
		}
		if complete {
			runs++
		}
		for len(path) > 0 && !path[len(path)-1].another() {
			path = path[:len(path)-1]
		}
		if len(path) == 0 {
			return runs, nil
		}
	}
}

// A set of threads, by number.
type set uint32

func (s set) has(i int) bool { return s>>i&1 == 1 }

// A choice is a point of a run at which one of several threads takes its step.
type choice struct {
	ready  set // the threads that have a step to take
	asleep set // those of them whose step need not be explored from here, because an equivalent run was
	thread int
	name   string // of its step
}

// another chooses another thread that has not been explored, if there is one.
func (c *choice) another() bool {
	c.asleep |= 1 << c.thread
	c.thread = bits.TrailingZeros32(uint32(c.ready &^ c.asleep))
	return c.ready&^c.asleep != 0
}

// run makes one run. It follows path, then chooses the first thread each time and
// extends path. It reports whether the run was completed; a run is abandoned if it is
// equivalent to an earlier one.
func run(p Program, path *[]choice) (complete bool, err error) {
	threads := make([]*thread, len(p.Threads))
	for i, f := range p.Threads {
		threads[i] = newThread(i, f)
		defer threads[i].stop()
		if err := threads[i].advance(); err != nil {
			return false, fmt.Errorf("thread %d before its first step: %w", i, err)
		}
	}
	var asleep set
	for depth := 0; ; depth++ {
		if depth == len(*path) {
			c := choice{asleep: asleep, ready: ready(threads)}
			if c.ready == 0 {
				for i, t := range threads {
					if !t.done {
						return true, failed(fmt.Errorf("thread %d waits for ever before %s", i, t.next.name), *path)
					}
				}
				if err := p.Check(); err != nil {
					return true, failed(err, *path)
				}
				return true, nil
			}
			if c.ready&^c.asleep == 0 {
				return false, nil
			}
			c.thread = bits.TrailingZeros32(uint32(c.ready &^ c.asleep))
			*path = append(*path, c)
		}
		c := (*path)[depth]
		taken := threads[c.thread].next
		(*path)[depth].name = taken.name
		asleep = 0
		for i, t := range threads {
			if c.asleep.has(i) && !t.done && commute(t.next, taken) {
				asleep |= 1 << i
			}
		}
		if err := threads[c.thread].advance(); err != nil {
			return true, failed(err, (*path)[:depth+1])
		}
	}
}

// ready returns the threads that can take a step.
func ready(threads []*thread) (s set) {
	for i, t := range threads {
		if !t.done && (t.next.ready == nil || t.next.ready()) {
			s |= 1 << i
		}
	}
	return s
}

// failed returns err with the steps of the run.
func failed(err error, path []choice) error {
	var steps strings.Builder
	for _, c := range path {
		fmt.Fprintf(&steps, "\n\tthread %d: %s", c.thread, c.name)
	}
	return fmt.Errorf("%w, after%s", err, &steps)
}
