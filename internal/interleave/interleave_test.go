package interleave

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Two threads that add by a load and a store lose an addition in some interleavings.
func TestFindsLostUpdate(t *testing.T) {
	_, err := Explore(func() Program {
		var word uintptr
		add := func() { StoreUintptr(&word, LoadUintptr(&word)+1) }
		return Program{[]func(){add, add}, func() error {
			if word != 2 {
				return fmt.Errorf("two additions give %d", word)
			}
			return nil
		}}
	})
	if err == nil || !strings.Contains(err.Error(), "two additions give 1, after\n\tthread 0: Load\n\tthread 1: Load\n") {
		t.Errorf("the error is %v", err)
	}

	runs, err := Explore(func() Program {
		var word uintptr
		add := func() {
			for {
				if v := LoadUintptr(&word); CompareAndSwapUintptr(&word, v, v+1) {
					return
				}
			}
		}
		return Program{[]func(){add, add, add}, func() error {
			if word != 3 {
				return fmt.Errorf("three additions give %d", word)
			}
			return nil
		}}
	})
	if err != nil || runs < 6 {
		t.Errorf("after %d runs: %v", runs, err)
	}
}

// Explore returns panics and errors of Check.
func TestReportsFailures(t *testing.T) {
	bad := errors.New("bad outcome")
	for want, p := range map[string]Program{
		"thread 1 before its first step: panic: at once": {Threads: []func(){Step, func() { panic("at once") }}},
		"panic: later, after\n\tthread 0: Step":          {Threads: []func(){func() { Step(); panic("later") }, Step}},
		"bad outcome, after\n\tthread 0: Step":           {[]func(){Step}, func() error { return bad }},
	} {
		if _, err := Explore(func() Program { return p }); err == nil || err.Error() != want {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}

// An op is a random step: a load, a store or a compare-and-swap of one of two words, or
// a Step before reading both.
type op struct {
	kind, word int
}

// outcomes returns all outcomes of the threads, by trying every order.
func outcomes(threads [][]op) map[string]bool {
	all := make(map[string]bool)
	var words [2]uintptr
	log := make([][]uintptr, len(threads))
	at := make([]int, len(threads))
	var step func()
	step = func() {
		ended := true
		for i, ops := range threads {
			if at[i] == len(ops) {
				continue
			}
			ended = false
			savedWords, savedLog := words, slices.Clone(log[i])
			log[i] = append(log[i], apply(ops[at[i]], &words, uintptr(10*i+at[i]+1)))
			at[i]++
			step()
			at[i]--
			words, log[i] = savedWords, savedLog
		}
		if ended {
			all[fmt.Sprint(words, log)] = true
		}
	}
	step()
	return all
}

func apply(o op, words *[2]uintptr, v uintptr) (result uintptr) {
	w := &words[o.word]
	switch o.kind {
	case 0:
		return LoadUintptr(w)
	case 1:
		StoreUintptr(w, v)
	case 2:
		if CompareAndSwapUintptr(w, 0, v) {
			return 1
		}
	case 3:
		Step()
		result = words[0] + 100*words[1]
	}
	return result
}

// Exploring one of several equivalent orders finds all outcomes.
func TestFindsAllOutcomes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		threads := make([][]op, 2+random.IntN(2))
		orders, steps := 1, 0
		for i := range threads {
			threads[i] = make([]op, 1+random.IntN(3))
			for j := range threads[i] {
				threads[i][j] = op{random.IntN(4), random.IntN(2)}
				steps++
				orders = orders * steps / (j + 1)
			}
		}
		got := make(map[string]bool)
		runs, err := Explore(func() Program {
			var words [2]uintptr
			log := make([][]uintptr, len(threads))
			var p Program
			for i, ops := range threads {
				p.Threads = append(p.Threads, func() {
					for j, o := range ops {
						log[i] = append(log[i], apply(o, &words, uintptr(10*i+j+1)))
					}
				})
			}
			p.Check = func() error { got[fmt.Sprint(words, log)] = true; return nil }
			return p
		})
		want := outcomes(threads)
		if err != nil || !maps.Equal(got, want) || runs > orders || runs < len(want) {
			t.Fatalf("%v: %d outcomes in %d runs, want %d in at most %d; %v", threads, len(got), runs, len(want), orders, err)
		}
	}
}

// Steps that commute are not explored in both orders.
func TestSkipsEquivalentRuns(t *testing.T) {
	for name, test := range map[string]struct {
		want int
		f    func(own, shared *uintptr)
	}{
		"loads of one word":      {1, func(own, shared *uintptr) { LoadUintptr(shared) }},
		"stores to own words":    {1, func(own, shared *uintptr) { StoreUintptr(own, 1); StoreUintptr(own, 2) }},
		"stores to one word":     {6, func(own, shared *uintptr) { StoreUintptr(shared, 1) }},
		"own words, then Step":   {36, func(own, shared *uintptr) { StoreUintptr(own, 1); Step() }},
		"a load and then a swap": {90, func(own, shared *uintptr) { Step(); CompareAndSwapUintptr(shared, 0, 1) }},
	} {
		runs, err := Explore(func() Program {
			var shared uintptr
			var own [3]uintptr
			var p Program
			for i := range own {
				p.Threads = append(p.Threads, func() { test.f(&own[i], &shared) })
			}
			p.Check = func() error { return nil }
			return p
		})
		if runs != test.want || err != nil {
			t.Errorf("%s: %d runs, want %d; %v", name, runs, test.want, err)
		}
	}
}

// A lock keeps others out, and whoever waits goes on once it can.
func TestWaits(t *testing.T) {
	runs, err := Explore(func() Program {
		var mu Mutex
		var n, inside int
		add := func() {
			mu.Lock()
			defer mu.Unlock()
			if inside++; inside > 1 {
				panic("two threads have the lock")
			}
			Step()
			inside--
			n++
		}
		return Program{
			Threads: []func(){
				add,
				func() { Wait(func() bool { return n > 0 }); add() },
			},
			Check: func() error {
				if n != 2 {
					return fmt.Errorf("%d additions", n)
				}
				return nil
			},
		}
	})
	if runs == 0 || err != nil {
		t.Errorf("%d runs: %v", runs, err)
	}
}

// Whoever waits for ever is found, where only one order leads there.
func TestFindsLostWakeUp(t *testing.T) {
	_, err := Explore(func() Program {
		var asked, woken bool
		return Program{
			Threads: []func(){
				func() { Step(); woken = asked },
				func() { Step(); asked = true; Wait(func() bool { return woken }) },
			},
			Check: func() error { return nil },
		}
	})
	if err == nil || !strings.Contains(err.Error(), "thread 1 waits for ever") {
		t.Errorf("found %v", err)
	}
}
