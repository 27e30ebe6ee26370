package check

import (
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Config
	}{
		{"", Config{}},
		{"check=off", Config{}},
		{"check=sample,sample=4096,faults=on", Config{Mode: Sample, OneIn: 4096, GuardSampled: true}},
		{" check = full , foreign=report,", Config{Mode: Full, Foreign: true}},
		{"check=guard,live=100,action=log", Config{Mode: Guard, MaxGuarded: 100, Action: ActionLog}},
		{"action=panic", Config{Action: ActionPanic}},
	} {
		if got, err := Parse(c.in); err != nil || got != c.want {
			t.Errorf("Parse(%q) = %+v, %v; want %+v", c.in, got, err, c.want)
		}
	}
	for in, want := range map[string]string{
		"check=ful":         "check=ful is unknown: use off, sample, full or guard",
		"check":             "check= is unknown",
		"sample=0":          "sample=0 is not a number of at least 1",
		"sample=many":       "sample=many",
		"faults=yes":        "faults=yes is unknown: use off or on",
		"poison=1":          "poison is unknown: use check, sample,",
		"check=full,live=x": "live=x",
	} {
		if got, err := Parse(in); err == nil || !strings.Contains(err.Error(), want) || got != (Config{}) {
			t.Errorf("Parse(%q) = %+v, %v; want an error with %q", in, got, err, want)
		}
	}
}

func TestSetRefusesAndRestores(t *testing.T) {
	start := Settings()
	for _, bad := range []Config{{Mode: 9}, {OneIn: -1}, {MaxGuarded: -1}, {Action: 9}} {
		if _, err := Set(bad); err == nil {
			t.Errorf("Set(%+v) has no error", bad)
		}
		if Settings() != start {
			t.Errorf("Set(%+v) changed %+v to %+v", bad, start, Settings())
		}
	}
	before, err := Set(Config{Mode: Full})
	if err != nil || Current() != Full {
		t.Fatalf("mode %v, %v", Current(), err)
	}
	if c := Settings(); c.OneIn != 1024 || c.Action != ActionPanic {
		t.Errorf("defaults are %+v", c)
	}
	if Set(before); Current() != start.Mode {
		t.Errorf("mode %v, want %v", Current(), start.Mode)
	}
}

func TestRequireCounts(t *testing.T) {
	before, _ := Set(Config{})
	defer Set(before)
	a, b := Require(), Require()
	a()
	a() // once is enough
	if Current() != Full {
		t.Errorf("mode %v while somebody requires full", Current())
	}
	b()
	if Current() != Off {
		t.Errorf("mode %v when nobody requires full any more", Current())
	}
	Set(Config{Mode: Guard})
	guard := Current() // or full, where that is all there is
	defer Require()()
	if Current() != guard {
		t.Errorf("mode %v where %v was chosen and full is required", Current(), guard)
	}
}

//go:noinline
func whereA() *stack { return caller() }

//go:noinline
func whereB() *stack { return caller() }

func inlined() *stack { return whereA() }

func TestStacksAreKeptOnce(t *testing.T) {
	var all []*stack
	for range 3 {
		all = append(all, whereA(), whereB(), inlined())
	}
	for i := 3; i < len(all); i++ {
		if all[i] != all[i-3] {
			t.Errorf("stack %d is kept twice", i)
		}
	}
	if all[0] == all[1] || all[0] == all[2] {
		t.Error("different places have one stack")
	}
	if other := make(chan *stack); true {
		go func() { other <- whereA() }()
		if s := <-other; s == all[0] || slices.Equal(s.pcs, all[0].pcs) {
			t.Error("different goroutines have one stack")
		}
	}
	deep := func() *stack { return nil }
	for range 100 {
		inner := deep
		deep = func() *stack {
			if s := inner(); s != nil {
				return s
			}
			return whereA()
		}
	}
	if s := deep(); len(s.pcs) != depth {
		t.Errorf("a deep stack has %d frames, want %d", len(s.pcs), depth)
	}
}

// TestStacksAreBounded sees that a program which recurses in ever new ways does not
// fill memory with stacks.
func TestStacksAreBounded(t *testing.T) {
	var s set
	for i := range uintptr(maxStacks + 10) {
		key := []uintptr{i}
		s.add(hash(key), key, new(stack))
	}
	n := 0
	for _, list := range s.m {
		n += len(list)
	}
	if n != maxStacks {
		t.Errorf("%d stacks are kept, want %d", n, maxStacks)
	}
}

// TestOldestFirst sees in what order a scope lists what is outstanding.
func TestOldestFirst(t *testing.T) {
	before, _ := Set(Config{Mode: Full})
	defer Set(before)
	scope := NewScope()
	defer scope.End()
	var kept [][]byte
	for n := range 20 {
		kept = append(kept, New(100+n, stubOwner{}))
		for now := clock(); now == clock(); { // or two have the same age
		}
	}
	for i, r := range scope.Outstanding() {
		if r.Size != 100+i {
			t.Errorf("at %d is the slice of %d bytes", i, r.Size)
		}
	}
	for _, b := range kept {
		Release(b, stubOwner{})
	}
}

func TestPattern(t *testing.T) {
	for n := range 300 {
		b := make([]byte, n)
		fill(b)
		if !intact(b) {
			t.Fatalf("%d bytes are not intact after fill", n)
		}
		for i := range b {
			b[i]++
			if intact(b) {
				t.Fatalf("byte %d of %d was changed, and nobody saw it", i, n)
			}
			b[i]--
		}
	}
}

//go:noinline
func descend(n int) *stack {
	if n == 0 {
		return whereA()
	}
	s := descend(n - 1)
	runtime.KeepAlive(n) // no tail call
	return s
}

// TestStacksDifferFarOut sees that stacks which differ in the outermost frame that
// is kept are not taken for one another.
func TestStacksDifferFarOut(t *testing.T) {
	const n = depth - 3 // whereA, n+1 calls of descend, and this test
	a := descend(n)
	b := descend(n)
	if a == b || slices.Equal(a.pcs, b.pcs) {
		t.Errorf("two lines of a function %d frames further out have one stack", n+2)
	}
}
