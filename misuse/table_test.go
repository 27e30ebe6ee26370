package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octet-go/octet/internal/check"
)

// TestTable compares the table in the documentation with what TestPrograms expects. With
// -update it replaces the table.
func TestTable(t *testing.T) {
	const begin, end = "<!-- table: go test ./misuse -run Table -update -->\n", "<!-- end of table -->\n"
	text := readPage(t)
	head, rest, ok := strings.Cut(text, begin)
	old, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no table between %q and %q", page, begin, end)
	}
	if old == table() {
		return
	}
	if !*update {
		t.Fatalf("the table in %s is not what the programs show: run this test with -update, or change the programs", page)
	}
	if err := os.WriteFile(page, []byte(head+begin+table()+end+tail), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestQuarantine compares the length of quarantine with the documentation.
func TestQuarantine(t *testing.T) {
	want := fmt.Sprintf("Quarantine is short: %d slices, or %d MiB.", check.MaxQuarantined, check.MaxQuarantinedBytes>>20)
	if !strings.Contains(readPage(t), want) {
		t.Errorf("%s does not say %q", page, want)
	}
}

// page is the path of the documentation.
var page = filepath.Join("..", "docs", "CHECKED.md")

func readPage(t *testing.T) string {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var update = flag.Bool("update", false, "write the table into docs/CHECKED.md")

// table returns the table of classes and modes.
func table() string {
	var b strings.Builder
	row := func(cells ...string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	title := []string{"code", "misuse"}
	line := []string{"---", "---"}
	for m := sample; m < modes; m++ {
		title = append(title, m.String())
		line = append(line, "---")
	}
	row(title...)
	row(line...)
	for _, c := range classes {
		for i, k := range c.kinds {
			what := k.what
			if k.debug != "" {
				what += " (with `" + k.debug + "`)"
			}
			cells := []string{"", what}
			if i == 0 {
				cells[0] = "**" + c.code + "** " + c.title
			}
			for m := sample; m < modes; m++ {
				cells = append(cells, k.found[m].String())
			}
			row(cells...)
		}
	}
	return b.String()
}

// TestClasses counts the programs, and looks for any that the tests would leave out.
func TestClasses(t *testing.T) {
	marks := readMarks(t)
	wrong, right := 0, 0
	seen := map[string]bool{}
	for _, c := range classes {
		if len(c.alike) == 0 {
			t.Errorf("%s has no program that looks like it and is right", c.code)
		}
		for _, k := range c.kinds {
			wrong += len(k.programs)
			for _, p := range k.programs {
				if k.found != (found{}) && marks[p.name()] == nil {
					t.Errorf("%s is to be found, and has no marks", p.name())
				}
			}
			if k.found[off] != (finding{}) {
				t.Errorf("%s: %s: found while checks are off", c.code, k.what)
			}
		}
		right += len(c.alike)
		for p := range c.all() {
			if seen[p.name()] {
				t.Errorf("%s is listed twice", p.name())
			}
			seen[p.name()] = true
			if p.shows == "" {
				t.Errorf("%s does not say what it shows", p.name())
			}
		}
	}
	t.Logf("%d misuses, %d that look like it", wrong, right)
	if wrong < 40 || right < 40 {
		t.Errorf("%d misuses and %d that look like it, want 40 of each", wrong, right)
	}
}
