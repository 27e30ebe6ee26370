package check

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/octet-go/octet/checked/finding"
	"github.com/octet-go/octet/internal/testenv"
)

// logged counts what is logged until the test ends.
func logged(t *testing.T) *int {
	n := new(int)
	log := handler(func(*finding.Report) { *n++ })
	logger.Store(&log)
	t.Cleanup(func() { logger.Store(nil) })
	return n
}

//go:noinline
func aLeak() *finding.Report {
	return &finding.Report{Code: finding.Leak, What: "never released", Object: "slice", Size: 4096, Pool: "frames",
		Age: time.Second, Acquired: whereA().trace()}
}

// TestHandlers sees that the latest handler gets findings that was not removed, in
// whatever order they are removed.
func TestHandlers(t *testing.T) {
	logs := logged(t)
	forgetCauses()
	last := ""
	handle := func(name string) (remove func()) { return Handle(func(*finding.Report) { last = name }) }
	gets := func(when, want string) {
		t.Helper()
		last = ""
		*logs = 0
		forgetCauses()
		report(aLeak(), load())
		if *logs > 0 {
			last += "log"
		}
		if last != want {
			t.Errorf("%s: %q gets the finding, want %q", when, last, want)
		}
	}
	gets("none", "log")
	a := handle("a")
	b := handle("b")
	gets("a, b", "b")
	a()
	gets("a removed", "b")
	c := Handle(nil)
	gets("none on top", "log")
	d := handle("d")
	c()
	gets("none removed", "d")
	d()
	gets("d removed", "b")
	d()
	b()
	b()
	gets("all removed", "log")
	e := handle("e")
	a()
	b()
	gets("removed again", "e")
	e()

	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				Handle(func(*finding.Report) {})()
			}
		})
	}
	wg.Wait()
	gets("all removed at once", "log")
}

// TestCauses sees that findings of one cause count, and that the first, the tenth and the hundredth are logged,
// and that those of other causes do not.
func TestCauses(t *testing.T) {
	logs := logged(t)
	forgetCauses()
	before := Findings()
	places := [][]uintptr{
		whereA().trace(),
		whereA().trace(),
		whereA().trace(),
		whereA().trace(),
	}
	at := func(line int) []uintptr { return places[line-1] }
	causes := []finding.Report{
		{What: "a", Acquired: at(1), Released: at(2), Now: at(3)},
		{What: "b", Acquired: at(1), Released: at(2), Now: at(3)},
		{What: "a", Acquired: at(4), Released: at(2), Now: at(3)},
		{What: "a", Acquired: at(1), Released: at(4), Now: at(3)},
		{What: "a", Acquired: at(1), Released: at(2), Now: at(4)},
		{Code: finding.Leak, What: "a leak is logged in any case"},
	}
	for n := 1; n <= 200; n++ {
		for i, c := range causes {
			action := ActionLog
			if c.Code == finding.Leak {
				action = ActionPanic
			}
			if report(&c, &state{Config: Config{Action: action}}); c.Count != n {
				t.Errorf("finding %d of cause %d has Count %d", n, i, c.Count)
			}
		}
	}
	if want := 3 * len(causes); *logs != want {
		t.Errorf("%d are logged, want %d", *logs, want)
	}
	if n, want := Findings()-before, uint64(200*len(causes)); n != want {
		t.Errorf("%d findings, want %d", n, want)
	}
	forgetCauses()
}

// TestLateFindingsDoNotCount sees that leaks which come to light while the mode
// changes do not count in the new one: its first would not be the first, and the
// tenth not reported.
func TestLateFindingsDoNotCount(t *testing.T) {
	before, _ := Set(Config{})
	defer Set(before)
	defer Handle(func(*finding.Report) {})()
	leak := aLeak() // the same place in all cases
	find := func() *finding.Report {
		f := *leak
		report(&f, load())
		return &f
	}
	OnChange(func() {
		for range 12 {
			find()
		}
	})
	defer func() { choice.watchers = choice.watchers[:len(choice.watchers)-1] }()
	count := func(when string) {
		t.Helper()
		if f := find(); f.Count != 1 {
			t.Errorf("%s: the first leak has Count %d", when, f.Count)
		}
	}
	Set(Config{Mode: Full})
	count("after Set")
	stop, err := Start(Config{Mode: Sample})
	if err != nil {
		t.Fatal(err)
	}
	count("after Start")
	stop()
	count("after stop")
}

// TestCauseIsAPlace sees that a line is one cause, by whatever path it is called.
func TestCauseIsAPlace(t *testing.T) {
	all := make(map[string]bool)
	for path := range 8 {
		testenv.ByPath(path, 3, func() { all[causeOf(aLeak())] = true })
	}
	if len(all) != 1 {
		t.Errorf("one line has %d causes", len(all))
	}
}

// TestCausesAreBounded sees that a program with very many causes does not fill memory
// with them, and that the latest are counted, and new ones reported.
func TestCausesAreBounded(t *testing.T) {
	forgetRecent()
	defer forgetRecent()
	nth := func(i int) *finding.Report { return &finding.Report{What: strconv.Itoa(i)} }
	for i := range 4 * maxCauses {
		if n := note(nth(i)); n != 1 {
			t.Fatalf("cause %d has Count %d", i, n)
		}
		if i%100 == 0 {
			note(nth(0)) // is seen again and again
		}
	}
	if n := len(causes.m); n != maxCauses {
		t.Errorf("%d causes are kept, want %d", n, maxCauses)
	}
	for i, want := range map[int]int{0: 4*maxCauses/100 + 3, 4*maxCauses - 1: 2, 1: 1} {
		if n := note(nth(i)); n != want {
			t.Errorf("cause %d has Count %d, want %d", i, n, want)
		}
	}
}
