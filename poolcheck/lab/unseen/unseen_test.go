//go:build !race

// Nothing here runs beside anything else: under the race detector the tests of package
// poolcheck run the analysis.

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octet-go/octet/poolcheck"
)

// TestPrograms holds the lists against the programs.
func TestPrograms(t *testing.T) {
	var out bytes.Buffer
	if err := run(&out, nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "known: 48 programs\nlearn: 8 programs\nsealed: 7 programs\n") {
		t.Errorf("not 48, 8 and 7 programs:\n%s", &out)
	}
}

// TestScore scores the toy, whose programs are of every kind. It says nothing
// of poolcheck but that it finds a use after a Put.
func TestScore(t *testing.T) {
	s, err := scoreSet(poolcheck.New(), "toy")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	s.print(&out, true)
	for _, want := range []string{
		"| OCT001 | 3 | 2 | 0 | 1 | 0 | 1 |\n",
		"| OCT002 | 1 | 0 | 0 | 0 | 1 | 0 |\n",
		"| OCT004 | 1 | 0 | 1 | 0 | 0 | 0 |\n",
		"| all | 5 | 2 | 1 | 1 | 1 | 1 |\n",
		"02-misnamed: misnamed, want [OCT004] on a line of [16]\n\t16: OCT001",
		"03-elsewhere: elsewhere",
		"04-missed: missed",
		"05-loud: fixed and reported\n\t16: OCT001",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "01-found") {
		t.Errorf("01-found is found, and named in\n%s", &out)
	}
}

func TestReadProgramsRefuses(t *testing.T) {
	const good = "a\tOCT001\t3,7\to/n\t#1\tx\n"
	for _, list := range []string{
		"a\tOCT001\t3\to/n\t#1\n",      // five fields
		"a\tOCT010\t3\to/n\t#1\tx\n",   // poolcheck has no such code
		"a\tOCT001\t0\to/n\t#1\tx\n",   // no such line
		"a\tOCT001\t7,3\to/n\t#1\tx\n", // not in order
		"a\tOCT001\t3\to\t#1\tx\n",     // no repository
		"a\tOCT001\t3\to/n\t\tx\n",     // no reference
		"a\tOCT001\t3\to/n\t#1\t\n",    // nothing that says what it was
		"b\tOCT001\t3\to/n\t#1\tx\n",   // no such folder
		strings.Repeat(good, 2),        // twice
		"",                             // a folder that is not listed
	} {
		set := t.TempDir()
		if err := os.Mkdir(filepath.Join(set, "a"), 0o755); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(set, listName)
		if err := os.WriteFile(name, []byte(good), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readPrograms(set); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(list), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readPrograms(set); err == nil {
			t.Errorf("no error for %q", list)
		}
	}
}

// TestCheckProgramsRefuses gives the toy wrong rows, and right rows to wrong
// programs.
func TestCheckProgramsRefuses(t *testing.T) {
	toy := program{"01-found", []string{"OCT001"}, []int{16}, "octet-go/octet", "#1", "x"}
	if err := checkPrograms("toy", []program{toy}); err != nil {
		t.Fatal(err)
	}
	noFolder, noCode, cited := toy, toy, toy
	noFolder.name = "00-none"
	noCode.lines = []int{10}
	cited.repository, cited.reference = "syncthing/syncthing", "#7409, commit 123"
	wrong := program{"01-wrong", []string{"OCT001"}, []int{5}, "octet-go/octet", "#1", "x"}
	for _, c := range []struct {
		set  string
		p    program
		want string
	}{
		{"toy", noFolder, "no package bug"},
		{"toy", noCode, "no code begins on line 10"},
		{"toy", cited, "cite syncthing/syncthing#7409"},
		{"wrong/same", wrong, "do not differ"},
		{"wrong/types", wrong, "cannot use \"1\""},
	} {
		err := checkPrograms(c.set, []program{c.p})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s/%s: %v, want %q", c.set, c.p.name, err, c.want)
		}
	}
}
