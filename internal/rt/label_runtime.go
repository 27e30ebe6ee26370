//go:build go1.26 && !go1.28 && !octet_purego

package rt

import "unsafe"

// A Label stands for the profiler labels of a goroutine, which the goroutines that
// it starts inherit. It is compared and never looked into; nil stands for none.
type Label unsafe.Pointer

// Labels says whether goroutines can be told apart by their labels.
const Labels = true

// Sound: the runtime keeps the name and signature for packages that reach it by
// linkname (go.dev/issue/67401); the result is a pointer to memory that does not
// change.
//
//go:linkname runtime_getProfLabel runtime/pprof.runtime_getProfLabel
func runtime_getProfLabel() unsafe.Pointer

// CurrentLabel returns the label of the calling goroutine.
func CurrentLabel() Label { return Label(runtime_getProfLabel()) }
