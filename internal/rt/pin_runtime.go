//go:build go1.26 && !go1.28 && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x) && !race && !octet_purego

package rt

import _ "unsafe" // for linkname

// Pinned reports whether Pin and Unpin may be called.
const Pinned = true

// Pin keeps the calling goroutine on its processor and returns the processor's
// number, which is below the largest GOMAXPROCS so far. Until Unpin the goroutine
// must not panic, allocate, block or call unknown code: the runtime cannot preempt
// it.
//
// Sound: the runtime keeps the name and signature for packages that reach it by
// linkname (go.dev/issue/67401), and sync.Pool builds on the same guarantee.
//
//go:linkname Pin runtime.procPin
func Pin() int

// Unpin ends what Pin began.
//
//go:linkname Unpin runtime.procUnpin
func Unpin()
