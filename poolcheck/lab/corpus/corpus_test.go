package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFiles reads the files that the command runs on.
func TestFiles(t *testing.T) {
	modules, err := readModules("modules.txt")
	if err != nil {
		t.Fatal(err)
	}
	if len(modules) < 25 {
		t.Errorf("%d modules, want at least 25", len(modules))
	}
	known := make(map[string]bool)
	for _, m := range modules {
		if known[m.String()] {
			t.Errorf("%s is listed twice", m)
		}
		known[m.String()] = true
	}
	triage, err := readTriage("triage.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for k := range triage {
		if !known[k.module] {
			t.Errorf("verdict on %s, which is not in modules.txt", k.module)
		}
	}
}

func TestReadTriageRefuses(t *testing.T) {
	for _, line := range []string{
		"m@v1\ta.go:1:2\tOCT001\ttrue\tbecause",                    // no message
		"m@v1\ta.go:1:2\tOCT001\tmaybe\tbecause\tmessage",          // no such judgement
		"m@v1\ta.go:1:2\tOCT001\ttrue\t\tmessage",                  // no reason
		strings.Repeat("m@v1\ta.go:1:2\tOCT001\tfalse\tx\ty\n", 2), // twice
	} {
		name := filepath.Join(t.TempDir(), "triage.tsv")
		if err := os.WriteFile(name, []byte(line), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readTriage(name); err == nil {
			t.Errorf("no error for %q", line)
		}
	}
}

func TestParseReports(t *testing.T) {
	const text = `{
		"m/a": {"poolcheck": [
			{"posn": "/s/m/a/x.go:7:3", "message": "OCT003: b is released twice"},
			{"posn": "/s/m/a/x.go:6:3", "message": "boxed: Put allocates to hold the slice b"},
			{"posn": "/s/m/a/x.go:5:3", "message": "OCT001: b is used after its release"},
			{"posn": "/s/m/a/x.go:5:3", "message": "OCT001: b is used after its release"}]},
		"m/b": {"poolcheck": {"error": "does not type-check"}}
	}`
	reports, unbuilt, err := parseReports("/s/m", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []report{
		{"a/x.go:5:3", "OCT001", "OCT001: b is used after its release"},
		{"a/x.go:7:3", "OCT003", "OCT003: b is released twice"},
	}
	if !slices.Equal(reports, want) {
		t.Errorf("reports %v, want %v", reports, want)
	}
	if want := []string{"m/b: does not type-check"}; !slices.Equal(unbuilt, want) {
		t.Errorf("unbuilt %v, want %v", unbuilt, want)
	}
	const crash = `{"m/c": {"poolcheck": {"error": "panic: index out of range"}}}`
	if _, _, err := parseReports("/s/m", []byte(crash), nil); err == nil || !strings.Contains(err.Error(), "m/c") {
		t.Errorf("a panic was taken for a package that does not build: %v", err)
	}
	if _, _, err := parseReports("/s/m", nil, os.ErrPermission); err == nil {
		t.Error("a command that failed and printed nothing was taken for silence")
	}
}

func TestTally(t *testing.T) {
	m := module{path: "m", version: "v1"}
	triage := map[key]*verdict{
		{"m@v1", "a.go:1:1", "OCT001"}: {judgement: "true"},
		{"m@v1", "a.go:2:1", "OCT001"}: {judgement: "false"},
		{"m@v1", "a.go:9:1", "OCT004"}: {judgement: "harmless"}, // does not come again
	}
	var total tally
	open := total.add(m, []report{
		{"a.go:1:1", "OCT001", "x"},
		{"a.go:2:1", "OCT001", "x"},
		{"a.go:3:1", "OCT002", "x\ty"},
	}, triage)
	if want := []string{"m@v1\ta.go:3:1\tOCT002\t\t\tx y"}; !slices.Equal(open, want) {
		t.Errorf("without a verdict: %q, want %q", open, want)
	}
	var out strings.Builder
	total.print(&out)
	for _, want := range []string{
		"| OCT001 | 2 | 1 | 0 | 1 | 50 |",
		"| all | 2 | 1 | 0 | 1 | 50 |",
		"m@v1 a.go:9:1 OCT004 (harmless)",
		"1 reports without a verdict",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no line %q in\n%s", want, out.String())
		}
	}
}
