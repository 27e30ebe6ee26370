//go:build !(go1.26 && !go1.28 && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x) && !race && !octet_purego)

package rt

// Pinned reports whether Pin and Unpin may be called.
const Pinned = false

// Pin is not available in this build: see Pinned.
func Pin() int { panic("rt: Pin is not available") }

// Unpin is not available in this build: see Pinned.
func Unpin() { panic("rt: Unpin is not available") }
