// Package groups describes the benchmarks of octet bench, a file for each group.
//
// What a contestant does n times is written out as a loop around direct calls,
// for every contestant of a row in the same shape: a call through an interface,
// a function value or a type parameter would cost as much as what is measured.
// Each loop touches one byte of what it gets, as somebody who uses the memory
// would.
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
