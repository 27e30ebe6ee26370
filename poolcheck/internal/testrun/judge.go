package testrun

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/octet-go/octet/poolcheck/internal/testrun/protocol"
)

// A judge decides what the first runs of a package's tests show, by further runs.
type judge struct {
	*firstRuns
	ctx      context.Context
	deadline time.Time
	pkg      string
	binary   *testBinary
	counts   *counts
	progress func(what string)

	usesOctet    bool
	raceDetector bool

	places map[string]*putPlace
	found  []*Finding
	once   []string // what one run has shown, and another might confirm that did not come about

	unexplained []string // tests that fail in octet's mode full, for no single place
}

// counts is what was seen and is no finding.
type counts struct {
	tests       int            // packages whose first runs have ended
	puts        int            // calls of Put in the first runs
	opaque      int            // of these, what has no memory in the heap
	pushed      int            // objects that were not watched to the end
	unsure      int            // slices of which it is not known whose they are
	races       int            // data races of which none is with a Put
	reached     map[Frame]bool // the calls of Put
	unfinished  int            // tests that there was no time to look at
	unconfirmed map[string]int // by the reason
}

// add counts what a first run has done.
func (c *counts) add(r *report) {
	c.puts += r.Puts
	c.opaque += r.Opaque
	c.pushed += r.Pushed
	c.unsure += len(r.Unsure)
	for _, p := range r.Places {
		if len(p.Stack) > 0 {
			c.reached[Frame{File: p.Stack[0].File, Line: p.Stack[0].Line}] = true
		}
	}
}

// Why something is not confirmed.
const (
	onlyOnce   = "second Puts or writes did not happen again"
	keptToo    = "tests also fail if memory is kept and not overwritten"
	flaky      = "tests failed once and not again"
	unassigned = "tests fail for no single place of Put"
)

// errBudget ends the judgement of a package when there is no more time.
var errBudget = fmt.Errorf("out of time")

func (j *judge) run(s *protocol.Setup, c choice) (*outcome, error) {
	switch {
	case j.err != nil:
		return nil, j.err
	case time.Now().After(j.deadline):
		return nil, errBudget
	}
	s.Own, s.Deny = j.records.Report.Owned, j.records.Report.Foreign
	o, err := j.binary.run(j.ctx, s, c, j.binary.longer(j.records))
	if err == nil {
		maps.Copy(j.places, o.Report.Places)
	}
	return o, err
}

// judge finds what there is in the package. What ends it early, which it returns, leaves what was found until then.
func (j *judge) judge() error {
	j.places = maps.Clone(j.records.Report.Places)
	j.counts.add(j.records.Report)
	if j.err == nil {
		j.counts.tests++
	}
	if j.poison != nil {
		maps.Copy(j.places, j.poison.Report.Places)
	}
	races, events, reads, octet := j.races(), j.events(), j.reads(), j.octet()
	return cmp.Or(j.err, races, events, reads, octet)
}

// events reports the second Puts and the writes after Put that happen in two runs.
func (j *judge) events() error {
	type candidate struct {
		event
		tests []string
		in    []*outcome
	}
	list := make(map[string]*candidate)
	for _, o := range []*outcome{j.records, j.poison} {
		if o == nil {
			continue
		}
		for _, e := range o.Report.Events {
			if j.places[e.Place] == nil || slices.Contains(j.records.Report.Foreign, e.Field) {
				continue
			}
			key := j.eventKey(e)
			c := list[key]
			if c == nil {
				c = &candidate{event: e}
				list[key] = c
			}
			if !slices.Contains(c.in, o) {
				c.in = append(c.in, o)
			}
			if t := testOf(slices.Concat(j.places[e.Place].Stack, e.Stack)); t != "" && !slices.Contains(c.tests, t) {
				c.tests = append(c.tests, t)
			}
		}
	}
	var err error
	for _, key := range slices.Sorted(maps.Keys(list)) {
		c := list[key]
		confirmed := len(c.in) == 2
		for _, which := range []choice{{tests: c.tests}, {}} { // it may need the tests before it
			if confirmed || err != nil {
				break
			}
			j.progress("once more: " + key)
			mode := protocol.Poison
			if c.in[0] == j.records {
				mode = protocol.Records
			}
			var o *outcome
			if o, err = j.run(&protocol.Setup{Mode: mode}, which); err == nil {
				confirmed = slices.ContainsFunc(o.Report.Events, func(e event) bool { return j.places[e.Place] != nil && j.eventKey(e) == key })
			}
		}
		switch {
		case confirmed:
			j.found = append(j.found, j.finding(c.event, c.tests))
		case err != nil:
			j.once = append(j.once, key)
		default:
			j.counts.unconfirmed[onlyOnce]++
		}
	}
	return err
}

// eventKey is the same for two events that are one finding.
func (j *judge) eventKey(e event) string {
	return "what is put at " + headline(j.places[e.Place].Stack, e.Stack).at() + " is " + string(e.Kind)
}

// reads finds the places whose memory is read after Put, from the tests that fail when it
// is overwritten.
func (j *judge) reads() (err error) {
	if j.poison == nil {
		return nil
	}
	var blamed []string // places
	seen := make(map[string]bool)
	failing := j.unknown(j.poison.Failed, seen)
	defer func() {
		if err != nil {
			j.counts.unfinished += len(failing)
		}
	}()
	rounds := 0
	for len(failing) > 0 {
		test := failing[0]
		seen[test] = true
		place, o, err := j.blame(test, blamed)
		if err != nil {
			return err
		}
		failing = failing[1:]
		if place != "" {
			same := j.sameLine(place)
			blamed = append(blamed, same...)
			f := j.readFinding(place, o, []string{test})
			j.found = append(j.found, f)
			if err := j.reader(f, place, test); err != nil {
				return err
			}
			if failing, err = j.others(f, same, blamed, failing); err != nil {
				return err
			}
		}
		if len(failing) == 0 && (j.poison.Crashed || len(blamed) > 0) && rounds < 4 {
			rounds++ // a crash hides the tests after it
			all, err := j.run(poison(nil, blamed), choice{skip: j.skipped(seen)})
			if err != nil {
				return err
			}
			failing = j.unknown(all.Failed, seen)
		}
	}
	return nil
}

// nowhere is the list of places to overwrite at no place.
var nowhere = []string{protocol.Nowhere}

// poison is a setup in which memory is overwritten at some places only, or not at some.
func poison(only, not []string) *protocol.Setup {
	return &protocol.Setup{Mode: protocol.Poison, Only: only, Not: not}
}

// others adds to a finding the other tests that fail by its places, and not if nothing is
// overwritten. It returns those that fail without the places that are blamed already, or all if that is not known.
func (j *judge) others(f *Finding, places, blamed, failing []string) ([]string, error) {
	var runs [3]*outcome
	for i, s := range []*protocol.Setup{poison(places, nil), poison(nowhere, nil), poison(nil, blamed)} {
		if len(failing) == 0 {
			return nil, nil
		}
		var err error
		if runs[i], err = j.run(s, choice{tests: failing}); err != nil {
			return failing, err
		}
	}
	f.Tests = append(f.Tests, slices.DeleteFunc(slices.Clone(failing), func(t string) bool { return !runs[0].fails(t) || runs[1].fails(t) })...)
	return slices.DeleteFunc(failing, func(t string) bool { return !runs[2].fails(t) }), nil
}

// sameLine returns the places that differ from one only in how the program came to its line.
func (j *judge) sameLine(place string) []string {
	var list []string
	for name, p := range j.places {
		if p.Type == j.places[place].Type && headline(p.Stack, nil) == headline(j.places[place].Stack, nil) {
			list = append(list, name)
		}
	}
	return list
}

// skipped returns the tests that need not run again: those that were looked at, and those
// that fail anyway.
func (j *judge) skipped(seen map[string]bool) []string {
	list := append(slices.Sorted(maps.Keys(seen)), j.records.Failed...)
	return slices.DeleteFunc(list, func(t string) bool { return t == "" })
}

// unknown returns the tests that do not fail without poison, and were not looked at.
func (j *judge) unknown(failed []string, seen map[string]bool) []string {
	return slices.DeleteFunc(slices.Clone(failed), func(t string) bool { return seen[t] || slices.Contains(j.records.Failed, t) })
}

// fails reports whether a test or one of its subtests failed, or the process.
func (o *outcome) fails(test string) bool {
	return !o.Passed && slices.ContainsFunc(o.Failed, func(f string) bool {
		return test == "" || f == "" || f == test || strings.HasPrefix(f, test+"/")
	})
}

// blame finds a place whose poison alone makes a test fail, twice, where the same without
// overwriting lets it pass, twice. It returns the run that failed; no place if there is none.
func (j *judge) blame(test string, not []string) (string, *outcome, error) {
	j.progress("why does " + cmp.Or(test, j.pkg) + " fail")
	var which choice
	var err error
	fails := func(s *protocol.Setup) *outcome {
		if err != nil {
			return nil
		}
		var o *outcome
		if o, err = j.run(s, which); err != nil || !o.fails(test) {
			return nil
		}
		return o
	}
	which = choice{tests: []string{test}}
	all := fails(poison(nil, not))
	if all == nil { // it may need the tests before it
		which = choice{skip: j.skipped(nil)}
		all = fails(poison(nil, not))
	}
	reuse := false
	for range 2 {
		reuse = reuse || fails(poison(nowhere, nil)) != nil
	}
	switch {
	case err != nil:
		return "", nil, err
	case all == nil:
		j.counts.unconfirmed[flaky]++
		return "", nil, nil
	case reuse:
		j.counts.unconfirmed[keptToo]++
		return "", nil, nil
	}
	rest := slices.DeleteFunc(slices.Sorted(maps.Keys(all.Report.Places)), func(p string) bool { return slices.Contains(not, p) })
	for len(rest) > 1 && err == nil {
		half := rest[:len(rest)/2]
		if fails(poison(half, nil)) == nil {
			half = rest[len(rest)/2:]
		}
		rest = half
	}
	if len(rest) == 1 && fails(poison(rest, nil)) != nil {
		if o := fails(poison(rest, nil)); o != nil {
			return rest[0], o, nil
		}
	}
	if err == nil {
		j.counts.unconfirmed[unassigned]++
	}
	return "", nil, err
}

// reader runs a test with the memory of a place made inaccessible at Put, and takes the
// stack of the first access for the reader.
func (j *judge) reader(f *Finding, place, test string) error {
	j.progress("who reads what " + f.Put[0].at() + " puts back")
	for _, c := range []choice{
		{tests: []string{test}, extra: []string{"-test.count=8"}},
		{tests: []string{test}},
		{skip: j.skipped(nil)},
	} {
		o, err := j.run(&protocol.Setup{Mode: protocol.Guard, Place: place, Type: j.places[place].Type}, c)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(o.Report.Events, func(e event) bool { return e.Kind == Read && len(e.Stack) > 0 }); i >= 0 {
			f.Fault = below(o.Report.Events[i].Stack)
			f.Message += ", by " + headline(f.Fault, f.Put).at()
			return nil
		}
	}
	return nil
}
