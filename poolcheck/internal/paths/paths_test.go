package paths

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/octet-go/octet/poolcheck/internal/api"
	"github.com/octet-go/octet/poolcheck/internal/domain"
)

// A toy is a policy for programs with one pool: get acquires, put releases, show returns what shows its argument, read
// asks a decoder for a window, and wait waits. All other functions do nothing.
type toy struct{ *Run }

func (p toy) Call(s *domain.State, reg *ssa.Call, c *ssa.CallCommon, args []domain.Value) []*domain.State {
	at := p.At(reg)
	switch c.Value.Name() {
	case "get":
		p.SetResults(s, reg, []domain.Value{domain.Of(p.Acquire(s, reg, -1, api.Slices, nil))})
	case "put":
		p.Release(s, args[0], at)
	case "show":
		p.SetResults(s, reg, []domain.Value{args[0].As(domain.View)})
	case "read":
		if of, ok := p.Decoder(s, c.Args[0], ""); ok {
			p.Turn(s, of, at)
			p.SetResults(s, reg, []domain.Value{domain.Of(p.Window(s, reg, -1, of))})
		}
	case "wait":
		p.Wait(s)
	default:
		for _, v := range args {
			p.Use(s, v, at)
		}
	}
	return []*domain.State{s}
}

func (p toy) Spawn(s *domain.State, at ssa.Instruction, fn, callee *ssa.Function, bound, args []domain.Value, given domain.Value) {
	p.Send(s, given, at)
}
func (p toy) Pools(types.Type) bool    { return false }
func (p toy) HasOwn(*types.Var) bool   { return false }
func (p toy) Replaced(*types.Var) bool { return false }
func (p toy) Returned(any)             {}

// explore runs the function f of a source text, and returns the run and how f ends.
func explore(t *testing.T, src string) (*Run, []Exit) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", `package p
		type decoder struct{ b []byte }
		type box struct{ b, c []byte }
		var kept []byte
		func get() []byte { return nil }
		func put([]byte) {}
		func show(b []byte) []byte { return b }
		func read(d *decoder) []byte { return d.b }
		func wait() {}
		func use(...any) {}
		func look([]byte) {}
		func ask() bool { return false }
		`+src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	pkg, _, err := ssautil.BuildPackage(&types.Config{}, fset, types.NewPackage("p", "p"), []*ast.File{file}, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := new(toy)
	p.Run = New(p)
	exits := p.Explore(pkg.Func("f"))
	return p.Run, exits
}

// story returns the events of a run in the order of the source, without releases that are right.
func story(r *Run) string {
	names := map[EventKind]string{Uses: "use", Releases: "double", Keeps: "keep", Twice: "twice", Stale: "stale", Again: "again"}
	events := slices.DeleteFunc(slices.Clone(r.Events), func(e Event) bool {
		return e.Kind == Releases && e.Life.Phase != domain.Released && (e.Life.Handed == nil || e.Life.Waited)
	})
	events = slices.CompactFunc(events, func(a, b Event) bool { return a.Kind == b.Kind && a.By == b.By }) // of what it may be
	slices.SortFunc(events, func(a, b Event) int { return int(a.By.Pos() - b.By.Pos()) })
	var all []string
	for _, e := range events {
		name := names[e.Kind]
		if e.Kind == Releases && e.Life.Handed != nil {
			name = "race"
		}
		all = append(all, name)
	}
	return strings.Join(all, " ")
}

// What is decided along the paths of one function, a line a decision.
func TestEvents(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"a use after the release", `func f() { b := get(); put(b); look(b) }`, "use"},
		{"the first use is enough", `func f() { b := get(); put(b); look(b); look(b) }`, "use"},
		{"an element", `func f() { b := get(); put(b); b[0] = 1 }`, "use"},
		{"a view", `func f() { b := get(); v := show(b); put(b); look(v) }`, "use"},
		{"a copy", `func f() string { b := get(); s := string(b); put(b); return s }`, ""},
		{"a release on one way only", `func f() { b := get(); if ask() { put(b); return }; look(b); put(b) }`, ""},
		{"a way on which it is back", `func f() { b := get(); if ask() { put(b) }; look(b) }`, "use"},
		{"one flag decides both", `func f(x bool) { b := get(); if x { put(b) }; if !x { look(b) } }`, ""},
		{"a flag in a variable", `func f() { done := false; b := get(); if ask() { put(b); done = true }; if !done { look(b) } }`, ""},
		{"two flags", `func f(x, y bool) { b := get(); if x { put(b) }; if y { look(b) } }`, "use"},
		{"a nil that was asked for", `func f() { b := get(); if b == nil { look(b); return }; put(b) }`, ""},
		{"deferred, and by hand", `func f() { b := get(); defer put(b); put(b) }`, "double"},
		{"deferred with what it was", `func f() { b := get(); defer put(b); b = get(); put(b) }`, ""},
		{"a deferred literal takes what it is", `func f() { b := get(); defer func() { put(b) }(); b = get(); put(b) }`, "double"},
		{"deferred calls run from the last", `func f() { b := get(); defer put(b); defer look(b) }`, ""},
		{"by a field", `func f() { x := box{b: get()}; put(x.b); look(x.b) }`, "use"},
		{"by a copy of the struct", `func f() { x := box{b: get()}; y := x; put(x.b); look(y.b) }`, "use"},
		{"another field", `func f() { x := box{get(), get()}; put(x.b); look(x.c) }`, ""},
		{"the field has another by then", `func f() { x := box{b: get()}; put(x.b); x.b = get(); look(x.b) }`, ""},
		{"stored when it is back", `func f(m map[int][]byte) { b := get(); put(b); m[0] = b }`, "keep"},
		{"a loop acquires what it has lost", `func f() { for ask() { b := get(); look(b) } }`, "again"},
		{"a loop that gives back", `func f() { for ask() { b := get(); put(b) } }`, ""},
		{"around a loop", `func f() { b := get(); for ask() { look(b); put(b) } }`, "use"},
		{"twice around a loop", `func f() { b := get(); for ask() { put(b) } }`, "double"},
		{"an append may have moved it", `func f(p []byte) { b := get(); a := b; b = append(b, p...); look(a); put(b) }`, "stale"},
		{"the new name", `func f(p []byte) { b := get(); b = append(b, p...); look(b); put(b) }`, ""},
		{"a literal that runs", `func f() { b := get(); func() { put(b) }(); look(b) }`, "use"},
		{"a select sends or not", `func f(c chan []byte) { b := get(); select { case c <- b: default: put(b) } }`, ""},
		{"sent and released", `func f(c chan []byte) { b := get(); c <- b; put(b) }`, "race"},
		{"sent, and somebody has waited", `func f(c chan []byte) { b := get(); c <- b; wait(); put(b) }`, ""},
		{"sent, and an answer received", `func f(c chan []byte) { b := get(); c <- b; <-c; put(b) }`, ""},
		{"waited on one of two ways", `func f(c chan []byte) { b := get(); c <- b; if ask() { wait() }; put(b) }`, ""},
		{"a window behind the next read", `func f(d *decoder) { a := read(d); look(read(d)); look(a) }`, "use"},
		{"a window before it", `func f(d *decoder) { look(read(d)); look(read(d)) }`, ""},
		{"windows of two decoders", `func f(d, e *decoder) { a := read(d); look(read(e)); look(a) }`, ""},
		{"a window of the round before", `func f(d *decoder) { var a []byte; for ask() { b := read(d); look(a); a = b } }`, "use"},
		{"a list of windows", `func f(d *decoder) (l [][]byte) { for ask() { l = append(l, read(d)) }; return l }`, "keep"},
	} {
		if r, _ := explore(t, c.src); story(r) != c.want {
			t.Errorf("%s: %q, want %q\n%s", c.name, story(r), c.want, c.src)
		}
	}
}

// Ways that end alike are one exit, and what callers may rule out by is kept.
func TestExits(t *testing.T) {
	for src, want := range map[string]int{
		`func f(x bool) []byte { b := get(); if x { look(b) }; return b }`:            1,
		`func f(x bool) []byte { b := get(); if x { put(b); return nil }; return b }`: 2,
		`func f(x bool) (b []byte) { if x { b = get() }; return b }`:                  2,
		`func f(x bool) { b := get(); for ask() { look(b) }; put(b) }`:                1,
		`func f() { panic("no") }`: 0,
		`func f(x bool) []byte { b := get(); if x { panic("no") }; return b }`:            1,
		`func f(x bool) { b := get(); if x { put(b) } else { put(b) } }`:                  2,
		`func f(x bool) ([]byte, bool) { b := get(); if x { return b, x }; return b, x }`: 2,
	} {
		if _, exits := explore(t, src); len(exits) != want {
			t.Errorf("%d exits, want %d: %s", len(exits), want, src)
		}
	}
}

// Above MaxStates the states of a block are blurred, so that 1,024 ways take no thousand steps. What goes the same way on
// all of them is known as before.
func TestBlurred(t *testing.T) {
	var src strings.Builder
	src.WriteString("func f() { a := get(); ")
	for i := range 10 {
		fmt.Fprintf(&src, "b%d := get(); if ask() { put(b%[1]d) }; ", i)
	}
	r, _ := explore(t, src.String()+"put(a); look(a) }")
	if got := story(r); r.TooMuch || r.steps >= 1000 || got != "use" {
		t.Errorf("too much: %v, %d steps, events %q, want the use of a", r.TooMuch, r.steps, got)
	}
}

// A function that would take too long is given up, and so is one with too many ways out of a block.
func TestTooMuch(t *testing.T) {
	var src strings.Builder
	src.WriteString("func f() { ")
	for i := range 60 {
		fmt.Fprintf(&src, "b%d := get(); for ask() { if ask() { put(b%[1]d) } else { look(b%[1]d) } }; ", i)
	}
	if r, _ := explore(t, src.String()+"}"); !r.TooMuch {
		t.Errorf("%d steps were not too much", r.steps)
	}
}
