package check

import (
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
		{"check=sample,sample=4096,faults=on", Config{Mode: Sample, Sample: 4096, Faults: true}},
		{" check = full , foreign=report,", Config{Mode: Full, Foreign: true}},
		{"check=guard,live=100,action=log", Config{Mode: Guard, Live: 100, Action: ActionLog}},
		{"action=panic", Config{Action: ActionPanic}},
	} {
		if got, err := Parse(c.in); err != nil || got != c.want {
			t.Errorf("Parse(%q) = %+v, %v; want %+v", c.in, got, err, c.want)
		}
	}
	for in, want := range map[string]string{
		"check=ful":         "check=ful is unknown: use off, sample, full or guard",
		"check":             "check= is unknown",
		"sample=0":          "sample=0 is no number of at least 1",
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
	for _, bad := range []Config{{Mode: 9}, {Sample: -1}, {Live: -1}, {Action: 9}} {
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
	if s := deep(); len(s.pcs) < depth-2 {
		t.Errorf("a deep stack has %d frames, want some %d", len(s.pcs), depth)
	}
}

func TestIsTold(t *testing.T) {
	var told []int
	for n := range 2001 {
		if n > 0 && isTold(n) {
			told = append(told, n)
		}
	}
	if want := []int{1, 10, 100, 1000}; !slices.Equal(told, want) {
		t.Errorf("told are %v, want %v", told, want)
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
