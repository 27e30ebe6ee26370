// Package version reports the version of octet.
package version

import (
	"cmp"
	"runtime/debug"
)

// String returns the version of the module that the program was built from: that of a release
// or, in a checkout, a pseudo-version, which names the commit, or "(devel)".
func String() string {
	version := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
	}
	return cmp.Or(version, "(devel)")
}
