// Package version reports the version of octet.
package version

import (
	"runtime/debug"
	"strings"
)

// String returns the version of the module that the program was built from:
// that of a release or, in a checkout, "(devel)" or a pseudo-version, with the
// commit if the go command recorded it.
func String() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)"
	}
	return describe(info)
}

func describe(info *debug.BuildInfo) string {
	version := info.Main.Version
	if version == "" {
		version = "(devel)"
	}
	commit, modified := "", false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	// A pseudo-version contains the first twelve digits of the commit, and
	// +dirty.
	if commit == "" || strings.Contains(version, commit[:min(12, len(commit))]) {
		return version
	}
	version += " " + commit
	if modified {
		version += ", modified"
	}
	return version
}
