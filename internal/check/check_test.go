package check

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/octet-go/octet/internal/testenv"
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
		{"check=full,fill=00a0-ffff", Config{Mode: Full, Fill: Fill{true, 0xa0, 0xffff}}},
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
		"fill=0":            "fill=0 is not two numbers of four hexadecimal digits",
	} {
		if got, err := Parse(in); err == nil || !strings.Contains(err.Error(), want) || got != (Config{}) {
			t.Errorf("Parse(%q) = %+v, %v; want an error with %q", in, got, err, want)
		}
	}
	for _, key := range []string{"", "check=", "sample=", "faults=", "live=", "action=", "fill="} {
		in := key + strings.Repeat("\u00fc", 50_000)
		if _, err := Parse(in); err == nil || len(err.Error()) > 200 || !strings.Contains(err.Error(), in[:20]) || !utf8.ValidString(err.Error()) {
			t.Errorf("of 100 KB at %q: %.300v", key, err)
		}
	}
}

func TestSetRefusesAndRestores(t *testing.T) {
	start := Settings()
	if _, err := Set(Config{Mode: 9}); err == nil || Settings() != start {
		t.Errorf("an unknown mode: %v; settings %+v were %+v", err, Settings(), start)
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

// TestStacks sees that what happens at one place shares a stack, and that other places
// and other goroutines have others.
func TestStacks(t *testing.T) {
	var all []*stack
	for range 3 {
		all = append(all, whereA())
	}
	if all[0] != all[1] || all[0] != all[2] {
		t.Error("one place has several stacks")
	}
	other := make(chan *stack, 1)
	go func() { other <- whereA() }()
	for what, s := range map[string]*stack{"line": whereA(), "function": whereB(), "inlined function": inlined(), "goroutine": <-other} {
		if s == all[0] || slices.Equal(s.trace(), all[0].trace()) {
			t.Errorf("another %s has the same stack", what)
		}
	}
}

// TestManyPaths sees that a program which calls by ever new paths has right stacks, and
// does not fill memory with them.
func TestManyPaths(t *testing.T) {
	const length = depth - 3 // of a path, so that its calls and some before it are kept
	var s *stack
	var before, after runtime.MemStats
	testenv.ByPath(0, length, func() { s = caller() })
	runtime.GC()
	runtime.ReadMemStats(&before)
	for path := range 1 << length {
		testenv.ByPath(path, length, func() {
			s = caller()
			if path%999 > 0 { // even and odd, which differ in the outermost call
				return
			}
			var pcs [depth]uintptr
			want := pcs[:runtime.Callers(1, pcs[:])]
			if got := s.trace(); len(got) != depth || lines(got[1:]) != lines(want[1:]) {
				t.Errorf("path %d has the stack\n%swant\n%s", path, lines(got[1:]), lines(want[1:]))
			}
		})
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if n := int64(after.HeapAlloc - before.HeapAlloc); n > 4<<20 {
		t.Errorf("%d bytes are kept", n)
	}
}

// lines returns the functions and lines of a stack.
func lines(pcs []uintptr) (text string) {
	for frames := runtime.CallersFrames(pcs); ; {
		f, more := frames.Next()
		if text += fmt.Sprintf("\t%s:%d\n", f.Function, f.Line); !more {
			return text
		}
	}
}

// TestOutstanding sees that a scope lists places, the oldest first, and how many are
// outstanding at each.
func TestOutstanding(t *testing.T) {
	before, _ := Set(Config{Mode: Full})
	defer Set(before)
	scope := NewScope()
	defer scope.End()
	var kept [][]byte
	for n := range 20 {
		kept = append(kept, New(100+n, stubOwner{}))
		if n > 0 {
			testenv.ByPath(n, 3, func() { kept = append(kept, New(200+n, stubOwner{})) })
		}
	}
	list := scope.Outstanding()
	if len(list) != 2 || list[0].Size != 100 || list[0].Count != 20 || list[1].Size != 201 || list[1].Count != 19 {
		t.Errorf("outstanding are %v", list)
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
