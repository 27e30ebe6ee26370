package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A bug is one that a module had and mended: a line of mended.tsv or sealed.tsv.
type bug struct {
	faulty, fixed module // fixed has no version if the proxy lacks it
	places        []place
	codes         []string // a right report has one of these
	fault         string
}

// A place is a file, by its base name, and the functions of it in which a right report stands.
type place struct {
	file      string
	functions []string
}

// readBugs reads lines of eight fields that tabs separate:
//
//	module  faulty  fixed  packages  place  codes  mended by  what it was
//
// Packages and places are lists that spaces separate; a place is file:function,function.
func readBugs(name string) ([]bug, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var bugs []bug
	for n, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		b, err := parseBug(strings.Split(line, "\t"))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n+1, err)
		}
		bugs = append(bugs, b)
	}
	return bugs, nil
}

func parseBug(f []string) (bug, error) {
	if len(f) != 8 || slices.Contains(f, "") {
		return bug{}, fmt.Errorf("%d fields, want 8 that are not empty: module, faulty, fixed, packages, place, codes, mended by, what it was", len(f))
	}
	b := bug{faulty: module{f[0], f[1], strings.Fields(f[3])}, codes: strings.Split(f[5], ","), fault: f[7]}
	if f[2] != "-" {
		b.fixed = module{f[0], f[2], b.faulty.packages}
	}
	for _, text := range strings.Fields(f[4]) {
		file, functions, ok := strings.Cut(text, ":")
		if !ok || !strings.HasSuffix(file, ".go") || functions == "" {
			return bug{}, fmt.Errorf("place %q, want file.go:function,function", text)
		}
		b.places = append(b.places, place{file, strings.Split(functions, ",")})
	}
	for _, code := range b.codes {
		if len(code) != len("OCT001") || !strings.HasPrefix(code, "OCT") {
			return bug{}, fmt.Errorf("code %q, want one as OCT001", code)
		}
	}
	return b, nil
}

// served says whether the version is one that the module proxy has. Others are commits.
func (m module) served() bool { return strings.HasPrefix(m.version, "v") }

// reported returns the reports, in a copy of the module in dir, that tell of the bug. It is an error if no function that
// the list names is there: such a list says nothing.
func (b bug) reported(dir string, reports []report) (right []report, err error) {
	for _, p := range b.places {
		found := false
		for _, pkg := range b.faulty.packages {
			name := path.Join(pkg, p.file)
			lines, err := linesOf(filepath.Join(dir, name), p.functions)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			found = found || len(lines) > 0
			for _, r := range reports {
				if file, line := r.place(); file == name && slices.Contains(b.codes, r.code) && slices.ContainsFunc(lines, func(l [2]int) bool {
					return l[0] <= line && line <= l[1]
				}) {
					right = append(right, r)
				}
			}
		}
		if !found {
			return nil, fmt.Errorf("%s has no function %v", p.file, p.functions)
		}
	}
	return right, nil
}

// place returns the file and the line of a report.
func (r report) place() (file string, line int) {
	file, rest, _ := strings.Cut(r.pos, ":")
	text, _, _ := strings.Cut(rest, ":")
	line, _ = strconv.Atoi(text)
	return file, line
}

// linesOf returns the first and the last line of each of the functions in a file.
func linesOf(name string, functions []string) (lines [][2]int, err error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && slices.Contains(functions, fn.Name.Name) {
			lines = append(lines, [2]int{fset.Position(fn.Pos()).Line, fset.Position(fn.End()).Line})
		}
	}
	return lines, nil
}

// findBugs checks the faulty and the mended version of each bug, and says which are found.
func findBugs(out io.Writer, list string, only *regexp.Regexp, check func(module) (dir string, res result, err error)) error {
	bugs, err := readBugs(list)
	if err != nil {
		return err
	}
	var s score
	var failed []error
	fmt.Fprintln(out, "| module | bug | poolcheck |\n| --- | --- | --- |")
	for _, b := range bugs {
		if !only.MatchString(b.faulty.path) {
			continue
		}
		verdict := "not checked: the proxy does not have this version"
		if b.faulty.served() {
			if verdict, err = s.add(b, check); err != nil {
				failed = append(failed, fmt.Errorf("%s: %w", b.faulty, err))
				verdict = "not checked: see below"
			}
		}
		fmt.Fprintf(out, "| %s | %s | %s |\n", b.faulty, b.fault, verdict)
	}
	fmt.Fprintf(out, "\n%d of %d bugs found; %d reports of them in %d mended versions; %d other reports in the faulty ones\n",
		s.found, s.bugs, s.false, s.fixed, s.other)
	return errors.Join(failed...)
}

// A score adds up what poolcheck said of the bugs.
type score struct {
	bugs, found  int
	fixed, false int // mended versions, and reports of the bug in one
	other        int // reports of something else, in the faulty versions
}

// add checks both versions of the module, and returns what was reported.
func (s *score) add(b bug, check func(module) (dir string, res result, err error)) (verdict string, err error) {
	dir, res, err := check(b.faulty)
	if err != nil {
		return "", err
	}
	right, err := b.reported(dir, res.reports)
	if err != nil {
		return "", err
	}
	if len(res.unbuilt) > 0 {
		return "", fmt.Errorf("does not build: %v", res.unbuilt)
	}
	s.bugs++
	s.other += len(res.reports) - len(right)
	verdict = "missed"
	if len(right) > 0 {
		s.found++
		verdict = "found at " + right[0].pos + " " + right[0].code
	}
	if b.fixed.version != "" {
		dir, res, err := check(b.fixed)
		if err != nil {
			return "", err
		}
		// A function that the mending removed has no report.
		wrong, _ := b.reported(dir, res.reports)
		s.fixed++
		s.false += len(wrong)
		for _, r := range wrong {
			verdict += ", and in " + b.fixed.version + " at " + r.pos
		}
	}
	return verdict, nil
}
