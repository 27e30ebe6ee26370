package testrun

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/octet-go/octet/poolcheck/internal/testrun/protocol"
)

// A judge decides what the first runs of a package's tests show, by further runs.
type judge struct {
	*command
	*goPackage
	deadline time.Time
	places   map[string]*putPlace
	found    []*Finding
}

// doing shows what is being done on a terminal.
func (j *judge) doing(what string) { j.Progress(j.ImportPath + ": " + what) }

// counts is what was seen and is no finding.
type counts struct {
	tests       int            // packages whose first runs have ended
	puts        int            // calls of Put in the first runs
	pushed      int            // objects that were not watched to the end
	unsure      int            // slices of which it is not known whose they are
	races       int            // data races of which none is with a Put
	unfinished  int            // tests that there was no time to look at
	unconfirmed map[string]int // by the reason
}

// Why something is not confirmed.
const (
	onlyOnce   = "findings of one run alone"
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
	j.counts.puts += j.records.Report.Puts
	j.counts.pushed += j.records.Report.Pushed
	j.counts.unsure += len(j.records.Report.Unsure)
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
	records, poison := j.eventsIn(j.records), j.eventsIn(j.poison)
	return cmp.Or(j.onceMore(protocol.Records, j.confirm(records, poison)), j.onceMore(protocol.Poison, j.confirm(poison, records)))
}

// eventsIn returns the second Puts and the writes after Put of a run.
func (j *judge) eventsIn(o *outcome) (list []*Finding) {
	if o == nil {
		return nil
	}
	for _, e := range o.Report.Events {
		p := j.places[e.Place]
		if p == nil || slices.Contains(j.records.Report.Foreign, e.Field) {
			continue
		}
		var tests []string
		if t := testOf(slices.Concat(p.Stack, e.Stack)); t != "" {
			tests = append(tests, t)
		}
		list = merge(list, j.finding(e, tests))
	}
	return list
}

// confirm reports those findings of a run that another run shows, too, and returns the rest.
func (j *judge) confirm(list, again []*Finding) (once []*Finding) {
	for _, f := range list {
		if slices.ContainsFunc(again, f.same) {
			j.found = append(j.found, f)
		} else {
			once = append(once, f)
		}
	}
	return once
}

// onceMore runs the tests again if a run has shown what another has not.
func (j *judge) onceMore(mode protocol.Mode, once []*Finding) error {
	if len(once) == 0 {
		return nil
	}
	j.doing("once more: what is put at " + once[0].At().at())
	o, err := j.run(&protocol.Setup{Mode: mode}, choice{skip: j.skipped(nil)})
	if err == nil {
		once = j.confirm(once, j.eventsIn(o))
	}
	j.counts.unconfirmed[onlyOnce] += len(once)
	return err
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
	for crashed := j.poison.Crashed; len(failing) > 0; {
		test := failing[0]
		f, same, err := j.readBy(test, blamed)
		if err != nil {
			return err
		}
		failing = failing[1:]
		seen[test] = true
		if f == nil && (!crashed || len(failing) > 0) {
			continue
		}
		// A crash hides the tests after it, and other tests may fail by the same place.
		blamed = append(blamed, same...)
		all, err := j.run(poison(nil, blamed), choice{skip: j.skipped(seen)})
		if err != nil {
			return err
		}
		crashed = all.Crashed
		before := failing
		failing = j.unknown(all.Failed, seen)
		explained := slices.DeleteFunc(before, func(t string) bool { return slices.Contains(failing, t) })
		if f != nil && len(explained) > 0 {
			o, err := j.run(poison(same, nil), choice{tests: explained})
			if err != nil {
				return err
			}
			f.Tests = append(f.Tests, slices.DeleteFunc(explained, func(t string) bool { return !o.fails(t) })...)
		}
	}
	return nil
}

// readBy adds and returns a finding of which a test shows that it reads memory after Put, nil if there is none, and its
// places.
func (j *judge) readBy(test string, blamed []string) (*Finding, []string, error) {
	places := slices.DeleteFunc(slices.Sorted(maps.Keys(j.places)), func(p string) bool { return slices.Contains(blamed, p) })
	c := culprit{test: test, places: len(places), run: func(from, to int, which choice) (*outcome, error) {
		if from == to {
			return j.run(poison([]string{protocol.Nowhere}, nil), which)
		}
		return j.run(poison(places[from:to], nil), which)
	}}
	if err := j.blame(&c); err != nil {
		return nil, nil, err
	}
	if c.unconfirmed != "" {
		j.counts.unconfirmed[c.unconfirmed]++
		return nil, nil, nil
	}
	place := places[c.place]
	f := j.finding(event{Kind: Read, Place: place}, []string{test})
	j.found = append(j.found, f)
	return f, j.sameLine(place), j.reader(f, place, test)
}

// poison is a setup in which memory is overwritten at some places only, or not at some.
func poison(only, not []string) *protocol.Setup {
	return &protocol.Setup{Mode: protocol.Poison, Only: only, Not: not}
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

// A culprit is the place where memory is put or released too early for a test.
type culprit struct {
	test   string
	places int                                                // how many there are
	run    func(from, to int, which choice) (*outcome, error) // with memory overwritten at those from one to before another alone

	place       int
	outcome     *outcome // a run that fails if memory is overwritten at the place alone
	which       choice   // of the tests that ran there
	unconfirmed string   // why there is no place
}

// blame finds the place where memory must be overwritten for a test to fail, by halves. It fails twice with that place
// alone, and passes twice with none.
func (j *judge) blame(c *culprit) (err error) {
	j.doing("why does " + cmp.Or(c.test, "the package") + " fail")
	fails := func(from, to int) bool {
		if err == nil {
			c.outcome, err = c.run(from, to, c.which)
		}
		return err == nil && c.outcome.fails(c.test)
	}
	c.which = choice{tests: []string{c.test}}
	failed := fails(0, c.places)
	if !failed { // it may need the tests before it
		c.which = choice{skip: j.skipped(nil)}
		failed = fails(0, c.places)
	}
	if !failed {
		c.unconfirmed = flaky
		return err
	}
	for range 2 {
		if fails(0, 0) {
			c.unconfirmed = keptToo
			return err
		}
	}
	from, to := 0, c.places
	for to-from > 1 {
		if middle := (from + to) / 2; fails(from, middle) {
			to = middle
		} else {
			from = middle
		}
	}
	c.place = from
	for range 2 {
		if !fails(from, to) {
			c.unconfirmed = unassigned
			return err
		}
	}
	return err
}

// reader runs a test with the memory of a place made inaccessible at Put, and takes the
// stack of the first access for the reader.
func (j *judge) reader(f *Finding, place, test string) error {
	j.doing("who reads what " + f.Put[0].at() + " puts back")
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
