package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

// A report is one diagnostic that has a code of poolcheck's classes.
type report struct {
	line          int
	code, message string
}

// A score is what an analyzer reports in the programs of one set.
type score struct {
	programs []program
	bugs     map[string][]report // by program
	fixes    map[string][]report
}

// scoreSet runs the analyzer on the programs of one set.
func scoreSet(analyzer *analysis.Analyzer, set string) (*score, error) {
	programs, err := readPrograms(filepath.Join(programsDir(), set))
	if err != nil {
		return nil, err
	}
	byPath, err := load(set, true)
	if err != nil {
		return nil, err
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{analyzer}, slices.Collect(maps.Values(byPath)), nil)
	if err != nil {
		return nil, err
	}
	reports := make(map[*packages.Package][]report)
	for _, act := range graph.Roots {
		if act.Err != nil {
			return nil, fmt.Errorf("%s: %w", act.Package.PkgPath, act.Err)
		}
		reports[act.Package] = reportsOf(act)
	}
	s := &score{programs, make(map[string][]report), make(map[string][]report)}
	for _, p := range programs {
		wrong, err := version(byPath, set, p, bug)
		if err != nil {
			return nil, err
		}
		right, err := version(byPath, set, p, fixed)
		if err != nil {
			return nil, err
		}
		s.bugs[p.name], s.fixes[p.name] = reports[wrong], reports[right]
	}
	return s, nil
}

// reportsOf returns the reports of one package, by line. Diagnostics without a
// code say that something is slow, or that a comment is wrong.
func reportsOf(act *checker.Action) []report {
	var list []report
	for _, d := range act.Diagnostics {
		if codePattern.MatchString(d.Category) {
			list = append(list, report{act.Package.Fset.Position(d.Pos).Line, d.Category, d.Message})
		}
	}
	slices.SortFunc(list, func(a, b report) int { return cmp.Compare(a.line, b.line) })
	return list
}

// A verdict says how a program was reported.
type verdict int

const (
	missed    verdict = iota // no report
	elsewhere                // only reports that stand on other lines
	misnamed                 // a report on a right line, under a wrong code
	found                    // a report on a right line, under a right code
)

func (v verdict) String() string { return [...]string{"missed", "elsewhere", "misnamed", "found"}[v] }

// judge compares the reports in a program's bug with what would be right.
func judge(p program, reports []report) verdict {
	best := missed
	for _, r := range reports {
		v := elsewhere
		if slices.Contains(p.lines, r.line) {
			v = misnamed
			if slices.Contains(p.codes, r.code) {
				v = found
			}
		}
		best = max(best, v)
	}
	return best
}

// A count adds up the programs of one class.
type count struct {
	programs, loud int
	verdicts       [found + 1]int
}

// counts returns the counts by class, and of all.
func (s *score) counts() map[string]*count {
	by := make(map[string]*count)
	for _, p := range s.programs {
		for _, class := range []string{p.codes[0], "all"} {
			c := by[class]
			if c == nil {
				c = new(count)
				by[class] = c
			}
			c.programs++
			c.verdicts[judge(p, s.bugs[p.name])]++
			if len(s.fixes[p.name]) > 0 {
				c.loud++
			}
		}
	}
	return by
}

// print writes a table, and what it is made of if verbose.
func (s *score) print(out io.Writer, verbose bool) {
	by := s.counts()
	fmt.Fprintln(out, "| class | programs | found | misnamed | elsewhere | missed | fixed and reported |")
	fmt.Fprintln(out, "| --- | --- | --- | --- | --- | --- | --- |")
	for _, class := range slices.Sorted(maps.Keys(by)) {
		c := by[class]
		fmt.Fprintf(out, "| %s | %d | %d | %d | %d | %d | %d |\n", class, c.programs,
			c.verdicts[found], c.verdicts[misnamed], c.verdicts[elsewhere], c.verdicts[missed], c.loud)
	}
	if !verbose {
		return
	}
	for _, p := range s.programs {
		if v := judge(p, s.bugs[p.name]); v != found {
			fmt.Fprintf(out, "\n%s: %s, want %v on a line of %v\n", p.name, v, p.codes, p.lines)
			printReports(out, s.bugs[p.name])
		}
		if len(s.fixes[p.name]) > 0 {
			fmt.Fprintf(out, "\n%s: fixed and reported\n", p.name)
			printReports(out, s.fixes[p.name])
		}
	}
}

func printReports(out io.Writer, reports []report) {
	for _, r := range reports {
		fmt.Fprintf(out, "\t%d: %s\n", r.line, r.message)
	}
}
