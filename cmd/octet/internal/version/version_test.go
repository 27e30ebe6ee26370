package version

import (
	"runtime/debug"
	"testing"
)

func TestDescribe(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	for _, tt := range []struct{ version, commit, modified, want string }{
		{"v0.1.0", "", "", "v0.1.0"},
		{"(devel)", "", "", "(devel)"},
		{"", "", "", "(devel)"},
		{"(devel)", commit, "false", "(devel) " + commit},
		{"(devel)", commit, "true", "(devel) " + commit + ", modified"},
		{"v0.1.0", commit, "false", "v0.1.0 " + commit},
		{"v0.0.0-20261101120000-0123456789ab", commit, "false", "v0.0.0-20261101120000-0123456789ab"},
		{"v0.0.0-20261101120000-0123456789ab+dirty", commit, "true", "v0.0.0-20261101120000-0123456789ab+dirty"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: tt.version}}
		if tt.commit != "" {
			info.Settings = []debug.BuildSetting{{Key: "vcs.revision", Value: tt.commit}, {Key: "vcs.modified", Value: tt.modified}}
		}
		if got := describe(info); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}
