//go:build ((linux && !(amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64)) || darwin || freebsd || netbsd || dragonfly) && !race && !msan && !asan && !octet_purego

package guard

func memories() map[string]memory { return map[string]memory{"chunks": new(chunks)} }

// reserved returns what m has from the system.
func reserved(m memory) ranges { return m.(*chunks).all }
