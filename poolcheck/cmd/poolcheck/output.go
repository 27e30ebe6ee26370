package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/octet-go/octet/poolcheck"
)

// pageOf returns the address of the page for a category, "" if it has none.
func pageOf(category string) string {
	if strings.HasPrefix(category, "OCT") {
		return poolcheck.URL(category)
	}
	return ""
}

// output prints what was found in the form that was asked for.
func output(o *options, found findings, failed failures, stdout io.Writer) error {
	if o.sarif != "" {
		if err := writeSARIF(o.sarif, found, stdout); err != nil {
			return err
		}
		if o.sarif == "-" {
			return nil
		}
	}
	if o.json {
		return writeJSON(o.analyzer, found, failed, stdout)
	}
	for _, f := range sorted(found) {
		fmt.Fprintf(stdout, "%s: %s\n", relative(f.Posn), f.Message)
		for _, r := range f.Related {
			fmt.Fprintf(stdout, "\t%s: %s\n", relative(r.Posn), r.Message)
		}
		if f.URL != "" {
			fmt.Fprintf(stdout, "\t%s\n", f.URL)
		}
	}
	return nil
}

func writeJSON(analyzer string, found findings, failed failures, stdout io.Writer) error {
	tree := make(map[string]map[string]any)
	for pkg, list := range found {
		tree[pkg] = map[string]any{analyzer: list}
	}
	for pkg, why := range failed {
		tree[pkg] = map[string]any{analyzer: map[string]string{"error": why}}
	}
	enc := json.NewEncoder(stdout)
	enc.SetIndent("", "\t")
	return enc.Encode(tree)
}

// writeSARIF writes a SARIF log to the file name, or to stdout.
func writeSARIF(name string, found findings, stdout io.Writer) error {
	rep := report.NewV210Report()
	run := sarif.NewRunWithInformationURI("poolcheck", "https://github.com/octet-go/octet")
	for _, c := range poolcheck.Classes {
		page, _ := poolcheck.Page(c.Code)
		run.AddRule(c.Code).WithName(strings.ReplaceAll(c.Title, " ", "-")).
			WithShortDescription(sarif.NewMultiformatMessageString().WithText(c.Text)).
			WithFullDescription(sarif.NewMultiformatMessageString().WithText(c.Text)).
			WithHelp(sarif.NewMultiformatMessageString().WithText(page).WithMarkdown(page)).
			WithHelpURI(poolcheck.URL(c.Code))
	}
	run.AddRule("comment").WithDescription("A comment for poolcheck is wrong.")
	for _, f := range sorted(found) {
		res := run.CreateResultForRule(f.Category).WithLevel("warning").WithMessage(sarif.NewTextMessage(f.Message))
		res.AddLocation(location(f.Posn))
		var steps []*sarif.ThreadFlowLocation
		for _, r := range f.Related {
			at := location(r.Posn).WithMessage(sarif.NewTextMessage(r.Message))
			res.AddRelatedLocation(at)
			steps = append(steps, sarif.NewThreadFlowLocation().WithLocation(at))
		}
		if len(steps) > 0 {
			res.AddCodeFlow(sarif.NewCodeFlow().AddThreadFlow(sarif.NewThreadFlow().WithLocations(steps)))
		}
	}
	rep.AddRun(run)
	if name == "-" {
		return rep.PrettyWrite(stdout)
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := rep.PrettyWrite(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// location returns the SARIF form of a position "file:line:column".
func location(posn string) *sarif.Location {
	p := parsePosition(posn)
	region := sarif.NewRegion().WithStartLine(p.line).WithStartColumn(p.column)
	return sarif.NewLocationWithPhysicalLocation(sarif.NewPhysicalLocation().
		WithArtifactLocation(sarif.NewSimpleArtifactLocation(uri(p.file))).
		WithRegion(region))
}

// uri returns the URI of a file: relative, if it is below the working directory.
func uri(file string) string {
	rel := relative(file)
	u := url.URL{Path: filepath.ToSlash(rel)}
	if filepath.IsAbs(rel) {
		u.Scheme = "file"
		u.Path = "/" + strings.TrimPrefix(u.Path, "/") // C:/x is /C:/x
	}
	return u.String()
}

type position struct {
	file         string
	line, column int
}

var positionPattern = regexp.MustCompile(`^(.*?)(?::(\d+))?(?::(\d+))?$`)

// parsePosition takes a position "file:line:column" apart. What is missing is 1.
func parsePosition(posn string) position {
	m := positionPattern.FindStringSubmatch(posn)
	line, _ := strconv.Atoi(m[2])
	column, _ := strconv.Atoi(m[3])
	return position{m[1], max(line, 1), max(column, 1)}
}

// relative returns a path below the working directory without that directory.
func relative(path string) string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, path); err == nil && !strings.HasPrefix(rel, "..") {
			return rel
		}
	}
	return path
}

// sorted returns all findings in the order of their positions.
func sorted(found findings) []finding {
	var all []finding
	for _, list := range found {
		all = append(all, list...)
	}
	slices.SortFunc(all, func(a, b finding) int {
		p, q := parsePosition(a.Posn), parsePosition(b.Posn)
		return cmp.Or(cmp.Compare(p.file, q.file), p.line-q.line, p.column-q.column)
	})
	return all
}
