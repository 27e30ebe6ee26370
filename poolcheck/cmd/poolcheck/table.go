package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/octet-go/octet/poolcheck/internal/api"
	"github.com/octet-go/octet/poolcheck/internal/ir"
)

// A tableRow is a row of a file for -table.
type tableRow struct {
	file string
	line int
	name string // of the function
}

// tables are the files of -table.
type tables struct {
	names string // absolute, with commas between
	sum   string // a checksum
	rows  []tableRow
	table api.Table // with their rows
}

// readTables reads and parses the files in list, so that a fault is reported once, not for each package.
func readTables(list string) (*tables, error) {
	t := &tables{table: api.New()}
	var files []string
	hash := sha256.New()
	for _, name := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
		abs, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		text, err := os.ReadFile(abs)
		if err != nil {
			return nil, err
		}
		if err := t.table.Extend(string(text)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		hash.Write(text)
		files = append(files, abs)
		for n, fields := range api.Rows(string(text)) {
			t.rows = append(t.rows, tableRow{name, n, fields[1]})
		}
	}
	t.names, t.sum = strings.Join(files, ","), hex.EncodeToString(hash.Sum(nil))
	return t, nil
}

// check prints the rows whose function does not exist, and returns whether there is no such row. A package that the
// module does not use is printed but is no failure: one table may serve many modules.
func (t *tables) check(tags string, stderr io.Writer) (ok bool, err error) {
	var paths []string
	for _, r := range t.rows {
		if path := api.PackageOf(r.name); !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return true, nil
	}
	// Functions that are not exported are known only from source.
	cfg := &packages.Config{Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
		packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo}
	if tags != "" {
		cfg.BuildFlags = []string{"-tags=" + tags}
	}
	pkgs, err := packages.Load(cfg, paths...)
	if err != nil {
		return false, err
	}
	known := make(map[string][]string)
	for _, pkg := range pkgs {
		if len(pkg.Errors) == 0 {
			known[pkg.PkgPath] = functionsOf(pkg.Types)
		}
	}
	ok = true
	for _, r := range t.rows {
		names, loaded := known[api.PackageOf(r.name)]
		switch {
		case !loaded:
			fmt.Fprintf(stderr, "poolcheck: %s:%d: package %s cannot be loaded here: the row has no effect\n", r.file, r.line, api.PackageOf(r.name))
		case !slices.Contains(names, r.name):
			ok = false
			fmt.Fprintf(stderr, "poolcheck: %s:%d: there is no function %s\n", r.file, r.line, r.name)
		}
	}
	return ok, nil
}

// functionsOf returns the names of the functions and methods of a package, as the
// table has them.
func functionsOf(pkg *types.Package) []string {
	var names []string
	add := func(obj types.Object) {
		if f, ok := obj.(*types.Func); ok {
			names = append(names, ir.FullName(f.Origin()))
		}
	}
	for _, name := range pkg.Scope().Names() {
		obj := pkg.Scope().Lookup(name)
		add(obj)
		if t, ok := obj.(*types.TypeName); ok {
			for _, recv := range []types.Type{t.Type(), types.NewPointer(t.Type())} {
				set := types.NewMethodSet(recv)
				for i := range set.Len() {
					add(set.At(i).Obj())
				}
			}
		}
	}
	return names
}
