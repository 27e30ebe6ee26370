package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// misuses is the folder, in the repository, of the programs that package
// checked is held against. They were not written for poolcheck.
const misuses = "checked/internal/misuse"

// loud are the programs there that are right and reported all the same.
var loud = []string{
	"oldOneReleased", // only the sizes tell that the append moves
	"resetBuffer",    // a view that is used again after Reset: most are meant to show what is gone
}

// TestRecall counts the programs that poolcheck reports, and wants README to say
// so. A program counts if there is a report in its function, or in a helper that
// it calls.
func TestRecall(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	src, err := readSource(filepath.Join(root, misuses))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("this module was fetched without the rest of the repository")
	} else if err != nil {
		t.Fatal(err)
	}
	reports := reportsIn(t, root, "./"+misuses)

	type count struct{ all, found, named int }
	counts := make(map[string]*count)
	var missed, falsely []string
	for _, p := range src.programs {
		codes := src.codes(p.name, reports)
		if p.right {
			if len(codes) > 0 {
				falsely = append(falsely, p.name)
			}
			continue
		}
		for _, class := range []string{p.class, "all"} {
			c := counts[class]
			if c == nil {
				c = new(count)
				counts[class] = c
			}
			c.all++
			if len(codes) > 0 {
				c.found++
			}
			if slices.Contains(codes, p.class) {
				c.named++
			}
		}
		if len(codes) == 0 {
			missed = append(missed, p.class+" "+p.name)
		}
	}
	t.Logf("missed:\n%s", strings.Join(missed, "\n"))
	if slices.Sort(falsely); !slices.Equal(falsely, loud) {
		t.Errorf("reported and right: %v, want %v", falsely, loud)
	}

	var want strings.Builder
	fmt.Fprintf(&want, "| class | programs | reported | under that code |\n| --- | --- | --- | --- |\n")
	for _, class := range slices.Sorted(maps.Keys(counts)) {
		c := counts[class]
		fmt.Fprintf(&want, "| %s | %d | %d | %d |\n", class, c.all, c.found, c.named)
	}
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), want.String()) {
		t.Errorf("README.md lacks this table:\n%s", want.String())
	}
}

// A source is the folder of programs: one function each, and their helpers.
type source struct {
	programs []program
	funcs    []function
}

// A program is one that its table lists. The name of its file tells the rest.
type program struct {
	name, class string
	right       bool
}

// A function stands on some lines of a file and calls others.
type function struct {
	name, file  string
	first, last int
	calls       map[string]bool
}

func readSource(dir string) (*source, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	src := new(source)
	set := token.NewFileSet()
	for _, name := range names {
		base := strings.TrimSuffix(filepath.Base(name), ".go")
		f, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			return nil, err
		}
		class, kind, _ := strings.Cut(base, "_")
		if class >= "oct001" && class <= "oct009" {
			src.addPrograms(f, strings.ToUpper(class), kind == "alike")
		}
		for _, d := range f.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok {
				src.funcs = append(src.funcs, function{fd.Name.Name, base + ".go",
					set.Position(fd.Pos()).Line, set.Position(fd.End()).Line, callsIn(fd)})
			}
		}
	}
	return src, nil
}

// addPrograms adds what the file's lists of type []program name.
func (src *source) addPrograms(f *ast.File, class string, right bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		list, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		at, ok := list.Type.(*ast.ArrayType)
		if !ok {
			return true
		}
		if elem, ok := at.Elt.(*ast.Ident); !ok || elem.Name != "program" {
			return true
		}
		for _, e := range list.Elts {
			name := e.(*ast.CompositeLit).Elts[0].(*ast.Ident).Name
			src.programs = append(src.programs, program{name, class, right})
		}
		return false
	})
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

// codes returns the codes that are reported in the program name or in its
// helpers.
func (src *source) codes(name string, reports []finding) []string {
	within := map[string]bool{name: true}
	for grown := true; grown; {
		grown = false
		for _, f := range src.funcs {
			for callee := range f.calls {
				if within[f.name] && !within[callee] {
					within[callee], grown = true, true
				}
			}
		}
	}
	var codes []string
	for _, r := range reports {
		place := strings.Split(filepath.Base(r.Posn), ":")
		line, _ := strconv.Atoi(place[1])
		if slices.ContainsFunc(src.funcs, func(f function) bool {
			return within[f.name] && f.file == place[0] && f.first <= line && line <= f.last
		}) {
			codes = append(codes, r.Category)
		}
	}
	return codes
}

// reportsIn runs poolcheck on a package of the module in dir.
func reportsIn(t *testing.T, dir, pkg string) []finding {
	t.Helper()
	out, errs, _ := start(t, dir, self(t), "-json", pkg)
	var found findings
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	var all []finding
	for _, byAnalyzer := range found {
		for _, list := range byAnalyzer {
			all = append(all, list...)
		}
	}
	return all
}
