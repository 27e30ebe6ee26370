package poolcheck_test

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/octet-go/octet/poolcheck"
)

// TestMatrix puts each of some faults into each of some shapes of pools.
//
// A shape is a file of testdata/matrix/shapes. It declares a pool, and says what the
// placeholders T, acquire, release, use and view stand for. A fault is a section of a file
// of testdata/matrix/faults: its name, the codes that may report it, and a program of the
// placeholders in two versions. Lines that end in "// fault" are only in the version with the
// fault, and lines that end in "// mended" only in the other.
//
// In the version with the fault one of its codes is reported, outside of what the pool
// declares, unless silent or leftOut lists it. In the mended version nothing is reported.
func TestMatrix(t *testing.T) {
	shapes, faults := readShapes(t), readFaults(t)
	checkCells(t, shapes, faults)
	imports := loadImports(t)
	var programs []*program
	for _, s := range shapes {
		for _, f := range faults {
			if reasonToLeaveOut(s.name, f.name) == "" {
				programs = append(programs, newProgram(t, imports, s, f, false))
			}
			if expressible(s.name, f.name) {
				programs = append(programs, newProgram(t, imports, s, f, true))
			}
		}
	}
	analyze(t, programs)
	found, missing, mended := 0, 0, 0
	for _, p := range programs {
		listed := lists(silent[p.fault.name], p.shape.name)
		switch {
		case p.mended:
			mended++
		case listed:
			missing++
		default:
			found++
		}
		t.Run(p.name, func(t *testing.T) {
			switch {
			case p.mended && len(p.reports) > 0:
				t.Errorf("the mended program has reports\n%s", p)
			case !p.mended && p.found() && listed:
				t.Errorf("found: take it off the list of what is silent\n%s", p)
			case !p.mended && !p.found() && !listed:
				t.Errorf("no report of %v in program.go\n%s", p.fault.codes, p)
			}
		})
	}
	t.Logf("%d shapes, %d faults: %d programs found, %d silent, %d left out; %d mended", len(shapes), len(faults),
		found, missing, len(shapes)*len(faults)-found-missing, mended)
}

// all stands for all shapes.
const all = "all"

// silent lists faults that the promise does not cover in some shapes.
var silent = map[string]string{
	"callee-twice":       "fallible struct wrapped",
	"case-without":       "owner",
	"deferred-after":     "owner",
	"deferred-twice":     "fallible struct wrapped",
	"early-return":       "owner",
	"error-of-callback":  "owner",
	"error-of-helper":    "owner",
	"error-of-interface": "owner",
	"error-of-write":     "owner",
	"error-shows":        "owner",
	"full-channel":       "owner",
	"goroutine-reads":    "owner",
	"grown":              "wrapped",
	"in-struct":          "owner",
	"never":              "direct owner",
	"not-sent":           "owner",
	"parsed":             "owner",
	"peeked":             "sized",
	"read-loop":          "owner",
	"result-dropped":     "owner",
	"returned":           "owner",
	"second-fails":       "owner",
	"stored":             "fallible owner struct",
	"unsafe-string":      "owner",
	"view-after":         "owner",
	"whole-sent":         "sized",
}

// leftOut lists what is no fault in some shapes, or is not reported there on purpose.
var leftOut = []struct{ faults, shapes, why string }{
	{"deferred-twice callee-twice in-each-round missing-return", "owner", "the second release does nothing"},
	{"use-after use-after-callee grown", "owner", "the struct has forgotten its memory, so that the use panics and touches none"},
}

// slicesOnly has the faults that need slices, and the shapes whose pools hand out slices.
var slicesOnly = struct{ faults, shapes string }{"rest-released peeked whole-sent", "sized"}

// lists reports whether a list of names, separated by spaces, has name in it.
func lists(list, name string) bool {
	return list == all || slices.Contains(strings.Fields(list), name)
}

// expressible reports whether the program of a fault can be written for a shape.
func expressible(shape, fault string) bool {
	return !lists(slicesOnly.faults, fault) || lists(slicesOnly.shapes, shape)
}

// reasonToLeaveOut returns why a fault is left out in a shape, "" if it is not.
func reasonToLeaveOut(shape, fault string) string {
	if !expressible(shape, fault) {
		return "the shape does not hand out slices"
	}
	for _, l := range leftOut {
		if lists(l.faults, fault) && lists(l.shapes, shape) {
			return l.why
		}
	}
	return ""
}

// checkCells checks that the lists name shapes and faults that there are, and no cell both
// as silent and as left out.
func checkCells(t *testing.T, shapes []*shape, faults []*fault) {
	t.Helper()
	isShape, isFault := make(map[string]bool), make(map[string]bool)
	for _, s := range shapes {
		isShape[s.name] = true
	}
	for _, f := range faults {
		if isFault[f.name] {
			t.Errorf("two faults are called %s", f.name)
		}
		isFault[f.name] = true
	}
	check := func(faults, shapes string) {
		for _, f := range strings.Fields(faults) {
			if !isFault[f] {
				t.Errorf("a list names %s, which is no fault", f)
			}
		}
		for _, s := range strings.Fields(shapes) {
			if s != all && !isShape[s] {
				t.Errorf("a list names %s, which is no shape", s)
			}
		}
	}
	check(slicesOnly.faults, slicesOnly.shapes)
	for _, l := range leftOut {
		check(l.faults, l.shapes)
	}
	for fault, list := range silent {
		check(fault, list)
		for _, s := range strings.Fields(list) {
			if why := reasonToLeaveOut(s, fault); s != all && why != "" {
				t.Errorf("%s is listed as silent in %s and left out: %s", fault, s, why)
			}
		}
	}
}

// matrixDir is the folder of the shapes and faults.
var matrixDir = filepath.Join("testdata", "matrix")

// A shape is one way to write a pool.
type shape struct {
	name         string
	text         string // the declarations, without the package clause
	memory       string // the type that T stands for
	placeholders map[string]placeholder
}

// A placeholder is a function of one statement that stands for that statement.
type placeholder struct {
	text   string
	params []int // the offsets in text of the parameter v
}

// readShapes reads the shapes, each with the declarations that all programs share.
func readShapes(t *testing.T) []*shape {
	t.Helper()
	common, file, offset := parseFile(t, filepath.Join(matrixDir, "common.go"))
	common = common[offset(file.Name.End()):]
	names, err := filepath.Glob(filepath.Join(matrixDir, "shapes", "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no shapes: %v", err)
	}
	var shapes []*shape
	for _, name := range names {
		text, file, offset := parseFile(t, name)
		s := &shape{
			name:         strings.TrimSuffix(filepath.Base(name), ".go"),
			placeholders: make(map[string]placeholder),
		}
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.GenDecl:
				if spec, ok := decl.Specs[0].(*ast.TypeSpec); ok && spec.Name.Name == "T" {
					s.memory = text[offset(spec.Type.Pos()):offset(spec.Type.End())]
					s.text = text[offset(file.Name.End()):offset(decl.Pos())] + common
				}
			case *ast.FuncDecl:
				if s.memory != "" {
					s.placeholders[decl.Name.Name] = newPlaceholder(text, decl, offset)
				}
			}
		}
		if got, want := slices.Sorted(maps.Keys(s.placeholders)), []string{"acquire", "release", "use", "view"}; !slices.Equal(got, want) {
			t.Fatalf("%s defines the placeholders %v, want %v after T", name, got, want)
		}
		shapes = append(shapes, s)
	}
	return shapes
}

// parseFile returns the text of a file, its syntax, and a function from positions to
// offsets in the text.
func parseFile(t *testing.T, name string) (string, *ast.File, func(token.Pos) int) {
	t.Helper()
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return string(src), file, fset.File(file.FileStart).Offset
}

func newPlaceholder(text string, decl *ast.FuncDecl, offset func(token.Pos) int) placeholder {
	var body ast.Node = decl.Body.List[0]
	if ret, ok := body.(*ast.ReturnStmt); ok {
		body = ret.Results[0]
	}
	start := offset(body.Pos())
	p := placeholder{text: text[start:offset(body.End())]}
	ast.Inspect(body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == "v" {
			p.params = append(p.params, offset(id.Pos())-start)
		}
		return true
	})
	return p
}

// with returns the text with arg in the place of the parameter.
func (p placeholder) with(arg string) string {
	var b strings.Builder
	end := 0
	for _, at := range p.params {
		b.WriteString(p.text[end:at] + arg)
		end = at + len("v")
	}
	return b.String() + p.text[end:]
}

// A fault is a program with a fault, which one of several codes may report.
type fault struct {
	name  string
	codes []string
	text  string // both versions, line by line
}

var (
	// faultHead begins the section of a fault.
	faultHead = regexp.MustCompile(`(?m)^//fault:([a-z-]+)((?: OCT00[1-9])+)\n(?://.*\n)*`)
	// versionMark ends a line that is not in both versions.
	versionMark = regexp.MustCompile(`(?m)\s*// (fault|mended)$`)
)

func readFaults(t *testing.T) []*fault {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(matrixDir, "faults", "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no faults: %v", err)
	}
	var faults []*fault
	for _, name := range names {
		text, _, _ := parseFile(t, name)
		heads := faultHead.FindAllStringSubmatchIndex(text, -1)
		if len(heads) != strings.Count(text, "//fault:") {
			t.Fatalf("%s: not all sections begin with //fault:name OCT00n", name)
		}
		for i, h := range heads {
			end := len(text)
			if i+1 < len(heads) {
				end = heads[i+1][0]
			}
			f := &fault{text[h[2]:h[3]], strings.Fields(text[h[4]:h[5]]), text[h[1]:end]}
			if f.version(false) == f.version(true) {
				t.Fatalf("%s: %s is the same with and without its fault", name, f.name)
			}
			faults = append(faults, f)
		}
	}
	return faults
}

// version returns the text with the fault, or mended.
func (f *fault) version(mended bool) string {
	other := "mended"
	if mended {
		other = "fault"
	}
	var b strings.Builder
	for line := range strings.Lines(f.text) {
		if m := versionMark.FindStringSubmatch(line); m == nil || m[1] != other {
			b.WriteString(versionMark.ReplaceAllString(line, ""))
		}
	}
	return b.String()
}

// A program is one version of a fault in one shape, as a package of two files.
type program struct {
	name    string
	shape   *shape
	fault   *fault
	mended  bool
	pool    []byte // pool.go
	rest    []byte // program.go
	pkg     *packages.Package
	reports []analysis.Diagnostic
}

func newProgram(t *testing.T, imports imports, s *shape, f *fault, mended bool) *program {
	t.Helper()
	p := &program{name: s.name + "/" + f.name, shape: s, fault: f, mended: mended}
	if mended {
		p.name += "/mended"
	}
	p.pool = source(t, s.text)
	p.rest = source(t, s.expand(t, f.version(mended)))
	fset := token.NewFileSet()
	p.pkg = &packages.Package{
		ID:         "matrix/" + p.name,
		Name:       "matrix",
		PkgPath:    "matrix/" + p.name,
		Fset:       fset,
		TypesSizes: types.SizesFor("gc", runtime.GOARCH),
		TypesInfo: &types.Info{
			Types:        make(map[ast.Expr]types.TypeAndValue),
			Defs:         make(map[*ast.Ident]types.Object),
			Uses:         make(map[*ast.Ident]types.Object),
			Implicits:    make(map[ast.Node]types.Object),
			Instances:    make(map[*ast.Ident]types.Instance),
			Scopes:       make(map[ast.Node]*types.Scope),
			Selections:   make(map[*ast.SelectorExpr]*types.Selection),
			FileVersions: make(map[*ast.File]string),
		},
	}
	for _, file := range []struct {
		name string
		src  []byte
	}{{"pool.go", p.pool}, {"program.go", p.rest}} {
		syntax, err := parser.ParseFile(fset, file.name, file.src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("%s: %v\n%s", p.name, err, p)
		}
		p.pkg.Syntax = append(p.pkg.Syntax, syntax)
	}
	conf := types.Config{Importer: imports, Sizes: p.pkg.TypesSizes}
	var err error
	if p.pkg.Types, err = conf.Check(p.pkg.PkgPath, fset, p.pkg.Syntax, p.pkg.TypesInfo); err != nil {
		t.Fatalf("%s: %v\n%s", p.name, err, p)
	}
	return p
}

// expand replaces the placeholders in the text of a fault.
func (s *shape) expand(t *testing.T, text string) string {
	t.Helper()
	const clause = "package matrix\n"
	text = clause + text
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	offset := fset.File(file.FileStart).Offset
	var found []ast.Expr // in the order of the text, a call before those in its argument
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if n.Name == "T" {
				found = append(found, n)
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && s.placeholders[id.Name].text != "" {
				found = append(found, n)
			}
		}
		return true
	})
	var expanded func(from, to int) string
	expanded = func(from, to int) string {
		var b strings.Builder
		for len(found) > 0 && offset(found[0].Pos()) < to {
			x := found[0]
			found = found[1:]
			b.WriteString(text[from:offset(x.Pos())])
			if call, ok := x.(*ast.CallExpr); ok {
				arg := ""
				for _, a := range call.Args {
					arg = expanded(offset(a.Pos()), offset(a.End()))
				}
				b.WriteString(s.placeholders[call.Fun.(*ast.Ident).Name].with(arg))
			} else {
				b.WriteString(s.memory)
			}
			from = offset(x.End())
		}
		return b.String() + text[from:to]
	}
	return expanded(len(clause), len(text))
}

// importable has the packages that programs may import, by name.
var importable = map[string]string{
	"atomic": "sync/atomic", "bufio": "bufio", "bytes": "bytes", "context": "context", "errors": "errors", "fmt": "fmt", "io": "io", "list": "container/list",
	"sync": "sync", "time": "time", "unsafe": "unsafe",
}

// source returns the declarations as a file that imports what they need.
func source(t *testing.T, decls string) []byte {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "", "package matrix\n"+decls, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v\n%s", err, decls)
	}
	needed := make(map[string]bool)
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && importable[x.Name] != "" {
				needed[importable[x.Name]] = true
			}
		}
		return true
	})
	var b bytes.Buffer
	b.WriteString("package matrix\n\n")
	for _, path := range slices.Sorted(maps.Keys(needed)) {
		fmt.Fprintf(&b, "import %q\n", path)
	}
	b.WriteString(decls)
	src, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, decls)
	}
	return src
}

// imports has the packages that programs import, by path.
type imports map[string]*types.Package

func (m imports) Import(path string) (*types.Package, error) {
	if pkg := m[path]; pkg != nil {
		return pkg, nil
	}
	return nil, fmt.Errorf("package %s is not loaded", path)
}

func loadImports(t *testing.T) imports {
	t.Helper()
	list, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes},
		slices.Sorted(maps.Values(importable))...)
	if err != nil {
		t.Fatal(err)
	}
	m := make(imports)
	for _, pkg := range list {
		if len(pkg.Errors) > 0 {
			t.Fatal(pkg.Errors[0])
		}
		m[pkg.PkgPath] = pkg.Types
	}
	return m
}

// analyze fills in the reports of the programs.
func analyze(t *testing.T, programs []*program) {
	t.Helper()
	byPackage := make(map[*packages.Package]*program)
	var pkgs []*packages.Package
	for _, p := range programs {
		byPackage[p.pkg] = p
		pkgs = append(pkgs, p.pkg)
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{poolcheck.New()}, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Fatalf("%s: %v", act.Package.PkgPath, act.Err)
		}
		slices.SortFunc(act.Diagnostics, func(a, b analysis.Diagnostic) int { return cmp.Compare(a.Pos, b.Pos) })
		byPackage[act.Package].reports = act.Diagnostics
	}
}

// found reports whether one of the fault's codes is reported outside of the pool.
func (p *program) found() bool {
	return slices.ContainsFunc(p.reports, func(d analysis.Diagnostic) bool {
		return slices.Contains(p.fault.codes, d.Category) && p.pkg.Fset.Position(d.Pos).Filename == "program.go"
	})
}

// String returns the program and its reports.
func (p *program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- pool.go --\n%s-- program.go --\n%s-- reports --\n", p.pool, p.rest)
	for _, d := range p.reports {
		fmt.Fprintf(&b, "%v: %s\n", p.pkg.Fset.Position(d.Pos), d.Message)
		for _, r := range d.Related {
			fmt.Fprintf(&b, "\t%v: %s\n", p.pkg.Fset.Position(r.Pos), r.Message)
		}
	}
	if len(p.reports) == 0 {
		b.WriteString("none\n")
	}
	return b.String()
}
