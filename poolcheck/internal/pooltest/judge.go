package pooltest

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A judge decides what the first two runs of a package's tests show, by further runs.
type judge struct {
	ctx       context.Context
	deadline  time.Time
	usesOctet bool
	pkg       string
	first     *firstRuns
	known     []string // tests that fail without this command, too
	counts    *Counts
	progress  func(what string)

	own, deny []string
	places    map[string]*putPlace
	found     []*Finding
}

// Counts is what was seen and is no finding.
type Counts struct {
	Puts       int // calls of Put in the runs without poison
	Events     int // second Puts and writes that did not happen again
	Fields     int // writes to slices of which it is not certain that they belong to the object
	Reuse      int // tests that fail as well if pooled memory is kept and not overwritten
	Flaky      int // tests that failed once with overwritten memory, and not again
	Unassigned int // tests that fail with overwritten memory, for no single place
	Unfinished int // tests that there was no time to look at
}

// errBudget ends the judgement of a package when there is no more time.
var errBudget = fmt.Errorf("out of time")

func (j *judge) run(s *setup, c choice) (*outcome, error) {
	if time.Now().After(j.deadline) {
		return nil, errBudget
	}
	s.own, s.deny = j.own, j.deny
	o, err := j.first.Binary.run(j.ctx, s, c, j.first.Binary.longer(j.first.Records))
	if err != nil {
		return nil, err
	}
	maps.Copy(j.places, o.Report.Places)
	return o, nil
}

// judge returns the findings of the package.
func (j *judge) judge() error {
	r, p := j.first.Records, j.first.Poison
	j.own, j.deny = r.Report.Owned, r.Report.Foreign
	j.places = maps.Clone(r.Report.Places)
	j.counts.Puts += r.Report.Puts
	if p != nil {
		maps.Copy(j.places, p.Report.Places)
	}
	if err := j.events(); err != nil {
		return err
	}
	if p != nil && !p.Passed {
		if err := j.reads(); err != nil {
			return err
		}
	}
	if j.usesOctet {
		return j.octet()
	}
	return nil
}

// events confirms second Puts and writes after Put.
func (j *judge) events() error {
	type candidate struct {
		event
		tests             []string
		records, poisoned bool
	}
	var list []*candidate
	collect := func(o *outcome, poisoned bool) {
		if o == nil {
			return
		}
		for _, e := range o.Report.Events {
			if j.places[e.Place] == nil {
				continue
			}
			if e.Kind == "write" && e.Field >= 0 && (e.Certain == 0 || slices.Contains(j.deny, fmt.Sprintf("%s.%d", e.Place, e.Field))) {
				j.counts.Fields++
				continue
			}
			key := j.eventKey(e)
			i := slices.IndexFunc(list, func(c *candidate) bool { return j.eventKey(c.event) == key })
			if i < 0 {
				i = len(list)
				list = append(list, &candidate{event: e})
			}
			c := list[i]
			c.poisoned = c.poisoned || poisoned
			c.records = c.records || !poisoned
			stack := e.Stack
			if len(stack) == 0 {
				stack = j.places[e.Place].Stack
			}
			if t := testOf(stack); t != "" && !slices.Contains(c.tests, t) {
				c.tests = append(c.tests, t)
			}
		}
	}
	collect(j.first.Records, false)
	collect(j.first.Poison, true)
	for _, c := range list {
		confirmed := c.records && c.poisoned
		if !confirmed {
			j.progress("once more: " + c.Kind + " at " + headline(j.places[c.Place].Stack).at())
			var err error
			if confirmed, err = j.again(c.event, c.tests); err != nil {
				return err
			}
		}
		if !confirmed {
			j.counts.Events++
			continue
		}
		j.found = append(j.found, j.finding(c.event, c.tests))
	}
	return nil
}

// eventKey is the same for two events that are one finding.
func (j *judge) eventKey(e event) string {
	return e.Kind + " " + headline(j.places[e.Place].Stack).at()
}

// again reports whether an event happens once more: in the tests that showed it, or else in
// all; early and late, and with poison if it is a write, which may write what is there.
func (j *judge) again(e event, tests []string) (bool, error) {
	key := j.eventKey(e)
	choices := []choice{{}}
	if len(tests) > 0 {
		choices = []choice{{tests: tests}, {}}
	}
	setups := []*setup{{placebo: true}, {records: true}}
	if e.Kind == "write" {
		setups = append(setups, &setup{})
	}
	for _, c := range choices {
		for _, s := range setups {
			o, err := j.run(s, c)
			if err != nil {
				return false, err
			}
			for _, other := range o.Report.Events {
				if j.places[other.Place] != nil && j.eventKey(other) == key {
					return true, nil
				}
			}
		}
	}
	return false, nil
}

// reads finds the places whose memory is read after Put, from the tests that fail when it
// is overwritten.
func (j *judge) reads() error {
	failing := j.unknown(j.first.Poison.Failed)
	var blamed []string // places
	seen := make(map[string]bool)
	for range 4 { // a crash hides the tests after it
		for len(failing) > 0 {
			test := failing[0]
			seen[test] = true
			place, o, err := j.blame(test, blamed)
			if err != nil {
				j.counts.Unfinished += len(failing)
				return err
			}
			if place == "" {
				failing = failing[1:]
				continue
			}
			same := j.sameLine(place)
			blamed = append(blamed, same...)
			f := j.readFinding(place, o)
			f.Tests = []string{test}
			j.found = append(j.found, f)
			if err := j.reader(f, place, test); err != nil {
				return err
			}
			if len(failing) > 1 && test != "" {
				also, err := j.run(&setup{only: same}, choice{tests: failing})
				if err != nil {
					return err
				}
				for _, t := range also.Failed {
					if slices.Contains(failing, t) && !slices.Contains(f.Tests, t) {
						f.Tests = append(f.Tests, t)
					}
				}
			}
			rest, err := j.run(&setup{not: blamed}, choice{tests: failing})
			if err != nil {
				return err
			}
			failing = slices.DeleteFunc(failing, func(t string) bool { return !rest.fails(t) })
		}
		if !j.first.Poison.Crashed && len(blamed) == 0 {
			return nil
		}
		all, err := j.run(&setup{not: blamed}, choice{skip: j.skipped(seen)})
		if err != nil {
			return err
		}
		for _, t := range j.unknown(all.Failed) {
			if !seen[t] {
				failing = append(failing, t)
			}
		}
		if len(failing) == 0 {
			return nil
		}
	}
	return nil
}

// sameLine returns the places that differ from one only in how the program came to its line.
func (j *judge) sameLine(place string) []string {
	var list []string
	for name, p := range j.places {
		if p.Type == j.places[place].Type && headline(p.Stack) == headline(j.places[place].Stack) {
			list = append(list, name)
		}
	}
	return list
}

// skipped returns the tests that need not run again: those that were looked at, and those
// that fail anyway.
func (j *judge) skipped(seen map[string]bool) []string {
	list := slices.Clone(j.known)
	for t := range seen {
		if t != "" {
			list = append(list, t)
		}
	}
	slices.Sort(list)
	return slices.DeleteFunc(list, func(t string) bool { return t == "" })
}

// unknown returns the tests that do not fail without poison.
func (j *judge) unknown(failed []string) []string {
	return slices.DeleteFunc(slices.Clone(failed), func(t string) bool {
		return slices.Contains(j.first.Records.Failed, t) || slices.Contains(j.known, t)
	})
}

// fails reports whether a test failed, or, if it has no name, the process.
func (o *outcome) fails(test string) bool {
	if test == "" {
		return !o.Passed
	}
	return slices.Contains(o.Failed, test) || slices.Contains(o.Failed, "")
}

// blame finds a place whose poison alone makes a test fail, where the same without
// overwriting lets it pass, both twice. It returns the run that failed.
func (j *judge) blame(test string, not []string) (string, *outcome, error) {
	j.progress("why does " + orPackage(test, j.pkg) + " fail")
	only := choice{tests: []string{test}}
	all, err := j.run(&setup{not: not}, only)
	if err != nil {
		return "", nil, err
	}
	if !all.fails(test) {
		// It may need the tests before it.
		only = choice{skip: j.skipped(nil)}
		if all, err = j.run(&setup{not: not}, only); err != nil {
			return "", nil, err
		}
		if !all.fails(test) {
			j.counts.Flaky++
			return "", nil, nil
		}
	}
	for range 2 {
		o, err := j.run(&setup{placebo: true}, only)
		if err != nil {
			return "", nil, err
		}
		if o.fails(test) {
			j.counts.Reuse++
			return "", nil, nil
		}
	}
	fails := func(places []string) (*outcome, error) {
		o, err := j.run(&setup{only: places}, only)
		if err != nil || !o.fails(test) {
			return nil, err
		}
		return o, nil
	}
	confirm := func(place string) (*outcome, error) {
		for range 2 {
			if o, err := fails([]string{place}); err != nil || o == nil {
				return nil, err
			}
		}
		return fails([]string{place})
	}
	suspects := slices.DeleteFunc(all.suspects(), func(p string) bool { return slices.Contains(not, p) })
	for _, place := range suspects[:min(len(suspects), 6)] {
		if o, err := confirm(place); err != nil || o != nil {
			return place, o, err
		}
	}
	rest := slices.Sorted(maps.Keys(all.Report.Places))
	rest = slices.DeleteFunc(rest, func(p string) bool { return slices.Contains(not, p) })
	if o, err := fails(rest); err != nil || o == nil {
		if o == nil && err == nil {
			j.counts.Flaky++
		}
		return "", nil, err
	}
	for len(rest) > 1 {
		half := rest[:len(rest)/2]
		o, err := fails(half)
		if err != nil {
			return "", nil, err
		}
		if o == nil {
			half = rest[len(rest)/2:]
		}
		rest = half
	}
	o, err := confirm(rest[0])
	if o == nil && err == nil {
		j.counts.Unassigned++
		return "", nil, nil
	}
	return rest[0], o, err
}

func orPackage(test, pkg string) string {
	if test == "" {
		return pkg
	}
	return test
}

// suspects returns the places that the output of a run names, the most frequent first: by
// their poison, as text, in upper case, in hexadecimal or as decimal numbers, or by a
// report of the race detector.
func (o *outcome) suspects() []string {
	count := make(map[string]int)
	add := func(name string) {
		if name = strings.ToLower(name); o.Report.Places[name] != nil {
			count[name]++
		}
	}
	for _, m := range signText.FindAllStringSubmatch(o.Output, 10000) {
		add(m[1])
	}
	for _, m := range signHex.FindAllStringSubmatch(strings.ToLower(o.Output), 10000) {
		add(decodeHex(m[1]))
	}
	for _, m := range signDecimal.FindAllStringSubmatch(o.Output, 10000) {
		add(decodeDecimal(m[1:]))
	}
	for _, r := range races(o.Output) {
		for name, p := range o.Report.Places {
			if len(p.Stack) > 0 && len(r.put) > 0 && p.Stack[0] == r.put[0] {
				count[name]++
			}
		}
	}
	return slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return strings.Compare(a, b)
	})
}

var (
	signText    = regexp.MustCompile(`(?i)~([a-z2-7]{5})`)
	signHex     = regexp.MustCompile(`7e((?:[\s,:]*(?:0x)?[3-7][0-9a-f]){5})`)
	signDecimal = regexp.MustCompile(`126[ ,]+(\d+)[ ,]+(\d+)[ ,]+(\d+)[ ,]+(\d+)[ ,]+(\d+)`)
)

func decodeHex(s string) string {
	s = strings.NewReplacer("0x", "", " ", "", ",", "", ":", "", "\n", "", "\t", "").Replace(s)
	var b []byte
	for i := 0; i+1 < len(s); i += 2 {
		var c byte
		if _, err := fmt.Sscanf(s[i:i+2], "%02x", &c); err != nil {
			return ""
		}
		b = append(b, c)
	}
	return string(b)
}

func decodeDecimal(numbers []string) string {
	var b []byte
	for _, n := range numbers {
		var c byte
		if _, err := fmt.Sscan(n, &c); err != nil {
			return ""
		}
		b = append(b, c)
	}
	return string(b)
}

// reader runs a test with the memory of a place made inaccessible at Put, and takes the
// stack of the fault for the reader.
func (j *judge) reader(f *Finding, place, test string) error {
	if len(f.Fault) > 0 {
		return nil
	}
	j.progress("who reads what " + f.Put[0].at() + " puts back")
	for _, c := range []choice{
		{tests: []string{test}, extra: []string{"-test.count=8"}},
		{tests: []string{test}},
		{skip: j.skipped(nil)},
	} {
		o, err := j.run(&setup{guard: place, typ: j.places[place].Type}, c)
		if err != nil {
			return err
		}
		if stack := faultStack(o.Output); len(stack) > 0 {
			f.Fault = below(stack)
			f.Message += ", by " + headline(stack).at()
			return nil
		}
	}
	return nil
}
