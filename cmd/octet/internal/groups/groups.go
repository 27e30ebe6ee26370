// Package groups declares the benchmarks of octet bench, a file or a family of
// files for each group; patterns of use are in a package of their own.
//
// A contestant's n operations are written out as a loop around direct calls, in
// the same form for all contestants of a row: a call through an interface, a
// function value or a type parameter would cost as much as what is measured.
// Through a function value, a buffer of sync.Pool takes a tenth longer; through
// methods of a type parameter, half as long again. Each loop writes one byte of
// the memory that it gets, as a program that uses it would.
//
// # Map
//
//	groups.go         all groups, and how contestants are made
//	pool.go           group pool: its rows
//	pool_rivals.go    the pools that are compared, each with its loops, and ways to use them
//	pool_sizes.go     several sizes, several slices at once, and small ones beside make on the heap
//	buffer.go         group buffer
//	string.go         group string
//	binary.go         group binary: its rows, and slices of numbers
//	binary_fields.go  fields in a []byte and in buffered streams
package groups

import (
	"sync"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/patterns"
)

// All returns the groups, in the order in which they are shown.
func All() []contest.Group {
	return []contest.Group{
		patterns.Group(),
		Pool(),
		Buffer(),
		String(),
		Binary(),
	}
}

// contestant returns one whose runs have each what open returns. The loop does the operation
// n times with it.
func contestant[S any](name string, open func() S, loop func(s S, n int)) contest.Contestant {
	return contest.Contestant{Name: name, Start: func() func(int) {
		s := open()
		return func(n int) { loop(s, n) }
	}}
}

// stateless returns a contestant whose runs have nothing but the loop.
func stateless(name string, loop func(n int)) contest.Contestant {
	return contest.Contestant{Name: name, Start: func() func(int) { return loop }}
}

// parallel returns a function that calls do on g goroutines at once, which share the
// n operations.
func parallel(g int, do func(n int)) func(n int) {
	return func(n int) {
		var wg sync.WaitGroup
		for i := range g {
			wg.Go(func() { do((n + i) / g) })
		}
		wg.Wait()
	}
}
