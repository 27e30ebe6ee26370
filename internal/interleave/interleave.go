// Package interleave runs a small concurrent program in every order that its
// atomic operations allow, and checks each outcome.
//
// The functions in atomic.go stand in for those of sync/atomic. A test builds the
// package under test by go test -overlay, from a copy of its source in which the
// import of sync/atomic has become an import of this package. The steps that are
// explored are therefore those of the code itself, and the code needs no hooks.
// Package bytebuf has an example.
//
// Memory is sequentially consistent, as sync/atomic promises. Two runs that differ
// only in the order of steps that commute (on different words, or two loads) are
// one: of each such class, one run is made. That is the method of sleep sets
// (Godefroid, "Partial-Order Methods for the Verification of Concurrent Systems",
// 1996).
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
}

// commute reports whether the order of a and b makes no difference.
func commute(a, b step) bool {
	if a.word == nil || b.word == nil {
		return false
	}
	return a.word != b.word || !a.write && !b.write
}

// A Program is started anew for every run.
type Program struct {
	// Threads run concurrently, each up to its first step at once, in the order
	// given. What a thread does between two steps counts as part of the first of
	// them; plain memory that another thread may change is accessed behind a Step.
	Threads []func()

	// Check looks at the outcome once all threads have ended.
	Check func() error
}

// Explore starts a program again and again, until its threads have run in every
// order. It returns the number of completed runs, and for the first run that
// panics or whose Check fails, an error with the steps that led there.
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

// A choice is what was decided at one point of a run: which thread takes its step.
type choice struct {
	ready  set // the threads that have a step to take
	asleep set // of these, those whose step was explored from here, or commutes with all since it was
	thread int
	name   string // of its step
}

// another moves on to a thread that has not been chosen yet, if there is one.
func (c *choice) another() bool {
	c.asleep |= 1 << c.thread
	c.thread = bits.TrailingZeros32(uint32(c.ready &^ c.asleep))
	return c.ready&^c.asleep != 0
}

// run makes one run: along path, and then, extending path, with the first thread
// that is ready. It reports whether the run came to its end; one that only repeats
// another in an equivalent order does not.
func run(p Program, path *[]choice) (complete bool, err error) {
	threads := make([]*thread, len(p.Threads))
	for i, f := range p.Threads {
		threads[i] = newThread(f)
		defer threads[i].stop()
		if err := threads[i].advance(); err != nil {
			return false, fmt.Errorf("thread %d before its first step: %w", i, err)
		}
	}
	var asleep set
	for depth := 0; ; depth++ {
		if depth == len(*path) {
			c := choice{asleep: asleep}
			for i, t := range threads {
				if !t.done {
					c.ready |= 1 << i
				}
			}
			if c.ready == 0 {
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

// failed returns err with the steps that led to it.
func failed(err error, path []choice) error {
	var steps strings.Builder
	for _, c := range path {
		fmt.Fprintf(&steps, "\n\tthread %d: %s", c.thread, c.name)
	}
	return fmt.Errorf("%w, after%s", err, &steps)
}
