package testrun

import (
	"cmp"
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

// fill is the environment in which the slices of some places are overwritten, and of no other; see package check of octet.
func fill(first, last int) []string {
	return []string{fmt.Sprintf("OCTETDEBUG=check=full,fill=%04x-%04x", first, last)}
}

const lastPlace = 0xffff

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
		first, err = j.full(all, fill(0, lastPlace))
	}
	if err != nil {
		return err
	}
	reports := j.octetFindings(first)
	failed := j.unknown(first.Failed, nil)
	if len(reports)+len(failed) == 0 {
		return nil
	}
	second, err := j.full(all, fill(0, lastPlace))
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
		if !second.fails(test) {
			j.counts.unconfirmed[flaky]++
		} else if err := j.blameOctet(test); err != nil {
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

// blameOctet finds the place whose slices, if they alone are overwritten when they are acquired or released there, make a
// test fail, where it passes if none are. The test fails in mode full and has no report.
func (j *judge) blameOctet(test string) error {
	j.progress("why does " + cmp.Or(test, j.pkg) + " fail with octet's pools")
	which := choice{tests: []string{test}}
	var err error
	fails := func(first, last int) *outcome {
		if err != nil {
			return nil
		}
		var o *outcome
		if o, err = j.full(which, fill(first, last)); err != nil || !o.fails(test) {
			return nil
		}
		return o
	}
	if fails(0, lastPlace) == nil { // it may need the tests before it
		which = choice{skip: j.skipped(nil)}
	}
	for range 2 {
		if fails(1, 0) != nil {
			j.counts.unconfirmed[keptToo]++
			return err
		}
	}
	first, last := 0, lastPlace
	for first < last && err == nil {
		if middle := (first + last) / 2; fails(first, middle) != nil {
			last = middle
		} else {
			first = middle + 1
		}
	}
	if fails(first, first) != nil {
		if o := fails(first, first); o != nil {
			for _, f := range j.octetFindings(o) {
				f.Tests = []string{test}
				j.found = append(j.found, f)
				return j.octetReader(f, which)
			}
		}
	}
	if err == nil {
		j.unexplained = append(j.unexplained, test)
	}
	return err
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
