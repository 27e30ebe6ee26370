package testenv

import "runtime"

// ByPath calls f by a path of its own for each number below 1<<length. All are as deep in
// the stack.
//
//go:noinline
func ByPath(path, length int, f func()) {
	switch {
	case length == 0:
		f()
	case path&1 == 0:
		ByPath(path>>1, length-1, f)
	default:
		ByPath(path>>1, length-1, f)
	}
	runtime.KeepAlive(&path) // no tail call
}
