package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestBugs reads the lists that -bugs is made for.
func TestBugs(t *testing.T) {
	for name, want := range map[string]int{"mended.tsv": 18, "sealed.tsv": 15} {
		bugs, err := readBugs(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(bugs) != want {
			t.Errorf("%s: %d bugs, want %d", name, len(bugs), want)
		}
		for _, b := range bugs {
			if name == "mended.tsv" && !b.faulty.served() {
				t.Errorf("%s: the proxy has no version %s", name, b.faulty)
			}
		}
	}
}

func TestReadBugsRefuses(t *testing.T) {
	for _, line := range []string{
		"m\tv1\tv2\t.\ta.go:F\tOCT001\tabc",            // nothing that says what it was
		"m\tv1\t\t.\ta.go:F\tOCT001\tabc\twhat",        // no mended version, and no -
		"m\tv1\tv2\t.\ta.go\tOCT001\tabc\twhat",        // no function
		"m\tv1\tv2\t.\ta.go:F\tuse\tabc\twhat",         // no code
		"m\tv1\tv2\t.\ta:F\tOCT001\tabc\twhat\n# more", // no file of Go
	} {
		name := filepath.Join(t.TempDir(), "bugs.tsv")
		if err := os.WriteFile(name, []byte(line), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readBugs(name); err == nil {
			t.Errorf("no error for %q", line)
		}
	}
}

// TestFindBugs checks a list of four bugs in a module that stands in for all of them.
func TestFindBugs(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"p/a.go": "package p\n\nfunc F() {\n}\n\nfunc (T) G() {\n}\n",
		"q/a.go": "package q\n\nfunc F() {\n}\n",
		"bugs.tsv": "found\tv1\tv2\t./p\ta.go:F,G\tOCT001,OCT003\tx\twhat\n" +
			"missed\tv1\t-\t./p\ta.go:F\tOCT001\tx\twhat\n" +
			"commit\t0123456789ab\tv2\t./p\ta.go:F\tOCT001\tx\twhat\n" +
			"left/out\tv1\tv2\t./p\ta.go:F\tOCT001\tx\twhat\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	reports := map[string][]report{
		"found@v1":  {{"p/a.go:6:2", "OCT003", "x"}, {"p/a.go:5:1", "OCT003", "between"}, {"q/a.go:3:1", "OCT003", "package"}},
		"found@v2":  {{"p/a.go:3:1", "OCT001", "x"}},
		"missed@v1": {{"p/a.go:3:1", "OCT004", "code"}, {"p/a.go:6:1", "OCT001", "function"}},
	}
	var checked []string
	check := func(m module) (string, result, error) {
		checked = append(checked, m.String())
		return dir, result{reports: reports[m.String()]}, nil
	}
	var out strings.Builder
	if err := findBugs(&out, filepath.Join(dir, "bugs.tsv"), regexp.MustCompile("^[^/]*$"), check); err != nil {
		t.Fatal(err)
	}
	if want := []string{"found@v1", "found@v2", "missed@v1"}; !slices.Equal(checked, want) {
		t.Errorf("checked %v, want %v", checked, want)
	}
	for _, want := range []string{
		"| found@v1 | what | found at p/a.go:6:2 OCT003, and in v2 at p/a.go:3:1 |\n",
		"| missed@v1 | what | missed |\n",
		"| commit@0123456789ab | what | not checked: the proxy does not have this version |\n",
		"\n1 of 2 bugs found; 1 reports of them in 1 mended versions; 4 other reports in the faulty ones\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no line %q in\n%s", want, &out)
		}
	}

	// What cannot be checked is no miss.
	for _, check := range []func(module) (string, result, error){
		func(module) (string, result, error) { return dir, result{unbuilt: []string{"p"}}, nil },
		func(module) (string, result, error) { return dir, result{}, errors.New("not served") },
		func(module) (string, result, error) { return t.TempDir(), result{}, nil }, // no such function
	} {
		if err := findBugs(io.Discard, filepath.Join(dir, "bugs.tsv"), regexp.MustCompile("^found$"), check); err == nil {
			t.Error("no error")
		}
	}
}
