package testrun

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/octet-go/octet/poolcheck/internal/testrun/protocol"
)

// With -race the tests run once more, also those that fail without poolcheck, and the race
// detector takes each Put for a write of the object by a goroutine that nobody waits for. No
// object is used again in that run: whatever it reports beside a Put is an access by somebody
// who had the object before, and perhaps the one that puts. That needs no second run. A release
// to octet's own pools is such a write in every race build.

// A dataRace is a report of the race detector: two accesses that nothing orders.
type dataRace [2]access

type access struct {
	stack   []Frame
	created []Frame // where its goroutine was started
}

var (
	raceBlock   = regexp.MustCompile(`(?s)WARNING: DATA RACE\n(.*?)\n==================`)
	goroutineOf = regexp.MustCompile(`by (main goroutine|goroutine \d+):$`)
	releasedBy  = regexp.MustCompile(`^github\.com/octet-go/octet/internal/sanitize\.`)
)

// dataRaces returns the races that a run has reported.
func dataRaces(output string) (list []dataRace) {
	for _, block := range raceBlock.FindAllStringSubmatch(output, 1000) {
		var race dataRace
		created := make(map[string][]Frame)
		var names [2]string
		for i, section := range strings.Split(block[1], "\n\n") {
			title, stack, _ := strings.Cut(section, "\n")
			if m := goroutineOf.FindStringSubmatch(title); m != nil && i < len(race) {
				race[i].stack, names[i] = frames(stack), m[1]
			} else if name, _, ok := strings.Cut(title, " ("); ok {
				created[strings.ToLower(name)] = frames(stack)
			}
		}
		for i := range race {
			race[i].created = created[names[i]]
		}
		list = append(list, race)
	}
	return list
}

// put returns the stack of the Put or release that an access stands for, nil if it is another.
func (a *access) put() []Frame {
	switch {
	case len(a.stack) > 1 && a.stack[0].Func == "sync.(*Pool).Put":
		return a.stack[1:]
	case len(a.stack) > 0 && releasedBy.MatchString(a.stack[0].Func):
		stack := a.created
		return stack[max(0, slices.IndexFunc(stack, func(f Frame) bool { return !strings.Contains(f.Func, "octet/internal/") })):]
	}
	return nil
}

// races reports the data races one end of which is a Put, and counts the others.
func (j *judge) races() error {
	if !slices.Contains(j.build, "-race") {
		return nil
	}
	j.doing("data races")
	before, others := len(j.found), 0
	var skip []string
	for again := true; again; {
		o, err := j.run(&protocol.Setup{Mode: protocol.Races}, choice{skip: skip})
		if err != nil {
			return err
		}
		for _, race := range dataRaces(o.Output) {
			if f := j.raceFinding(race); f != nil {
				j.found = append(j.found, f)
			} else {
				others++
			}
		}
		again = o.Crashed && o.Failed[0] != "" && len(skip) < 10 // a crash hides the tests after it
		skip = append(skip, o.Failed...)
	}
	if len(j.found) == before {
		j.counts.races += others
	}
	return nil
}

// raceFinding describes a race of a Put, nil if it is none.
func (j *judge) raceFinding(race dataRace) *Finding {
	put, other := race[0].put(), race[1]
	if put == nil {
		put, other = race[1].put(), race[0]
	}
	if put == nil {
		return nil
	}
	what := "slice of octet's pools"
	for _, p := range j.places {
		if len(p.Stack) > 0 && p.Stack[0] == put[0] {
			what = p.Type
		}
	}
	var tests []string
	for _, stack := range [][]Frame{put, other.stack, other.created, race[0].created, race[1].created} {
		if t := testOf(stack); t != "" && !slices.Contains(tests, t) {
			tests = append(tests, t)
		}
	}
	f := &Finding{Kind: Race, Code: codes[Race], Put: below(put), Fault: below(outsideRuntime(other.stack)), Package: j.ImportPath, Tests: tests[:min(len(tests), 1)]}
	when := "while or after"
	if n := len(f.Fault); n > 0 && f.Fault[n-1].Func == f.Put[len(f.Put)-1].Func {
		f.Code, when = codes[Read], "after" // as far as one sees from the functions that goroutines begin with
	}
	f.Message = fmt.Sprintf("a %s is accessed %s it is put here, by %s", what, when, headline(f.Fault, nil).at())
	return f
}
