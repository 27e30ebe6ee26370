// Package version says which version of octet runs.
package version

import (
	"runtime/debug"
	"strings"
)

// String is the version of the module that the program was built from: that of a
// release, or for a checkout "(devel)" or a pseudo-version, with the commit where
// the go command recorded it.
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
	// A pseudo-version ends in the commit's first twelve digits, and in +dirty.
	if commit == "" || strings.Contains(version, commit[:min(12, len(commit))]) {
		return version
	}
	version += " " + commit
	if modified {
		version += ", modified"
	}
	return version
}
