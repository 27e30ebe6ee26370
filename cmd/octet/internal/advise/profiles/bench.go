package profiles

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"
)

// LargeHeap is a heap that is collected about every 64 MiB, as that of a service is, where a
// benchmark's own is collected every 4 MiB.
const LargeHeap = "GOGC=1600"

// A Test is the test binary of a package.
type Test struct {
	Package        string // its path
	folder, binary string
}

// Build builds the test of a package, into the folder tmp. dir is the folder that pkg is named in.
func Build(ctx context.Context, dir, pkg, tmp string) (*Test, error) {
	listed, err := run(ctx, dir, "go", "list", "-f", "{{.ImportPath}} {{.Dir}}", pkg)
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", pkg, err)
	}
	if n := strings.Count(listed, "\n"); n > 1 {
		return nil, fmt.Errorf("%s names %d packages; --bench runs the benchmarks of one", pkg, n)
	}
	path, folder, _ := strings.Cut(strings.TrimSpace(listed), " ") // a test runs in the folder of its package
	t := &Test{path, folder, filepath.Join(tmp, "bench.test")}
	if _, err := run(ctx, dir, "go", "test", "-vet=off", "-c", "-o", t.binary, pkg); err != nil {
		return nil, fmt.Errorf("go test -c %s: %w", pkg, err)
	}
	if _, err := os.Stat(t.binary); err != nil {
		return nil, fmt.Errorf("%s has no tests", pkg)
	}
	return t, nil
}

// A Result is what a benchmark printed.
type Result struct {
	Name string // with those of the benchmarks that it is part of
	N    int
	Op   time.Duration
	Took time.Duration      // with all that it prepares, and the runs that found N
	Per  map[string]float64 // operation, by unit
}

// Run runs the benchmarks that match, and returns their results and the processor time of the process. each, if it is
// not nil, is called with each result as soon as there is one. If ctx ends, Run returns the results until then, and why.
func (t *Test) Run(ctx context.Context, pattern, benchtime string, env []string, each func(Result), args ...string) (all []Result, cpu time.Duration, err error) {
	cmd := exec.CommandContext(ctx, t.binary, append([]string{"-test.run=^$", "-test.bench=" + pattern, "-test.benchtime=" + benchtime,
		"-test.v", "-test.benchmem"}, args...)...) // in a verbose result nothing stands that the benchmark prints
	var printed strings.Builder
	r, w := io.Pipe()
	cmd.Dir, cmd.Env = t.folder, append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = io.MultiWriter(w, &printed), &printed
	cmd.WaitDelay = time.Second
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer io.Copy(io.Discard, r) // so that the benchmark can go on
		from := bufio.NewReader(r)
		from.Peek(1) // until the first benchmark begins
		last := time.Now()
		for results := benchfmt.NewReader(from, ""); results.Scan(); {
			b, ok := results.Result().(*benchfmt.Result)
			if !ok {
				continue
			}
			res := Result{Name: name(b), N: b.Iters, Took: time.Since(last), Per: make(map[string]float64)}
			for _, v := range b.Values {
				res.Per[v.Unit] = v.Value
			}
			res.Op = time.Duration(1e9 * res.Per["sec/op"])
			last = time.Now()
			all = append(all, res)
			if each != nil {
				each(res)
			}
		}
	}()
	err = cmd.Run()
	w.Close()
	<-done
	switch {
	case ctx.Err() != nil:
		return all, 0, ctx.Err()
	case err != nil:
		return nil, 0, fmt.Errorf("the benchmark failed: %w%s", err, excerpt(printed.String()))
	case len(all) == 0:
		return nil, 0, fmt.Errorf("no benchmark of %s matches %s", t.Package, pattern)
	}
	return all, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// name returns the name of the benchmark, without the number of processors.
func name(r *benchfmt.Result) string {
	name := "Benchmark" + string(r.Name)
	if procs := runtime.GOMAXPROCS(0); procs > 1 {
		name = strings.TrimSuffix(name, fmt.Sprintf("-%d", procs))
	}
	return name
}

// Exactly returns the pattern of those benchmarks alone.
func Exactly(all []Result) string {
	var patterns []string
	for _, b := range all {
		parts := strings.Split(b.Name, "/")
		for i, p := range parts {
			parts[i] = "^" + regexp.QuoteMeta(p) + "$"
		}
		patterns = append(patterns, strings.Join(parts, "/"))
	}
	return strings.Join(patterns, "|")
}

const (
	// profiled is the shortest time for which a benchmark is worth running where many benchmarks have one profile, and
	// measured where its own processor time counts.
	profiled, measured = 10 * time.Millisecond, 100 * time.Millisecond
	// tries is how many times a benchmark prepares itself, to find out how many operations the time has room for, and
	// ramp how much longer than asked for it takes because of that.
	tries, ramp = 5, 1.4
)

// A Plan is which benchmarks run, for how long each of them and how often, and which there is no time for.
type Plan struct {
	Run     []Result
	Each    time.Duration
	Repeats int
	NotRun  []string
}

// Plan finds the benchmarks that match, by one operation of each, and plans runs which take d with what Plan itself takes. Each
// runs for least or longer, as often as the first of times says, or less often if there is no time for all benchmarks then.
func (t *Test) Plan(ctx context.Context, pattern string, d time.Duration, step func(string), least time.Duration, times ...int) (*Plan, error) {
	began := time.Now()
	found, cancel := context.WithTimeout(ctx, d/3)
	defer cancel()
	all, _, err := t.Run(found, pattern, "1x", nil, func(r Result) { step("found " + r.Name) })
	p := new(Plan)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		rest := "all that match"
		if len(all) > 0 {
			rest = "all after " + all[len(all)-1].Name
		}
		p.NotRun = []string{rest}
	case err != nil:
		return nil, err
	}
	n := 0
	for _, p.Repeats = range times {
		if n, p.Each = share(all, (d-time.Since(began))/time.Duration(p.Repeats), least); n == len(all) {
			break
		}
	}
	if n == 0 {
		return nil, fmt.Errorf("%v are too short for one operation of each benchmark that matches %s, with what it prepares: give more --seconds, or name fewer", d, pattern)
	}
	for _, b := range all[n:] {
		p.NotRun = append(p.NotRun, b.Name)
	}
	p.Run = all[:n]
	return p, nil
}

// share returns how many of the benchmarks there is time for, and for how long each of them may run.
func share(all []Result, d, least time.Duration) (n int, each time.Duration) {
	for n = len(all); n > 0; n-- {
		room := d
		for _, b := range all[:n] {
			room -= b.Op + tries*max(0, b.Took-b.Op)
		}
		if each = time.Duration(float64(room) / ramp / float64(n)); each >= least {
			return n, each
		}
	}
	return 0, 0
}

// Repeats is how often a benchmark has to run for an interval of 95 % that is finite.
const Repeats = 6

// Runs are the profiles of benchmarks.
type Runs struct {
	Own, Large *Set // with the heap that they have, and with a large one
	NotRun     []string
	Package    string
	Results    []Result // with the heap that they have
}

// Bench profiles the benchmarks of a package that match a regular expression, for d in all. step is called with what is
// being done.
func Bench(ctx context.Context, dir, pattern, pkg string, d time.Duration, step func(string)) (*Runs, error) {
	tmp, err := os.MkdirTemp("", "octet-advise")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	step("building the test")
	t, err := Build(ctx, dir, pkg, tmp)
	if err != nil {
		return nil, err
	}
	plan, err := t.Plan(ctx, pattern, d, step, profiled, 2*Repeats, 2)
	if err != nil {
		return nil, err
	}
	if plan.NotRun != nil {
		pattern = Exactly(plan.Run)
	}
	r := &Runs{NotRun: plan.NotRun, Package: t.Package}
	repeats := plan.Repeats / 2
	profile := func(heap string, env ...string) (*Set, error) {
		n := 0
		describe := func(Result) { n++; step(fmt.Sprintf("%s, %d of %d benchmarks", heap, n, repeats*len(plan.Run))) }
		step(heap)
		results, _, err := t.Run(ctx, pattern, plan.Each.String(), env, describe, fmt.Sprintf("-test.count=%d", repeats),
			"-test.outputdir="+tmp, "-test.cpuprofile=cpu", "-test.memprofile=allocs")
		if err != nil {
			return nil, err
		}
		if r.Results == nil {
			r.Results = results
		}
		s := new(Set)
		for _, kind := range []string{"allocs", "cpu"} {
			if err := s.ReadFile(filepath.Join(tmp, kind)); err != nil {
				return nil, err
			}
		}
		return s, nil
	}
	if r.Own, err = profile("with its own heap"); err != nil {
		return nil, err
	}
	r.Large, err = profile("with a large heap", LargeHeap)
	return r, err
}

// run runs a command and returns what it printed on stdout.
func run(ctx context.Context, dir, name string, args ...string) (string, error) {
	var stdout, stderr strings.Builder
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		err = fmt.Errorf("%w%s", err, excerpt(stdout.String()+stderr.String()))
	}
	return stdout.String(), err
}

// excerpt returns why a command failed: where it began to panic, or the last lines that it printed.
func excerpt(printed string) string {
	lines := strings.Split(strings.TrimSpace(printed), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "panic: ") || strings.HasPrefix(l, "fatal error: ") })
	if at < 0 {
		at = max(0, len(lines)-5)
	}
	if printed == "" {
		return ""
	}
	return ": " + strings.Join(lines[at:min(at+5, len(lines))], "; ")
}
