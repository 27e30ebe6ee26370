package measure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// The tests start this test binary as a child, which takes a sample of a
// contestant of childGroups.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Subcommand {
		if err := Serve(childGroups(), strings.Join(os.Args[2:], " "), os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		return
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // under -race each child would sleep for a second before it exits
	os.Exit(m.Run())
}

// memory is global so that it stays allocated.
var memory []byte

// occupy makes memory resident.
func occupy(bytes int) {
	memory = make([]byte, bytes)
	for i := range memory {
		memory[i] = 1
	}
}

const childOperations = 50

// The environment names a file in which calls of heavy are noted, and a limit.
const notesFile, limit = "OCTET_TEST_NOTES", "OCTET_TEST_LIMIT"

// A process is one that has called heavy.
type process struct {
	calls        int
	limit, build string
}

// noteCall notes a call in this process.
func noteCall() {
	f, err := os.OpenFile(os.Getenv(notesFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprintf(f, "%d\t%s\t%s\n", os.Getpid(), os.Getenv(limit), os.Args[0])
}

// processes returns those that have noted calls: the others than this, in the order of their
// first calls, and this one, if it has.
func processes(t *testing.T) (others []*process, self *process) {
	t.Helper()
	notes, err := os.ReadFile(os.Getenv(notesFile))
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]*process)
	for line := range strings.Lines(string(notes)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		p := all[f[0]]
		if p == nil {
			p = &process{limit: f[1], build: f[2]}
			all[f[0]] = p
			if f[0] != strconv.Itoa(os.Getpid()) {
				others = append(others, p)
			}
		}
		p.calls++
	}
	return others, all[strconv.Itoa(os.Getpid())]
}

// childGroups returns a row that uses child processes, one that does not, and
// one whose contestants do something else each.
func childGroups() []contest.Group {
	heavy := contest.Contestant{Name: "heavy", Start: func() func(int) {
		return func(n int) {
			noteCall()
			for range n {
				sink = make([]byte, 1<<20)
			}
		}
	}}
	does := func(name string, do func()) contest.Contestant {
		return contest.Contestant{Name: name, Start: func() func(int) { return func(int) { do() } }}
	}
	burn := func() {
		// On a loaded machine a process has little of the time that passes.
		before, _ := Used()
		used, began := before, time.Now()
		for time.Since(began) < 100*time.Millisecond || runtime.GOOS != "windows" && used-before < 100*time.Millisecond {
			used, _ = Used()
		}
	}
	orphan := func() {
		// The child starts a child of its own and exits without waiting for it.
		self, _ := os.Executable()
		cmd := exec.Command(self, Subcommand, `{"Group": "does", "Row": "op=x", "Contestant": "sleep"}`)
		cmd.StdinPipe()
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		fmt.Fprintf(os.Stderr, "pid %d", cmd.Process.Pid)
		os.Exit(7)
	}
	apart := &contest.Process{Operations: childOperations, Env: []string{limit + "=64MiB"}}
	return []contest.Group{
		{Name: "apart", Rows: []contest.Row{
			{Name: "op=x", Process: apart, Contestants: []contest.Contestant{heavy, {Name: "again", Start: heavy.Start}}},
		}},
		{Name: "here", Rows: []contest.Row{{Name: "op=x", Contestants: []contest.Contestant{heavy}}}},
		{Name: "does", Rows: []contest.Row{{Name: "op=x", Process: &contest.Process{Operations: 1}, Contestants: []contest.Contestant{
			does("nothing", func() {}), does("burn", burn), does("occupy", func() { occupy(64 << 20) }),
			does("panic", func() { panic("byte 7 differs") }), does("orphan", orphan),
			does("sleep", func() { time.Sleep(time.Minute) }),
		}}}},
	}
}

// take1 takes a sample of a contestant of the group does in a child process.
func take1(ctx context.Context, contestant string) (map[string]float64, error) {
	groups := childGroups()[2:]
	r := &groups[0].Rows[0]
	r.Contestants = slices.DeleteFunc(r.Contestants, func(c contest.Contestant) bool { return c.Name != contestant })
	err := Run(ctx, groups, Options{ProcessRounds: 1, Time: time.Second})
	units := make(map[string]float64)
	for unit, values := range r.Contestants[0].Samples {
		units[unit] = values[0]
	}
	return units, err
}

func TestChildren(t *testing.T) {
	t.Setenv(notesFile, filepath.Join(t.TempDir(), "notes"))
	done, total := 0, 0
	groups := childGroups()[:2]
	err := Run(t.Context(), groups, Options{Rounds: 1, ProcessRounds: 3, Time: 50 * time.Millisecond, Progress: func(d, all int) { done, total = d, all }})
	if err != nil {
		t.Fatal(err)
	}
	if want := 3*2 + 2*1; done != want || total != want {
		t.Errorf("progress ended at %d of %d, want %d", done, total, want)
	}
	for _, c := range groups[0].Rows[0].Contestants {
		if c.N != childOperations {
			t.Errorf("%s: %d operations, want %d", c.Name, c.N, childOperations)
		}
		for round := range 3 {
			s := func(unit string) float64 { return c.Samples[unit][round] }
			if b := s(contest.Bytes); b < 1<<20 || b > 11<<17 {
				t.Errorf("%s: %v B/op", c.Name, b)
			}
			if rss, ok := c.Samples[contest.RSS]; ok && (rss[round] < 1<<20 || rss[round] > 100<<20) {
				t.Errorf("%s: %v bytes were resident while 50 MiB were allocated", c.Name, rss[round])
			}
			if s(contest.Time) <= 0 || s(contest.CPU) <= 0 || s(contest.Allocs) < 1 {
				t.Errorf("%s: %v", c.Name, c.Samples)
			}
		}
	}
	children, self := processes(t)
	for _, p := range children {
		if p.calls != 1 || p.limit != "64MiB" {
			t.Errorf("in a child: %+v", p)
		}
	}
	if _, ok := groups[1].Rows[0].Contestants[0].Samples[contest.CPU]; ok || len(children) != 6 || self == nil || self.limit != "" {
		t.Errorf("%d children, of which the other row has some: here there was %+v", len(children), self)
	}
}

// What a child says before it fails is in the error.
func TestChildFails(t *testing.T) {
	_, err := take1(t.Context(), "panic")
	for _, want := range []string{"does/op=x: panic: the process exited without an answer: exit status 2: ", "panic: byte 7 differs"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; should speak of %q", err, want)
		}
	}
	for _, task := range []string{"", "no task", `{}`, `{"Group": "apart", "Row": "op=x", "Contestant": "none"}`} {
		cmd := exec.Command(os.Args[0], Subcommand, task)
		cmd.StdinPipe()
		if said, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(said), "internal to octet") && !strings.Contains(string(said), "there is no contestant") {
			t.Errorf("task %q: %v, %s", task, err, said)
		}
	}
}

// If the context ends, the child is killed, and the error is that of the context.
func TestChildIsKilled(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := take1(ctx, "sleep"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error is %v", err)
	}
}

// A child exits if its parent dies.
func TestOrphan(t *testing.T) {
	_, err := take1(t.Context(), "orphan")
	if err == nil || !strings.Contains(err.Error(), "pid ") {
		t.Fatal(err)
	}
	pid := err.Error()[strings.LastIndex(err.Error(), " ")+1:]
	for range 100 { // ten seconds
		if out, err := exec.Command("ps", "-p", pid, "-o", "stat=").CombinedOutput(); errors.Is(err, exec.ErrNotFound) {
			t.Skip("there is no ps")
		} else if s := strings.TrimSpace(string(out)); s == "" || strings.HasPrefix(s, "Z") {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("process %s lives on", pid)
}

// What a child has used is its own, not what its parent has, however large that is.
func TestUsage(t *testing.T) {
	occupy(256 << 20)
	defer func() { memory = nil }()
	usage := func(contestant string) map[string]float64 {
		units, err := take1(t.Context(), contestant)
		if err != nil {
			t.Fatal(err)
		}
		return units
	}
	idle, burnt := usage("nothing")[contest.CPU], usage("burn")[contest.CPU]
	if burnt <= idle || idle < 0 {
		t.Errorf("%v ns of processor time while something was done, %v while nothing was", burnt, idle)
	}
	if runtime.GOOS == "windows" {
		return // the child does not know
	}
	if small, large := usage("nothing")[contest.RSS], usage("occupy")[contest.RSS]; small > 60<<20 || large < 60<<20 || large > 1<<30 {
		t.Errorf("%v bytes were resident, and %v with 64 MiB in use", small, large)
	}
}

// All samples of a layout are taken by its build, for rows with a Process and others.
func TestLayouts(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other")
	if err := os.Symlink(self, other); err != nil {
		t.Fatal(err)
	}
	t.Setenv(notesFile, filepath.Join(t.TempDir(), "notes"))
	groups := childGroups()[:2]
	done, total := 0, 0
	err = Run(t.Context(), groups, Options{Rounds: 3, ProcessRounds: 3, Time: 20 * time.Millisecond, Layouts: []string{self, other},
		Progress: func(d, all int) { done, total = d, all }})
	if err != nil {
		t.Fatal(err)
	}
	if want := 2 * (2 + 1); done != want || total != want {
		t.Errorf("progress ended at %d of %d, want %d", done, total, want)
	}
	for _, g := range groups {
		for _, c := range g.Rows[0].Contestants {
			if n := len(c.Samples[contest.Time]); n != 2 {
				t.Errorf("%s: %d samples of two layouts", c.Name, n)
			}
		}
	}
	children, here := processes(t)
	if len(children) != total || here != nil {
		t.Errorf("%d samples are of %d children, and of %+v", total, len(children), here)
	}
	for i, p := range children {
		if want := []string{self, other}[2*i/len(children)]; p.build != want {
			t.Errorf("sample %d is of %s, want %s", i, p.build, want)
		}
	}
	if err := Run(t.Context(), groups, Options{Rounds: 1, Time: time.Second, Layouts: []string{self + "-gone"}}); err == nil {
		t.Error("a build that is missing is no error")
	}
}
