package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"io"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/octet-go/octet/poolcheck"
	"github.com/octet-go/octet/poolcheck/internal/console"
	"github.com/octet-go/octet/poolcheck/internal/driver"
)

// A finding is one diagnostic, in the form in which go vet -json prints it.
type finding struct {
	Category string    `json:"category,omitempty"`
	Posn     string    `json:"posn"`
	End      string    `json:"end,omitempty"`
	Message  string    `json:"message"`
	URL      string    `json:"url,omitempty"`
	Fixes    []fix     `json:"suggested_fixes,omitempty"`
	Related  []related `json:"related,omitempty"`

	at token.Position // as in Posn
}

type related struct {
	Posn    string `json:"posn"`
	End     string `json:"end,omitempty"`
	Message string `json:"message"`
}

type fix struct {
	Message string `json:"message"`
	Edits   []edit `json:"edits"`
}

type edit struct {
	Filename string `json:"filename"`
	Start    int    `json:"start"`
	End      int    `json:"end"`
	New      string `json:"new"`
}

// findings maps a package to what was found.
type findings map[string][]finding

// failures maps a package to why it could not be analyzed.
type failures map[string]string

// A result is what came of the packages that were asked for.
type result struct {
	packages, checked int
	findings          findings
	failures          failures
}

// check analyzes the packages. Those that do not build are reported on stderr.
func check(ctx context.Context, o *options, t *tables, say *console.Console, stderr io.Writer) (*result, error) {
	a := poolcheck.New()
	a.Flags.Set("codes", o.codes)
	a.Flags.Set("table", t.names)
	a.Flags.Set("std", "true") // of the standard library, the driver analyzes what was asked for
	packages, fset, err := driver.Run(ctx, driver.Config{
		Analyzer: a, Table: t.table, Patterns: o.patterns, Tags: o.tags, Tests: o.test,
		Checked: func(done, all int) { say.Progress(fmt.Sprintf("%d of %s", done, console.Count(all, "package"))) },
	})
	if err != nil {
		return nil, err
	}
	res := &result{packages: len(packages), findings: make(findings), failures: make(failures)}
	for _, p := range packages {
		if p.Checked {
			res.checked++
		}
		for _, d := range p.Diagnostics {
			res.findings[p.Path] = append(res.findings[p.Path], found(fset, d))
		}
		if p.Err != nil {
			res.failures[p.Path] = why(p.Err)
			fmt.Fprintf(stderr, "poolcheck: %s: %s\n", p.Path, res.failures[p.Path])
		}
	}
	return res, nil
}

// why says why a package does not build, with the place relative to the working directory.
func why(err error) string {
	var fault types.Error
	if errors.As(err, &fault) {
		return relative(fault.Fset.Position(fault.Pos).String()) + ": " + fault.Msg
	}
	return strings.TrimPrefix(err.Error(), "-: ")
}

// found returns a diagnostic as a finding.
func found(fset *token.FileSet, d analysis.Diagnostic) finding {
	at := func(p token.Pos) string { return fset.Position(p).String() }
	f := finding{
		Category: d.Category, Posn: at(d.Pos), End: at(cmp.Or(d.End, d.Pos)), Message: d.Message, URL: pageOf(d.Category),
		at: fset.Position(d.Pos),
	}
	for _, s := range d.SuggestedFixes {
		fixes := fix{Message: s.Message}
		for _, e := range s.TextEdits {
			start := fset.Position(e.Pos)
			fixes.Edits = append(fixes.Edits, edit{start.Filename, start.Offset, fset.Position(e.End).Offset, string(e.NewText)})
		}
		f.Fixes = append(f.Fixes, fixes)
	}
	for _, r := range d.Related {
		f.Related = append(f.Related, related{at(r.Pos), at(cmp.Or(r.End, r.Pos)), r.Message})
	}
	return f
}

// complete reports whether all packages were checked.
func (r *result) complete() bool { return len(r.failures) == 0 && r.checked == r.packages }

// String says how many packages were checked, and what came of it.
func (r *result) String() string {
	what := "nothing found"
	if n := len(sorted(r.findings)); n > 0 {
		what = console.Count(n, "finding")
	}
	if n := len(r.failures); n > 0 {
		what += fmt.Sprintf(", %d not checked", n)
	}
	packages := console.Count(r.packages, "package")
	if r.checked < r.packages {
		return fmt.Sprintf("interrupted: %d of %s checked: %s", r.checked, packages, what)
	}
	return packages + ": " + what
}
