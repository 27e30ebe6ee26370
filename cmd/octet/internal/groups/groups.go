// Package groups declares the benchmarks of octet bench, a file or a family of
// files for each group.
//
// A contestant's n operations are written out as a loop around direct calls, in
// the same form for all contestants of a row: a call through an interface, a
// function value or a type parameter would cost as much as what is measured.
// Each loop writes one byte of the memory that it gets, as a program that uses
// it would.
package groups

import "github.com/octet-go/octet/cmd/octet/internal/contest"

// All returns the groups that need no input, in the order in which they are
// shown.
func All() []contest.Group {
	return []contest.Group{
		Pool(),
		Buffer(),
		Dirty(),
		String(),
		Binary(),
	}
}
