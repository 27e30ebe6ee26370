package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

// TestRecall counts the programs that poolcheck reports, and compares the README of
// poolcheck, for which the programs were not written. A program counts as reported if
// there is a report in its function, or in a helper that it calls.
func TestRecall(t *testing.T) {
	testenv.Long(t)
	reports := poolcheck(t)
	src := readFunctions(t)
	type count struct{ all, found, named int }
	var total count
	var missed, falsely []string
	var want strings.Builder
	fmt.Fprintf(&want, "| class | programs | reported | under that code |\n| --- | --- | --- | --- |\n")
	for _, c := range classes {
		if c.code == "OCT009" || c.code == "OCT010" || c.code == "OVERRUN" {
			continue // poolcheck does not look for them
		}
		var n count
		for _, k := range c.kinds {
			for _, p := range k.programs {
				codes := src.codes(p.name(), reports)
				n.all++
				if len(codes) > 0 {
					n.found++
				} else {
					missed = append(missed, c.code+" "+p.name())
				}
				if slices.Contains(codes, c.code) {
					n.named++
				}
			}
		}
		for _, p := range c.alike {
			if len(src.codes(p.name(), reports)) > 0 {
				falsely = append(falsely, p.name())
			}
		}
		fmt.Fprintf(&want, "| %s | %d | %d | %d |\n", c.code, n.all, n.found, n.named)
		total.all += n.all
		total.found += n.found
		total.named += n.named
	}
	fmt.Fprintf(&want, "| all | %d | %d | %d |\n", total.all, total.found, total.named)
	t.Logf("missed:\n%s", strings.Join(missed, "\n"))
	if len(falsely) > 0 {
		t.Errorf("reported and right: %v", falsely)
	}
	readme, err := os.ReadFile(filepath.Join("..", "poolcheck", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), want.String()) {
		t.Errorf("poolcheck/README.md lacks this table:\n%s", want.String())
	}
}

// A diagnostic is a report of poolcheck.
type diagnostic struct{ Category, Posn string }

// poolcheck returns what poolcheck reports of this package.
func poolcheck(t *testing.T) (list []diagnostic) {
	testenv.NeedsExec(t)
	cmd := exec.Command("go", "tool", "poolcheck", "-json", "-codes=all", ".")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	var found map[string]map[string][]diagnostic // by package and analyzer
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatalf("%v: %v\n%s%s", cmd, err, out, &stderr)
	}
	for _, byAnalyzer := range found {
		for _, ds := range byAnalyzer {
			list = append(list, ds...)
		}
	}
	return list
}

// functions are the functions of this package.
type functions []function

// A function has its lines in a file, and the names of the functions that it calls.
type function struct {
	name, file  string
	first, last int
	calls       map[string]bool
}

func readFunctions(t *testing.T) (src functions) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	for _, name := range names {
		f, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok {
				src = append(src, function{fd.Name.Name, name,
					set.Position(fd.Pos()).Line, set.Position(fd.End()).Line, callsIn(fd)})
			}
		}
	}
	return src
}

// callsIn returns the names of the functions and methods that fd calls.
func callsIn(fd *ast.FuncDecl) map[string]bool {
	calls := make(map[string]bool)
	ast.Inspect(fd.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			switch f := call.Fun.(type) {
			case *ast.Ident:
				calls[f.Name] = true
			case *ast.SelectorExpr:
				calls[f.Sel.Name] = true
			}
		}
		return true
	})
	return calls
}

// codes returns the codes that are reported in the named function or in its helpers.
func (src functions) codes(name string, reports []diagnostic) (codes []string) {
	within := map[string]bool{name: true}
	for grown := true; grown; {
		grown = false
		for _, f := range src {
			for callee := range f.calls {
				if within[f.name] && !within[callee] {
					within[callee], grown = true, true
				}
			}
		}
	}
	for _, r := range reports {
		place := strings.Split(filepath.Base(r.Posn), ":")
		line, _ := strconv.Atoi(place[1])
		if slices.ContainsFunc(src, func(f function) bool {
			return within[f.name] && f.file == place[0] && f.first <= line && line <= f.last
		}) {
			codes = append(codes, r.Category)
		}
	}
	return codes
}
