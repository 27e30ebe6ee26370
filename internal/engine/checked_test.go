package engine

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"
	"weak"

	"github.com/octet-go/octet/checked/finding"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/check/checktest"
	"github.com/octet-go/octet/internal/sanitize"
	"github.com/octet-go/octet/internal/testenv"
)

// Release reports each rule that it checks when that is broken.
func TestCheckedFindsMisuse(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		c.Name = "mine"
		p := newPool(c)
		for _, mode := range []check.Config{{Mode: check.Sample, OneIn: 1}, {Mode: check.Full, Foreign: true}} {
			t.Run(mode.Mode.String(), func(t *testing.T) {
				early := p.New(100)
				found := checktest.Start(t, mode)
				strict := mode.Mode == check.Full
				// misuse runs f, which is to be found under code as it happens, or not.
				misuse := func(code finding.Code, f func()) {
					t.Helper()
					n := len(found())
					f()
					list := found()[n:]
					if code == "" && len(list) != 0 || code != "" && (len(list) != 1 || list[0].Code != code) {
						t.Errorf("found %+v, want code %q", list, code)
						return
					}
					if code != "" && (len(list[0].Now) == 0 || list[0].Pool != "mine") {
						t.Errorf("found without stack or pool: %+v", list[0])
					}
				}
				release := func(b []byte, want bool) {
					t.Helper()
					if got := p.Release(b); got != want {
						t.Errorf("Release = %v, want %v", got, want)
					}
				}
				misuse("", func() { release(early, true) })
				b := p.New(1000)
				misuse("", func() { release(b, true) })
				misuse(finding.DoubleRelease, func() { release(b, false) })
				b = p.New(1000)
				misuse(finding.PartRelease, func() { release(b[3:], false) })
				b = p.New(1000)
				misuse(finding.PartRelease, func() { release(b[:10:99], false) })
				if strict {
					scope := check.NewScope()
					large := p.New(8<<20 - 100) // no class's
					if n := len(scope.Outstanding()); n != 1 {
						t.Errorf("a large slice is in use, %d are outstanding", n)
					}
					scope.End()
					misuse("", func() { release(large, false) })
					misuse(finding.DoubleRelease, func() { release(large, false) })
					misuse("", func() { release(p.New(0), true) })
					misuse("", func() { new(Pool).Release(new(Pool).New(0)) }) // has no class
				}
				b = p.New(1000)
				misuse("", func() { release(b[:0], true) })
				misuse(finding.DoubleRelease, func() { release(b[5:], false) })
				if strict {
					young := newPool(Config{Name: "mine"})
					misuse("", func() { release(make([]byte, 64), true) }) // may be from before
					misuse(finding.ForeignRelease, func() { young.Release(make([]byte, 64)) })
				}
			})
		}
	})
}

func TestCheckedFindsLeaks(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		for _, mode := range []check.Config{{Mode: check.Sample, OneIn: 1}, {Mode: check.Full}} {
			p := newPool(c)
			found := checktest.Start(t, mode)
			for i := range 50 { // every class, tiny ones too
				p.New(1 << (i % 16))
			}
			testenv.Eventually(t, "the leaks are found", func() bool {
				runtime.GC()
				n := 0
				for _, f := range found() {
					if f.Code != finding.Leak {
						t.Fatalf("found %+v", f)
					}
					n = max(n, f.Count)
				}
				return n >= 10 // the first and the tenth are reported
			})
		}
	})
}

// In mode sample a share of all requests is sampled, and the fast path serves the
// others.
func TestSampleKeepsTheFastPath(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		p := newPool(c)
		checktest.Start(t, check.Config{Mode: check.Sample, OneIn: 100})
		sampled := 0
		testenv.Eventually(t, "a hundred were sampled", func() bool {
			for range 10_000 {
				b := p.New(1000)
				if check.Displaced(b) != 0 {
					sampled++
				}
				p.Release(b)
			}
			return sampled >= 100
		})
		k := p.class(&p.row, 10)
		if !sanitize.Enabled {
			testenv.Eventually(t, "the fast path is open again", func() bool {
				for range 10_000 { // as many as look whether their place is new, and more
					p.Release(p.New(1000))
				}
				return !p.sampler.On() && isOpen(p, k)
			})
		}
		requests := p.requests()
		if float64(sampled) > float64(requests)/100*1.1+check.MaxSamples+2*firstOfPlace {
			t.Errorf("%d of %d requests were sampled: more than one in 100", sampled, requests)
		}
		if got := check.Probability(); got <= 0 || got > 0.02 {
			t.Errorf("Probability() = %v", got)
		}
		if s := p.Stats().Classes[0]; s.Gets != s.Puts {
			t.Errorf("%d gets, %d puts", s.Gets, s.Puts)
		}
	})
}

// The fast path is open again when a mode has ended, and a pool is closed and empty
// when a mode begins that tracks everything.
func TestFastPathOpensAgain(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		checktest.Start(t, check.Config{})
		p := newPool(c)
		k := p.class(&p.row, 10)
		open := func() bool { return isOpen(p, k) }
		p.Release(p.New(1 << 10))
		before := open()
		for _, mode := range []check.Config{{Mode: check.Full}, {Mode: check.Sample, OneIn: 1}, {Mode: check.Guard}} {
			for range 10 {
				p.Release(p.New(1 << 10))
			}
			check.Set(mode)
			if open() {
				t.Errorf("mode %v: the fast path is open", mode.Mode)
			}
			if n := p.Stats().Classes[0].Idle; n != 0 {
				t.Errorf("mode %v: %d slices are idle that nobody tracks", mode.Mode, n)
			}
			check.Set(check.Config{})
			if open() != before {
				t.Errorf("mode %v has ended, and the fast path is closed", mode.Mode)
			}
		}
	})
}

// A slice does not become foreign because the mode in which it was handed out has
// ended. One of another pool is foreign, however old the pools are.
func TestForeignAfterChange(t *testing.T) {
	p, other := newPool(Config{}), newPool(Config{})
	found := checktest.Start(t, check.Config{Mode: check.Full, Foreign: true})
	young := newPool(Config{})
	b := young.New(64)
	check.Set(check.Config{Mode: check.Guard, Foreign: true})
	young.Release(b)
	b = young.New(64)
	check.Set(check.Config{Mode: check.Sample, Foreign: true, OneIn: 1})
	check.Set(check.Config{Mode: check.Full, Foreign: true})
	young.Release(b)
	if list := found(); len(list) != 0 {
		t.Errorf("found %v", list[0].Error())
	}
	for _, m := range []check.Mode{check.Full, check.Sample} {
		n := len(found())
		check.Set(check.Config{Mode: m, Foreign: true, OneIn: 1})
		other.Release(p.New(64))
		if list := found()[n:]; len(list) != 1 || list[0].Code != finding.ForeignRelease {
			t.Errorf("mode %v: released into another pool, found %v", m, list)
		}
	}
}

// firstOfPlace is how many requests of a place are sampled because it is new.
const firstOfPlace = 32

// In mode sample the first requests of each place are sampled, each for itself, however few are later, and also where
// many requests come from another place. A pool that is older than the mode begins anew.
func TestSampleFirst(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		older := newPool(c)
		older.Release(older.New(1000))
		found := checktest.Start(t, check.Config{Mode: check.Sample, OneIn: 1 << 30})
		for i, p := range []*Pool{older, newPool(c), newPool(c)} {
			places := []func() int{
				func() int { return p.sample() }, func() int { return p.sample() },
			}
			for j, place := range places {
				sampled := 0
				for range 10 * firstOfPlace {
					sampled += place()
				}
				want := firstOfPlace
				if i > 0 {
					want = 0 // the place is known from another pool
				}
				if sampled != want {
					t.Errorf("pool %d: %d requests of place %d are sampled, want %d", i, sampled, j, want)
				}
			}
		}
		p := newPool(c)
		b := p.New(1000)
		p.Release(b)
		p.Release(b)
		if got := found(); len(got) != 1 || got[0].Code != finding.DoubleRelease {
			t.Errorf("a slice is released twice: %v", got)
		}
	})
}

// While requests look whether their place is new, they leave the fast path.
func TestSamplingClosesTheFastPath(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		checktest.Start(t, check.Config{Mode: check.Sample, OneIn: 1 << 30})
		p := newPool(c)
		p.Release(p.New(4096))
		p.shared.Mu.Lock()
		defer p.shared.Mu.Unlock() // the ticks of mode sample wait
		p.sampler.Begin(p.requests())
		p.openAll()
		if k := p.row.classes[2*12].Load(); k == nil || isOpen(p, k) {
			t.Error("the fast path is open")
		}
	})
}

// Requests count even after their pool was collected, and those from before the mode
// began do not.
func TestProbabilityOfPoolsThatAreGone(t *testing.T) {
	stays := newPool(Config{Portable: true})
	use := func() (gone func() bool) {
		p := newPool(Config{Portable: true})
		for i := range 2*firstOfPlace + 100_000 {
			q := p
			if i < 2*firstOfPlace {
				q = stays // the place is new, and what is sampled will be in quarantine, with its pool
			}
			q.Release(q.New(64))
		}
		served()
		w := weak.Make(p)
		return func() bool { runtime.GC(); return w.Value() == nil }
	}
	const collected = "the pool is collected"
	gone := use()
	checktest.Start(t, check.Config{Mode: check.Sample, OneIn: 1})
	testenv.Eventually(t, collected, gone)
	check.Set(check.Config{})
	newPool(Config{}).New(64)
	check.Set(check.Config{Mode: check.Sample, OneIn: 1})
	p := newPool(Config{})
	p.Release(p.New(64))
	if got := check.Probability(); got != 1 {
		t.Errorf("one request, which is tracked: probability %v", got)
	}
	check.Set(check.Config{Mode: check.Sample, OneIn: 1 << 30})
	testenv.Eventually(t, collected, use())
	if got := check.Probability(); got == 0 || got > 1e-3 {
		t.Errorf("33 of 100,065 requests are tracked: probability %v", got)
	}
}

// A request that took its path before everything was tracked gets nothing that is
// tracked: its release would be taken for a second one.
func TestLateRequest(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		p := newPool(c)
		found := checktest.Start(t, check.Config{Mode: check.Full})
		for range check.MaxQuarantined + 10 { // so that some are idle
			p.Release(p.New(64))
		}
		for range 20 {
			p.Release(p.newUnchecked(&request{size: 64}))
		}
		for _, f := range found() {
			t.Errorf("%s", f.Error())
		}
	})
}

// Whatever a program does with the length and the capacity of a slice, mode sample sees its
// release, and a slice that is sampled behaves as any other does.
func TestSampledIsSeen(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		for _, steps := range []int{1, 4} {
			c.MinSize, c.MaxSize, c.Steps = 2, 1<<14, steps
			p := newPool(c)
			found := checktest.Start(t, check.Config{Mode: check.Sample, OneIn: 64})
			scope := check.NewScope()
			defer scope.End()
			sampled := 0
			for begin := time.Now(); sampled < testenv.Rounds(200); {
				if time.Since(begin) > 20*time.Second {
					t.Fatalf("%d steps: %d slices were sampled", steps, sampled)
				}
				n := 1 + rand.IntN(1<<14)
				b := p.New(n)
				class := cap(b)
				if check.Sees(b) {
					sampled++
					// With the address sanitizer loans are seen, too, which have what a larger class has.
					if at := p.Class(class); at < p.Class(n) || p.Capacity(at) != class {
						t.Fatalf("%d steps: a sampled slice of %d bytes has capacity %d, which no class has", steps, n, class)
					}
				}
				switch rand.IntN(3) {
				case 0:
					b = b[:class:class]
				case 1:
					b = slices.Clip(b[:cap(b)])
				case 2: // moves as soon as the class is full
					b = b[:class]
					grown := append(b, 0)
					if &grown[0] == &b[0] {
						t.Fatalf("%d steps: append to a full slice of %d bytes has not moved it", steps, class)
					}
					p.Release(grown)
				}
				p.Release(b)
			}
			p.Trim()
			runtime.GC()
			for _, f := range found() {
				t.Errorf("%d steps: %s", steps, f.Error())
			}
			if left := scope.Outstanding(); len(left) > 0 {
				t.Errorf("%d steps: not released: %s", steps, left[0].Error())
			}
		}
	})
}

// In a program that loses everything, not everything is tracked.
func TestSampleIsBounded(t *testing.T) {
	p := newPool(Config{})
	checktest.Start(t, check.Config{Mode: check.Sample, OneIn: 1})
	kept := make([][]byte, 100_000)
	for i := range kept {
		kept[i] = p.New(16)
	}
	scope := check.NewScope()
	defer scope.End()
	one := p.New(16)
	if n := len(scope.Outstanding()); n != 0 {
		t.Errorf("%d more are tracked", n)
	}
	for _, b := range append(kept, one) {
		if !p.Release(b) {
			t.Fatal("a slice was rejected")
		}
	}
}
