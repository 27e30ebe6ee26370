package advise

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/octet-go/octet/cmd/octet/internal/advise/cost"
	"github.com/octet-go/octet/cmd/octet/internal/advise/profiles"
	"github.com/octet-go/octet/cmd/octet/internal/advise/source"
	"github.com/octet-go/octet/internal/testenv"
)

func TestFileMap(t *testing.T) { testenv.WantFileMap(t) }

const module = `package m

import "io"

func read(r io.Reader, n int) {
	b := make([]byte, n)
	io.ReadFull(r, b)
}

var kept [][]byte

func keep() {
	kept = append(kept, make([]byte, 100))
}

func lend(f func([]byte)) {
	f(make([]byte, 100))
}

func all(r io.Reader) {
	b, _ := io.ReadAll(r)
	println(len(b))
}
`

// newTree returns a module of one file.
func newTree(t testing.TB) *source.Tree {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/m\n", "m.go": module} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := source.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func at(line int) profiles.Stack {
	return profiles.Stack{{Func: "example.com/m.f", File: "/m/m.go", Line: line}, {Func: "main.main", File: "/m/main.go", Line: 1}}
}

func in(runtime string, s profiles.Stack) profiles.Stack {
	return append(profiles.Stack{{Func: runtime}}, s...)
}

// newSet returns profiles of 100 ms, of which the site in read takes 20 % and the collector 20 %.
func newSet() *profiles.Set {
	return &profiles.Set{
		Period: 1e5,
		Allocs: []profiles.Allocation{
			{Stack: at(6), Bytes: 80e6, Objects: 80e3},
			{Stack: at(13), Bytes: 10e6, Objects: 1e5, InUse: 9e6},
			{Stack: at(17), Bytes: 10e6, Objects: 1e5},
		},
		CPU: []profiles.Sample{
			{Stack: in("runtime.makeslice", at(6)), Nanos: 20e6},
			{Stack: in("runtime.makeslice", at(17)), Nanos: 2e6},
			{Stack: profiles.Stack{{Func: "runtime.bgsweep"}}, Nanos: 20e6},
			{Stack: at(7), Nanos: 58e6},
		},
	}
}

func mustAdvise(t *testing.T, set, large *profiles.Set) *Advice {
	t.Helper()
	a, err := advise(newTree(t), &profiles.Runs{Own: set, Large: large}, new(cost.Machine))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAdvise(t *testing.T) {
	a := mustAdvise(t, newSet(), nil)
	if !strings.HasPrefix(a.Verdict, "Pool it: ") || a.Bytes != 80 {
		t.Errorf("%s; %v %% of the bytes", a.Verdict, a.Bytes)
	}
	if a.Saves.Low < 20 || a.Saves.High > 60 || a.Saves.Low > 36 || a.Saves.High < 36 || a.Saves.LargeHeap.High == 0 {
		t.Errorf("saves %+v; the site takes 36 %%", a.Saves)
	}
	want := map[int]source.Ends{6: source.Here, 13: source.Kept, 17: source.Unknown}
	if len(a.Sites) != len(want) || a.Sites[0].Line != 6 {
		t.Errorf("%d sites, the first at line %d", len(a.Sites), a.Sites[0].Line)
	}
	for _, s := range a.Sites {
		if s.Ends != want[s.Line] {
			t.Errorf("line %d ends %s, want %s", s.Line, s.Ends, want[s.Line])
		}
	}
}

// A patch changes nothing, and --fix what needs nobody to decide.
func TestChange(t *testing.T) {
	tree := newTree(t)
	a, err := advise(tree, &profiles.Runs{Own: newSet()}, new(cost.Machine))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(tree.Root(), "m.go")
	var stdout, stderr bytes.Buffer
	if err := (&flags{diff: true}).change(tree, a, &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# m.go:17 is not changed: its memory ends: unknown\n", "\n-\tb := make([]byte, n)\n+\tb := bytespool.New(n)\n+\tclear(b)\n+\tdefer bytespool.Release(b)\n"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("%q is not in\n%s", want, stdout.String())
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != module {
		t.Errorf("%v; the patch changed\n%s", err, text)
	}
	stdout.Reset()
	if err := (&flags{fix: true}).change(tree, a, &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "defer bytespool.Release(b)") {
		t.Errorf("%v; not changed:\n%s", err, text)
	}
	if stdout.Len() > 0 || !strings.Contains(stderr.String(), "m.go:17") {
		t.Errorf("printed %q, and errors %q", stdout.String(), stderr.String())
	}
}

// What a reader allocates that io.ReadAll reads from is not saved.
func TestSiteBytes(t *testing.T) {
	below := func(names ...string) (s profiles.Stack) {
		for _, name := range names {
			s = append(s, profiles.Frame{Func: name})
		}
		return append(s, at(21)...)
	}
	a := mustAdvise(t, &profiles.Set{
		Period: 1e5,
		Allocs: []profiles.Allocation{
			{Stack: below("io.ReadAll"), Bytes: 30e6, Objects: 1e3},
			{Stack: below("compress/flate.NewReader", "io.ReadAll"), Bytes: 70e6, Objects: 1e3},
		},
		CPU: []profiles.Sample{
			{Stack: below("runtime.makeslice", "io.ReadAll"), Nanos: 10e6},
			{Stack: below("runtime.makeslice", "compress/flate.NewReader", "io.ReadAll"), Nanos: 10e6},
			{Stack: at(7), Nanos: 80e6},
		},
	}, nil)
	if len(a.Sites) != 1 || a.Bytes != 30 || a.Sites[0].Bytes != 30e6 || a.Sites[0].Costs.Allocating != 10 {
		t.Errorf("%d sites, %v %% of the bytes: %+v", len(a.Sites), a.Bytes, a.Sites[0])
	}
}

// Of a run with a large heap the saving is what was measured there.
func TestLargeHeap(t *testing.T) {
	large := newSet()
	large.CPU[2].Nanos = 1e6 // of the collector
	a := mustAdvise(t, newSet(), large)
	if a.Saves.LargeHeap.High >= a.Saves.High {
		t.Errorf("%+v", a.Saves)
	}
}

// What the run with a large heap did not allocate is unknown there, and not nothing.
func TestLargeHeapUnknown(t *testing.T) {
	const unknown = "unknown with a large heap"
	large := newSet()
	large.Allocs = large.Allocs[1:] // without the site in read, which alone can be pooled
	a := mustAdvise(t, newSet(), large)
	if a.Saves.LargeHeap != nil || a.Sites[0].Line != 6 || a.Sites[0].Saves.LargeHeap != nil {
		t.Errorf("%+v, at line %d %+v", a.Saves, a.Sites[0].Line, a.Sites[0].Saves)
	}
	if s := a.Sites[1]; s.Saves.LargeHeap == nil {
		t.Errorf("line %d: %+v", s.Line, s.Saves)
	}
	for _, f := range outputs {
		var b bytes.Buffer
		if err := f.write(&b, a); err != nil {
			t.Fatal(err)
		}
		if f.name != "json" && strings.Count(b.String(), unknown) != 2 { // in the verdict, and of the site
			t.Errorf("%s does not say what is unknown:\n%s", f.name, b.String())
		}
	}
	var got struct {
		Saves map[string]any
		Sites []struct{ Saves map[string]any }
	}
	data, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	for i, saves := range []map[string]any{got.Saves, got.Sites[0].Saves, got.Sites[1].Saves} {
		if _, known := saves["large_heap"]; known != (i == 2) {
			t.Errorf("JSON has %v", saves)
		}
	}
	// Where nothing can be pooled, nothing is saved with any heap.
	set := newSet()
	set.Allocs = set.Allocs[1:]
	if a := mustAdvise(t, set, set); a.Saves.LargeHeap == nil || *a.Saves.LargeHeap != (cost.Range{}) {
		t.Errorf("of nothing: %+v", a.Saves)
	}
}

func TestVerdicts(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*profiles.Set)
		says   string
	}{
		{"little", func(s *profiles.Set) {
			s.CPU[0].Nanos, s.CPU[1].Nanos, s.CPU[2].Nanos, s.CPU[3].Nanos = 1e5, 0, 1e5, 1e9
		}, "Leave it: "},
		{"some", func(s *profiles.Set) { s.CPU[3].Nanos = 7.2e8 }, "Little to gain: "},
		{"unknown", func(s *profiles.Set) { s.Allocs[0].Stack, s.CPU[0].Stack = at(17), in("runtime.makeslice", at(17)) }, "Read first: "},
	} {
		set := newSet()
		tt.change(set)
		a := mustAdvise(t, set, nil)
		if !strings.Contains(a.Verdict, tt.says) {
			t.Errorf("%s: %s", tt.name, a.Verdict)
		}
		if a.Sites == nil { // JSON has a list, even if it is empty
			t.Errorf("%s: sites are missing", tt.name)
		}
	}
}

// Where the module is in the profile of processor time alone it allocates nothing, and is left as it is.
func TestNothing(t *testing.T) {
	set := newSet()
	set.Allocs = []profiles.Allocation{{Stack: profiles.Stack{{Func: "io.ReadAll"}, {Func: "testing.tRunner"}}, Bytes: 1e6}}
	a, err := advise(newTree(t), &profiles.Runs{Own: set}, new(cost.Machine))
	if err != nil || !strings.HasPrefix(a.Verdict, "Leave it: ") || strings.Contains(a.Verdict, "%") {
		t.Errorf("%+v, %v", a, err)
	}
	set.CPU = []profiles.Sample{{Stack: profiles.Stack{{Func: "runtime.bgsweep"}}, Nanos: 1e6}}
	if a, err := advise(newTree(t), &profiles.Runs{Own: set}, new(cost.Machine)); err == nil {
		t.Errorf("nothing is of the module: %+v", a)
	}
}

// Which benchmarks there was no time for is said, a few by name.
func TestNotRun(t *testing.T) {
	runs := &profiles.Runs{Own: newSet(), NotRun: strings.Fields("B1 B2 B3 B4 B5 B6 B7")}
	a, err := advise(newTree(t), runs, new(cost.Machine))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range outputs {
		var b bytes.Buffer
		if err := f.write(&b, a); err != nil || !strings.Contains(b.String(), "B4, B5 and 2 more. More --seconds run them.") {
			t.Errorf("%s: %v\n%s", f.name, err, b.String())
		}
	}
}

func TestForeign(t *testing.T) {
	set := &profiles.Set{Allocs: []profiles.Allocation{{Stack: profiles.Stack{{Func: "io.ReadAll"}, {Func: "github.com/x/y/z.f"}}, Bytes: 1}}}
	_, err := advise(newTree(t), &profiles.Runs{Own: set}, new(cost.Machine))
	if err == nil || !strings.Contains(err.Error(), "example.com/m, but of github.com/x/y;") {
		t.Errorf("%v", err)
	}
}

// What a dependency allocates is said of it, and not of the module, whether or not the module called it.
func TestDependencies(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "y.go")
	const text = "package y\n\nfunc f(n int) ([]byte, []int) {\n\treturn make([]byte, n),\n\t\tmake([]int, n)\n}\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	in := func(line int, below ...profiles.Frame) profiles.Stack {
		return append(profiles.Stack{{Func: "github.com/x/y.f", File: file, Line: line}}, below...)
	}
	set := newSet()
	set.Allocs = []profiles.Allocation{
		{Stack: in(4, at(7)...), Bytes: 40e6, Objects: 40e3},
		{Stack: in(4, profiles.Frame{Func: "runtime.goexit"}), Bytes: 20e6, Objects: 20e3},
		{Stack: in(5, at(7)...), Bytes: 40e6, Objects: 40e3}, // of no bytes
	}
	set.CPU[0].Stack = append(profiles.Stack{{Func: "runtime.makeslice"}}, in(4, at(7)...)...)
	a := mustAdvise(t, set, nil)
	if len(a.Sites) != 0 || len(a.Dependencies) != 1 || a.Dependencies[0].Bytes != 60e6 || a.Elsewhere.middle() < 20 {
		t.Fatalf("%+v", a)
	}
	for _, f := range outputs {
		var b bytes.Buffer
		if err := f.write(&b, a); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"Not here: ", "github.com/x/y/y.go", "y.f", "make([]byte, n)"} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s lacks %s:\n%s", f.name, want, b.String())
			}
		}
		if f.name != "json" && !strings.Contains(b.String(), "allocates 60 % of the bytes") {
			t.Errorf("%s lacks the share:\n%s", f.name, b.String())
		}
	}
	// Where the module has sites of its own, those of dependencies are not counted with them.
	set.Allocs = append(set.Allocs, newSet().Allocs[0])
	if a := mustAdvise(t, set, nil); len(a.Sites) != 1 || len(a.Dependencies) != 1 || strings.HasPrefix(a.Verdict, "Not here") {
		t.Errorf("%+v", a)
	}
}

// What the callers of an exported function must release ranks below what ends in the module, and is not called to pool.
func TestExported(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module example.com/m\n",
		"m.go":      "package m\n\nfunc Take(n int) []byte {\n\treturn make([]byte, n)\n}\n\nfunc use(n int) {\n\tb := make([]byte, n)\n\tprintln(len(b))\n}\n",
		"m_test.go": "package m\n\nfunc f() {\n\tprintln(Take(1)[0])\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := source.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	take := profiles.Stack{{Func: "example.com/m.Take", File: "/m/m.go", Line: 4}, {Func: "example.com/m.f", File: "/m/m_test.go", Line: 4}}
	use := profiles.Stack{{Func: "example.com/m.use", File: "/m/m.go", Line: 8}}
	set := newSet()
	set.Allocs[0].Stack, set.CPU[0].Stack = take, in("runtime.makeslice", take)
	set.Allocs[1] = profiles.Allocation{Stack: use, Bytes: 10e6, Objects: 1e4}
	for _, tt := range []struct {
		nanos float64 // of what ends in the module
		says  string
	}{{0, "Change the API first: pooling can save "}, {30e6, "Pool it: pooling can save "}} {
		set.CPU[1] = profiles.Sample{Stack: in("runtime.makeslice", use), Nanos: tt.nanos + 1}
		set.Allocs[1].Bytes = 2e5 + tt.nanos
		a, err := advise(tree, &profiles.Runs{Own: set}, new(cost.Machine))
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Sites) != 2 || a.Sites[0].Line != 8 || a.Sites[1].Ends != source.Callers || !strings.HasPrefix(a.Verdict, tt.says) {
			t.Errorf("%s\n%+v\n%+v", a.Verdict, a.Sites[0], a.Sites[len(a.Sites)-1])
		}
	}
}

// A profile that is short, or of a program that was idle, is said to be one.
func TestWeak(t *testing.T) {
	for _, tt := range []struct {
		samples float64
		took    time.Duration
		says    string
	}{{0, 0, ""}, {1000, 10 * time.Second, ""}, {1000, 0, ""}, {200, 2 * time.Second, "short: it has 200 samples"}, {600, 30 * time.Second, "idle: it took 6.0 s of processor time in 30.0 s, which is 600 samples"}} {
		set := &profiles.Set{Samples: tt.samples, Period: 1e7, Took: tt.took}
		if got := weak(set); !strings.Contains(got, tt.says) || (got == "") != (tt.says == "") {
			t.Errorf("%v samples in %v: %q", tt.samples, tt.took, got)
		}
	}
}

// outputs are those of the command.
var outputs = []struct {
	name  string
	write func(io.Writer, *Advice) error
}{{"text", writeText}, {"json", writeJSON[Advice]}}

func TestReports(t *testing.T) {
	a := mustAdvise(t, newSet(), nil)
	a.Sites[0].Function = "<b>\x1b[2J"
	for _, f := range outputs {
		var b bytes.Buffer
		if err := f.write(&b, a); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), a.Verdict) || !strings.Contains(b.String(), "bytespool.New(n)") {
			t.Errorf("%s lacks the verdict or the advice:\n%s", f.name, b.String())
		}
		if f.name == "text" && strings.Contains(b.String(), "\x1b") {
			t.Errorf("%s has names as they are:\n%s", f.name, b.String())
		}
	}
	var b bytes.Buffer
	if err := writeJSON(&b, a); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Verdict string
		Saves   struct {
			Low, High  *float64
			Large_heap *struct{ Low, High *float64 }
		}
		Sites []map[string]any
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Verdict == "" || got.Saves.Low == nil || got.Saves.Large_heap == nil || got.Saves.Large_heap.High == nil {
		t.Errorf("fields are missing:\n%s", b.String())
	}
	for _, field := range strings.Fields("file line function what bytes objects saves ends advice") {
		if _, ok := got.Sites[0][field]; !ok {
			t.Errorf("sites have no field %s", field)
		}
	}
}

// FuzzAdvise tells that profiles of any content are read or rejected, and nothing else.
func FuzzAdvise(f *testing.F) {
	tree := newTree(f)
	for _, types := range [][]string{{"alloc_objects", "alloc_space", "inuse_space"}, {"samples", "cpu"}} {
		p := &profile.Profile{}
		s := &profile.Sample{}
		for i, name := range types {
			p.SampleType = append(p.SampleType, &profile.ValueType{Type: name})
			s.Value = append(s.Value, int64(i+1)<<40)
		}
		for i, name := range []string{"io.ReadAll", "example.com/m.f", "main.main"} {
			fn := &profile.Function{ID: uint64(i + 1), Name: name, Filename: "/m/m.go"}
			l := &profile.Location{ID: uint64(i + 1), Line: []profile.Line{{Function: fn, Line: 6}}}
			p.Function, p.Location, s.Location = append(p.Function, fn), append(p.Location, l), append(s.Location, l)
		}
		p.Sample = []*profile.Sample{s}
		var b bytes.Buffer
		if err := p.WriteUncompressed(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	machine := new(cost.Machine)
	f.Fuzz(func(t *testing.T, data []byte) {
		var set profiles.Set
		if err := set.Add(data); err != nil {
			return
		}
		if other := newSet(); set.CPU == nil {
			set.CPU = other.CPU
		} else {
			set.Allocs = other.Allocs
		}
		a, err := advise(tree, &profiles.Runs{Own: &set}, machine)
		if err != nil {
			return
		}
		if len(a.Sites) > maxSites || a.Verdict == "" {
			t.Errorf("%d sites, %q", len(a.Sites), a.Verdict)
		}
		var b bytes.Buffer
		if err := writeJSON(&b, a); err != nil { // such as of a number that is none
			t.Error(err)
		}
		if err := writeText(&b, a); err != nil {
			t.Error(err)
		}
	})
}
