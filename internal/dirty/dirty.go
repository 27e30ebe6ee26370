// Package dirty allocates memory without clearing it.
//
// make([]byte, n) clears what it returns. For a few kilobytes that costs more
// than the allocation itself, and it is wasted where the caller overwrites the
// memory at once. The functions here leave it out:
//
//   - linkname.go asks the runtime directly; for the Go releases and platforms
//     that were tested;
//   - builder.go goes through [strings.Builder], whose Grow does not clear; for
//     every other release, so that a new one is slower and never broken;
//   - make.go clears after all; under the tag octet_purego.
//
// All three pass the same tests. What the memory holds is whatever the heap
// held there before: a program that shows it to somebody, for example by giving
// it to an [io.Reader], shows old data.
package dirty

// Make returns a slice of length and capacity n whose bytes are arbitrary.
// It panics as make does if n is negative or larger than any allocation can be.
//
// The memory belongs to the caller; it is ordinary garbage-collected memory
// without pointers. It is safe for concurrent use.
func Make(n int) []byte {
	if uint(n)-1 >= maxAlloc {
		return make([]byte, n) // empty, or panics: the runtime knows its own words best
	}
	return alloc(n)
}
