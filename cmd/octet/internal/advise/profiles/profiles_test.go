package profiles

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/octet-go/octet/internal/testenv"
)

func TestFileMap(t *testing.T) { testenv.WantFileMap(t) }

var (
	allocTypes = []string{"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"}
	cpuTypes   = []string{"samples", "cpu"}
)

// encode returns a profile of a program with one stack, in which a function of the program calls io.ReadAll.
func encode(t testing.TB, program string, types []string, values ...int64) []byte {
	t.Helper()
	p := &profile.Profile{Mapping: []*profile.Mapping{{ID: 1, File: program}}}
	for _, name := range types {
		p.SampleType = append(p.SampleType, &profile.ValueType{Type: name, Unit: "count"})
	}
	s := &profile.Sample{Value: values}
	for i, name := range []string{"io.ReadAll", "example.com/m.f"} {
		f := &profile.Function{ID: uint64(i + 1), Name: name, Filename: "/m/m.go"}
		l := &profile.Location{ID: uint64(i + 1), Mapping: p.Mapping[0], Line: []profile.Line{{Function: f, Line: int64(i + 10)}}}
		p.Function, p.Location = append(p.Function, f), append(p.Location, l)
		s.Location = append(s.Location, l)
	}
	p.Sample = []*profile.Sample{s}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestAdd(t *testing.T) {
	var s Set
	for _, data := range [][]byte{
		encode(t, "/bin/m", cpuTypes, 4, 40e6), // the order does not matter
		encode(t, "/elsewhere/m", allocTypes, 3, 300, 1, 100),
	} {
		if err := s.Add(data); err != nil {
			t.Fatal(err)
		}
	}
	stack := Stack{{"io.ReadAll", "/m/m.go", 10}, {"example.com/m.f", "/m/m.go", 11}}
	a := s.Allocs[0]
	if a.Objects != 3 || a.Bytes != 300 || a.InUse != 100 || len(a.Stack) != 2 || a.Stack[0] != stack[0] || a.Stack[1] != stack[1] {
		t.Errorf("allocations: %+v", s.Allocs)
	}
	if s.CPU[0].Nanos != 40e6 || s.Period != 10e6 {
		t.Errorf("processor time: %+v, a sample of %v ns", s.CPU, s.Period)
	}
}

func TestErrors(t *testing.T) {
	allocs := encode(t, "/bin/m", allocTypes, 3, 300, 1, 100)
	noSymbols, _ := profile.ParseData(allocs)
	noSymbols.Function = nil
	for _, l := range noSymbols.Location {
		l.Line = nil
	}
	var stripped bytes.Buffer
	noSymbols.Write(&stripped)
	for _, tt := range []struct {
		name string
		data []byte
		says string
	}{
		{"empty", nil, "is no profile"},
		{"cut short", allocs[:len(allocs)/2], "is cut short"},
		{"random", []byte("\x0a\xff\xff\xff\x7f\x01\x02"), "is no profile"},
		{"text", []byte("heap profile: 1: 2 [3: 4] @ heap/1048576\n"), "has no samples"},
		{"stripped", stripped.Bytes(), "without debug=1"},
		{"mutex", encode(t, "/bin/m", []string{"contentions", "delay"}, 1, 2), "is a profile of contentions and delay"},
		{"second", allocs, "is a second profile of allocs"},
		{"other program", encode(t, "/bin/other", cpuTypes, 1, 2), "is of the program other, and the profile before it of m"},
		{"idle", encode(t, "/bin/m", cpuTypes, 1, 0), "no processor time"},
		{"negative", encode(t, "/bin/m", cpuTypes, 1, -5), "no processor time"},
	} {
		var s Set
		if err := s.Add(allocs); err != nil {
			t.Fatal(err)
		}
		if err := s.Add(tt.data); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v; want %q", tt.name, err, tt.says)
		}
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "allocs")
	if err := os.WriteFile(name, encode(t, "m", allocTypes, 3, 300, 1, 100), 0o666); err != nil {
		t.Fatal(err)
	}
	var s Set
	if err := s.ReadFile(name); err != nil || len(s.Allocs) != 1 {
		t.Errorf("%v, %d allocations", err, len(s.Allocs))
	}
	for _, bad := range []string{dir, filepath.Join(dir, "gone")} {
		if err := s.ReadFile(bad); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

// Both profiles are fetched at the same time, and for the same.
func TestFetch(t *testing.T) {
	both := make(chan struct{}, 2)
	serve := func(types []string, values ...int64) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.FormValue("seconds") != "7" || r.FormValue("debug") != "" {
				t.Errorf("asked for %s", r.URL)
			}
			both <- struct{}{}
			for len(both) < 2 {
				time.Sleep(time.Millisecond)
			}
			w.Write(encode(t, "m", types, values...))
		}
	}
	mux := http.NewServeMux()
	mux.Handle("/debug/pprof/allocs", serve(allocTypes, 3, 300, 1, 100))
	mux.Handle("/debug/pprof/profile", serve(cpuTypes, 4, 40e6))
	mux.HandleFunc("/debug/pprof/mutex", func(w http.ResponseWriter, _ *http.Request) {
		w.Write(encode(t, "m", []string{"contentions", "delay"}, 1, 2))
	})
	server := httptest.NewServer(mux)
	defer server.Close()

	for _, addresses := range [][]string{
		{server.URL},
		{server.URL + "/debug/pprof/"},
		{server.URL + "/debug/pprof/profile?debug=1", server.URL + "/debug/pprof/allocs"},
	} {
		for len(both) > 0 {
			<-both
		}
		var s Set
		if err := s.Fetch(context.Background(), addresses, 7*time.Second); err != nil || s.Allocs == nil || s.CPU == nil {
			t.Errorf("%v: %v", addresses, err)
		}
	}
	for address, says := range map[string]string{
		"/other/allocs":      "404",
		"/debug/pprof/mutex": "/debug/pprof/mutex?seconds=1 is a profile of contentions",
	} {
		var s Set
		if err := s.Fetch(context.Background(), []string{server.URL + address}, time.Second); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v; want %q", address, err, says)
		}
	}
}

// Benchmarks share the time, those first that come first; preparing counts as often as it is done.
func TestShare(t *testing.T) {
	const ms = time.Millisecond
	quick, slow, prepared := Result{Op: ms, Took: ms}, Result{Op: 500 * ms, Took: 500 * ms}, Result{Op: ms, Took: 300 * ms}
	for _, tt := range []struct {
		all      []Result
		d        time.Duration
		n        int
		min, max time.Duration
	}{
		{[]Result{quick}, 1000 * ms, 1, 700 * ms, 999 * ms},
		{[]Result{quick, quick, quick, quick}, 1000 * ms, 4, 170 * ms, 249 * ms},
		{[]Result{quick, slow}, 1000 * ms, 2, 170 * ms, 250 * ms},
		{[]Result{quick, slow, slow}, 1000 * ms, 2, 170 * ms, 250 * ms},
		{[]Result{quick, prepared}, 1000 * ms, 1, 700 * ms, 999 * ms},
		{[]Result{slow}, 400 * ms, 0, 0, 0},
		{nil, 1000 * ms, 0, 0, 0},
	} {
		if n, each := share(tt.all, tt.d, 10*ms); n != tt.n || each < tt.min || each > tt.max {
			t.Errorf("%v of %v: %d, %v each", tt.d, tt.all, n, each)
		}
	}
}

// A pattern of names matches those alone.
func TestExactly(t *testing.T) {
	if got, want := Exactly([]Result{{Name: "BenchmarkA/n=1.5"}, {Name: "BenchmarkB"}}), `^BenchmarkA$/^n=1\.5$|^BenchmarkB$`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Of a command that fails the lines are shown that say why.
func TestExcerpt(t *testing.T) {
	for _, tt := range [][2]string{
		{"", ""},
		{"a\nb\n", ": a; b"},
		{"1\n2\n3\n4\n5\n6\n7\n", ": 3; 4; 5; 6; 7"},
		{"goos: linux\npanic: no\n\ngoroutine 1 [running]:\nm.f(...)\n\tm.go:3\nexit status 2\nFAIL\n", ": panic: no; ; goroutine 1 [running]:; m.f(...); \tm.go:3"},
	} {
		if got := excerpt(tt[0]); got != tt[1] {
			t.Errorf("%q: %q, want %q", tt[0], got, tt[1])
		}
	}
}

// A benchmark runs as it is and as it was in another revision, and one that does not end in time is named; no worktree is left.
func TestAgainst(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is missing")
	}
	dir := t.TempDir()
	git := func(args ...string) string {
		args = append([]string{"-c", "user.name=x", "-c", "user.email=x@example.com"}, args...)
		out, err := run(t.Context(), dir, "git", args...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	commit := func(size string) {
		for name, text := range map[string]string{
			"go.mod":       "module example.com/m\n\ngo 1.26\n",
			"m_test.go":    "package m\n\nimport \"testing\"\n\nvar kept []byte\n\nfunc BenchmarkX(b *testing.B) {\n\tfor range b.N {\n\t\tkept = make([]byte, " + size + ")\n\t}\n}\n",
			"slow_test.go": "package m\n\nimport (\n\t\"testing\"\n\t\"time\"\n)\n\nfunc BenchmarkXSlow(b *testing.B) {\n\tif b.N > 1 {\n\t\ttime.Sleep(time.Hour)\n\t}\n}\n",
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		git("add", ".")
		git("commit", "-q", "-m", "size "+size)
	}
	git("init", "-q")
	commit("4096")
	commit("1024")
	t.Setenv("GOWORK", "off")
	var pairs []Pair
	var left []string
	var err error
	for d := 3 * time.Second; pairs == nil && (err == nil || strings.Contains(err.Error(), "too short")) && d < 5*time.Minute; d *= 4 { // beside others
		pairs, left, err = Against(t.Context(), dir, "X", ".", "HEAD~1", d, func(string) {})
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(pairs) != 1 || !slices.Equal(left, []string{"BenchmarkXSlow"}) || pairs[0].Bytes[0] < 4096 || pairs[0].Bytes[1] > 1100 || len(pairs[0].Before) < Repeats || len(pairs[0].After) != len(pairs[0].Before) {
		t.Errorf("%+v, not run: %v", pairs, left)
	}
	if list := git("worktree", "list"); strings.Count(list, "\n") != 1 {
		t.Errorf("worktrees are left:\n%s", list)
	}
	if _, _, err := Against(t.Context(), dir, "X", ".", "nosuch", time.Second, func(string) {}); err == nil || !strings.Contains(err.Error(), "nosuch") {
		t.Errorf("a revision that is not there: %v", err)
	}
}
