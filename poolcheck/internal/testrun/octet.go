package testrun

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/octet-go/octet/poolcheck/internal/testrun/protocol"
)

// Octet's own pools are checked by its mode full, in further runs of a package that depends
// on octet. A misuse is a panic with a report as its text. A test that fails there without
// a report has used slices after their release, or before it wrote to them: then the places
// of Release and New are halved, by their numbers, until one alone makes the test fail.

var octetReport = regexp.MustCompile(`octet: (OCT\d+): ([^\n]+)\n\s*([^\n]+)\n((?:[ \t]*(?:acquired|released|now):\n(?:[ \t]+[^\n]+\n)+)+)`)

// octetPlaces is how many places octet numbers at most.
const octetPlaces = 1 << 16

// full runs tests in mode full, where the slices of the places from one to before another are overwritten, and of no
// other; see package check of octet.
func (j *judge) full(from, to int, c choice) (*outcome, error) {
	if from == to {
		from, to = 1, 1 // first and last, as octet reads them, of none
	}
	c.env = []string{fmt.Sprintf("OCTETDEBUG=check=full,fill=%04x-%04x", from, to-1)}
	return j.run(&protocol.Setup{Mode: protocol.Records}, c)
}

// octet reports what two runs in octet's mode full show. There is a second one only if the first shows anything.
func (j *judge) octet() error {
	if !j.usesOctet {
		return nil
	}
	j.doing("octet's own pools")
	all := choice{skip: j.skipped(nil)}
	first, err := j.full(0, octetPlaces, all)
	if err != nil {
		return err
	}
	reports := j.octetFindings(first)
	failed := j.unknown(first.Failed, nil)
	if len(reports)+len(failed) == 0 {
		return nil
	}
	second, err := j.full(0, octetPlaces, all)
	if err != nil {
		return err
	}
	j.counts.unconfirmed[onlyOnce] += len(j.confirm(reports, j.octetFindings(second)))
	for _, f := range reports {
		failed = slices.DeleteFunc(failed, func(t string) bool { return t == "" || slices.Contains(f.Tests, t) })
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
		f := &Finding{Kind: Octet, Code: m[1], Message: m[2] + ": " + object, Put: below(put), Fault: below(frames(now)), Package: j.ImportPath}
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
	c := culprit{test: test, places: octetPlaces, run: j.full}
	if err := j.blame(&c); err != nil {
		return err
	}
	if c.unconfirmed == "" {
		for _, f := range j.octetFindings(c.outcome) {
			f.Tests = []string{test}
			j.found = append(j.found, f)
			return nil
		}
		c.unconfirmed = unassigned
	}
	if c.unconfirmed == unassigned {
		j.fails = true
		j.Say("%s: %s passes, but fails in octet's mode full, for no single place of New or Release; see OCTETDEBUG=check=full go test", j.ImportPath, test)
	} else {
		j.counts.unconfirmed[c.unconfirmed]++
	}
	return nil
}
