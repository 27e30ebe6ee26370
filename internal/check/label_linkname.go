//go:build go1.26 && !go1.28 && !octet_purego

package check

import "unsafe"

// A label is the profiler labels of a goroutine, which the goroutines that it
// starts have, too. It is compared and never looked into.
type label unsafe.Pointer

// Sound: the runtime keeps the name and signature for packages that reach it by
// linkname (go.dev/issue/67401); the result is a pointer to memory that does not
// change.
//
//go:linkname runtime_getProfLabel runtime/pprof.runtime_getProfLabel
func runtime_getProfLabel() unsafe.Pointer

func currentLabel() label { return label(runtime_getProfLabel()) }

// Labels reports whether goroutines can be told apart.
const Labels = true
