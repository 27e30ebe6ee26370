//go:build (darwin || freebsd || netbsd || dragonfly) && !race && !msan && !asan && !octet_purego

package guard

// closeInherited does nothing: these systems have no list of open files that
// could be relied on.
func closeInherited() {}
