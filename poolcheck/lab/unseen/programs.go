package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// listName is the file, in the folder of a set, that lists its programs.
const listName = "programs.tsv"

// A program is a folder with a package that has the fault, and the difference to one that has not.
type program struct {
	name  string
	codes []string // a right report has one of these; the first is the class
	lines []int    // and stands on one of these lines of bug/bug.go

	repository string // as owner/name
	reference  string // the pull request, the commit, or both
	fault      string // in one line
}

var (
	codePattern       = regexp.MustCompile(`^OCT00[1-9]$`)
	repositoryPattern = regexp.MustCompile(`^[\w.-]+/[\w.-]+$`)
	numberPattern     = regexp.MustCompile(`#[0-9]+`)
)

// readPrograms reads the list of a set. Its lines have six fields that tabs
// separate:
//
//	program  codes  lines  repository  reference  what it was
//
// Codes and lines are lists that commas separate.
func readPrograms(set string) ([]program, error) {
	name := filepath.Join(set, listName)
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var programs []program
	for n, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		p, err := parseProgram(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n+1, err)
		}
		programs = append(programs, p)
	}
	return programs, matchFolders(set, programs)
}

func parseProgram(line string) (program, error) {
	f := strings.Split(line, "\t")
	if len(f) != 6 {
		return program{}, fmt.Errorf("%d fields, want 6: program, codes, lines, repository, reference, what it was", len(f))
	}
	p := program{name: f[0], codes: strings.Split(f[1], ","), repository: f[3], reference: f[4], fault: f[5]}
	for _, code := range p.codes {
		if !codePattern.MatchString(code) {
			return p, fmt.Errorf("code %q, want OCT001 to OCT009", code)
		}
	}
	for _, text := range strings.Split(f[2], ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n <= 0 {
			return p, fmt.Errorf("line %q is no number from 1", text)
		}
		p.lines = append(p.lines, n)
	}
	if !slices.IsSorted(p.lines) {
		return p, errors.New("the lines are not in order")
	}
	if !repositoryPattern.MatchString(p.repository) {
		return p, fmt.Errorf("repository %q, want owner/name", p.repository)
	}
	if p.reference == "" || p.fault == "" {
		return p, errors.New("no reference, or nothing that says what it was")
	}
	return p, nil
}

// matchFolders returns an error unless the list names the folders of the set,
// in the order of their numbers, and each once.
func matchFolders(set string, programs []program) error {
	entries, err := os.ReadDir(set)
	if err != nil {
		return err
	}
	var folders, listed []string
	for _, e := range entries {
		if e.IsDir() {
			folders = append(folders, e.Name())
		}
	}
	// The folders come in the order of their names, which has 100 before 11.
	slices.SortStableFunc(folders, func(a, b string) int {
		return strings.Index(a, "-") - strings.Index(b, "-")
	})
	for _, p := range programs {
		listed = append(listed, p.name)
	}
	if !slices.Equal(folders, listed) {
		return fmt.Errorf("%s lists %v and has the folders %v", set, listed, folders)
	}
	return nil
}

// load loads the packages of a set. With deps it also loads what they import,
// from source.
func load(set string, deps bool) (map[string]*packages.Package, error) {
	mode := packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
		packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo
	if deps {
		mode |= packages.NeedDeps | packages.NeedModule
	}
	// What the programs import is beside them or among poolcheck's own test
	// programs.
	path := filepath.Join(sourceDir(), "testdata") + string(filepath.ListSeparator) +
		filepath.Join(sourceDir(), "..", "..", "testdata")
	mended, err := overlay(set)
	if err != nil {
		return nil, err
	}
	list, err := packages.Load(&packages.Config{
		Overlay: mended,
		Mode:    mode,
		Dir:     programsDir(),
		Env:     append(os.Environ(), "GOPATH="+path, "GO111MODULE=off", "GOWORK=off", "GOFLAGS="),
	}, set+"/...")
	if err != nil {
		return nil, err
	}
	byPath := make(map[string]*packages.Package)
	for _, pkg := range list {
		if len(pkg.Errors) > 0 {
			return nil, pkg.Errors[0]
		}
		byPath[pkg.PkgPath] = pkg
	}
	return byPath, nil
}

// The two packages of a program.
const (
	bug   = "bug"
	fixed = "fixed"
)

// version returns one of the packages of a program, which has one file.
func version(byPath map[string]*packages.Package, set string, p program, which string) (*packages.Package, error) {
	pkg := byPath[set+"/"+p.name+"/"+which]
	if pkg == nil {
		return nil, fmt.Errorf("%s/%s has no package %s", set, p.name, which)
	}
	if len(pkg.GoFiles) != 1 || filepath.Base(pkg.GoFiles[0]) != which+".go" {
		return nil, fmt.Errorf("%s has the files %v, want %s.go", pkg.PkgPath, pkg.GoFiles, which)
	}
	return pkg, nil
}

// checkPrograms returns an error unless the programs have correct types, their
// versions differ, a statement begins on each of their lines, and poolcheck's
// documents cite none of the fixes.
func checkPrograms(set string, programs []program) error {
	byPath, err := load(set, false)
	if err != nil {
		return err
	}
	cited, err := documents()
	if err != nil {
		return err
	}
	for _, p := range programs {
		wrong, err := version(byPath, set, p, bug)
		if err != nil {
			return err
		}
		right, err := version(byPath, set, p, fixed)
		if err != nil {
			return err
		}
		if sameCode(wrong, right) {
			return fmt.Errorf("%s/%s: the versions do not differ", set, p.name)
		}
		begun := beginnings(wrong)
		for _, n := range p.lines {
			if !begun[n] {
				return fmt.Errorf("%s/%s: no code begins on line %d", set, p.name, n)
			}
		}
		for _, number := range numberPattern.FindAllString(p.reference, -1) {
			if regexp.MustCompile(regexp.QuoteMeta(p.repository+number) + `\b`).MatchString(cited) {
				return fmt.Errorf("%s/%s: poolcheck's documents cite %s%s", set, p.name, p.repository, number)
			}
		}
	}
	return nil
}

// sameCode tells whether two packages differ only in their names and comments.
func sameCode(a, b *packages.Package) bool {
	code := func(p *packages.Package) string {
		var out strings.Builder
		for _, d := range p.Syntax[0].Decls {
			format.Node(&out, p.Fset, d)
		}
		return out.String()
	}
	return code(a) == code(b)
}

// beginnings returns the lines on which something in a function begins.
func beginnings(pkg *packages.Package) map[int]bool {
	lines := make(map[int]bool)
	for _, f := range pkg.Syntax {
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				ast.Inspect(fn.Body, func(n ast.Node) bool {
					if n != nil {
						lines[pkg.Fset.Position(n.Pos()).Line] = true
					}
					return true
				})
			}
		}
	}
	return lines
}

// documents returns the text of poolcheck's documents.
func documents() (string, error) {
	names, err := filepath.Glob(filepath.Join(sourceDir(), "..", "..", "docs", "*.md"))
	if err != nil {
		return "", err
	}
	names = append(names, filepath.Join(sourceDir(), "..", "..", "README.md"))
	var all strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		all.Write(text)
	}
	return all.String(), nil
}
