package testrun

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/octet-go/octet/poolcheck/internal/testrun/protocol"
)

// Octet's own pools are checked by its mode full, in the first run of a package that depends
// on octet. A misuse is a panic with a report as its text. A test that fails there without
// a report has used slices after their release, or before it wrote to them: then the places
// of Release and New are halved, by their numbers, until one alone makes the test fail.

var octetReport = regexp.MustCompile(`octet: (OCT\d+): ([^\n]+)\n\s*([^\n]+)\n((?:[ \t]*(?:acquired|released|now):\n(?:[ \t]+[^\n]+\n)+)+)`)

// octetPlaces is how many places octet numbers at most.
const octetPlaces = 1 << 16

// fill is the environment in which the slices of the places from one to before another are overwritten, and of no
// other; see package check of octet.
func fill(from, to int) []string {
	if from == to {
		from, to = 1, 1 // first and last, as octet reads them, of none
	}
	return []string{fmt.Sprintf("OCTETDEBUG=check=full,fill=%04x-%04x", from, to-1)}
}

// full runs tests in mode full.
func (j *judge) full(c choice, env []string) (*outcome, error) {
	c.env = env
	return j.run(&protocol.Setup{Mode: protocol.Records}, c)
}

// octet reports what the first run in octet's mode full and a second one show, which there is only if the first shows anything.
func (j *judge) octet() error {
	if !j.usesOctet {
		return nil
	}
	j.progress("octet's own pools")
	all := choice{skip: j.skipped(nil)}
	first, err := j.checked, error(nil)
	if first == nil {
		first, err = j.full(all, fill(0, octetPlaces))
	}
	if err != nil {
		return err
	}
	reports := j.octetFindings(first)
	failed := j.unknown(first.Failed, nil)
	if len(reports)+len(failed) == 0 {
		return nil
	}
	second, err := j.full(all, fill(0, octetPlaces))
	if err != nil {
		for _, f := range reports {
			j.once = append(j.once, f.Code+" at "+f.At().at())
		}
		return err
	}
	again := j.octetFindings(second)
	for _, f := range reports {
		if slices.ContainsFunc(again, func(g *Finding) bool { return f.Code == g.Code && f.At() == g.At() }) {
			j.found = append(j.found, f)
			failed = slices.DeleteFunc(failed, func(t string) bool { return t == "" || slices.Contains(f.Tests, t) })
		}
	}
	for i, test := range failed {
		if err := j.blameOctet(test); err != nil {
			j.counts.unfinished += len(failed) - i
			return err
		}
	}
	return nil
}

// octetFindings returns what octet has reported in a run.
func (j *judge) octetFindings(o *outcome) (list []*Finding) {
	for _, m := range octetReport.FindAllStringSubmatch(o.Output, -1) {
		before, now, _ := strings.Cut(m[4], "now:\n")
		acquired, released, _ := strings.Cut(before, "released:\n")
		put := frames(released)
		if m[1] == "OCT009" {
			put = frames(acquired)
		}
		if len(put) == 0 {
			continue
		}
		object, _, _ := strings.Cut(m[3], ", ") // without ages, which differ
		f := &Finding{Kind: Octet, Code: m[1], Message: m[2] + ": " + object, Put: below(put), Fault: below(frames(now)), Package: j.pkg}
		if t := testOf(slices.Concat(f.Put, f.Fault)); t != "" {
			f.Tests = []string{t}
		}
		list = append(list, f)
	}
	return list
}

// blameOctet finds the place of New or Release whose slices, if they alone are overwritten, make a test fail. The test
// fails in mode full and has no report.
func (j *judge) blameOctet(test string) error {
	c := culprit{test: test, places: octetPlaces, run: func(from, to int, which choice) (*outcome, error) {
		return j.full(which, fill(from, to))
	}}
	if err := j.blame(&c); err != nil {
		return err
	}
	if c.unconfirmed == "" {
		for _, f := range j.octetFindings(c.outcome) {
			f.Tests = []string{test}
			j.found = append(j.found, f)
			return j.octetReader(f, c.which)
		}
		c.unconfirmed = unassigned
	}
	if c.unconfirmed == unassigned {
		j.unexplained = append(j.unexplained, test)
	} else {
		j.counts.unconfirmed[c.unconfirmed]++
	}
	return nil
}

// octetReader looks for who accesses what is released too early, by octet's mode guard, which a test binary has if it
// imports package checked or pooltest.
func (j *judge) octetReader(f *Finding, which choice) error {
	if f.Code != "OCT001" {
		return nil
	}
	o, err := j.full(which, []string{"OCTETDEBUG=check=guard"})
	if err != nil {
		return err
	}
	if stack := faultStack(o.Output); len(stack) > 0 {
		f.Fault = below(stack)
		f.Message += ", by " + headline(f.Fault, f.Put).at()
	}
	return nil
}
