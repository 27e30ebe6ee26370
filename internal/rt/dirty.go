package rt

// DirtyBytes returns a slice of length and capacity n whose bytes are arbitrary.
// It panics as make does if n is negative or larger than any allocation can be.
//
// make([]byte, n) clears what it returns. For a few kilobytes that takes longer
// than the allocation itself, and is wasted where the caller overwrites the memory
// at once. There are three ways around it:
//
//   - dirty_runtime.go asks the runtime;
//   - dirty_builder.go goes through [strings.Builder], whose Grow does not clear,
//     in every Go release that was not tested;
//   - dirty_make.go clears after all, under the tag octet_purego.
//
// The memory holds whatever the heap held there before: a program that shows it to
// others, for example by giving it to an [io.Reader], shows old data. It belongs to
// the caller, is collected like any other, and has no pointers. DirtyBytes is safe
// for concurrent use.
func DirtyBytes(n int) []byte {
	if uint(n)-1 >= maxAlloc {
		return make([]byte, n) // empty, or panics with the runtime's own message
	}
	return alloc(n)
}
