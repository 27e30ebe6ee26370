// Package testrun is the command poolcheck test: it runs the tests of a module with a
// sync.Pool that checks what happens to an object after Put.
//
// The sync.Pool is that of package poolwatch, in the folder _std, which go test's flag
// -overlay adds to the standard library for the build. Each test binary runs once without
// a change of what a program sees, and once with idle memory overwritten. What that shows
// is confirmed by more runs of the same binary.
//
// # Map
//
//	testrun.go   Run: the runs of all packages, and the result
//	flags.go     the command line
//	overlay.go   the toolchain, and the overlay for it
//	packages.go  what go list says of the packages
//	build.go     the commands build and run, for programs that are no tests
//	helper.go    what go test starts in place of a test binary
//	run.go       one run of a test binary, and its report
//	judge.go     what the first runs show, by further runs
//	races.go     what the race detector shows
//	puts.go      the calls of Put in the source
//	octet.go     octet's own pools
//	finding.go   findings, and the stacks that a process prints
package testrun

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/octet-go/octet/poolcheck/internal/child"
	"github.com/octet-go/octet/poolcheck/internal/console"
	"github.com/octet-go/octet/poolcheck/internal/status"
)

// A Result is what the tests of all packages showed.
type Result struct {
	Options  *Options
	Findings []*Finding
	Status   int // the exit status
}

// Run runs the command with its arguments, and says on stderr what is no finding. The
// result has no Options if nothing ran.
func Run(args []string, stdout, stderr io.Writer) *Result {
	o, err := parse(args)
	switch {
	case err == flag.ErrHelp:
		io.WriteString(stdout, Usage)
		return &Result{Status: status.Clean}
	case err != nil:
		fmt.Fprintf(stderr, "poolcheck test: %v\nRun 'poolcheck test -help' for usage.\n", err)
		return &Result{Status: status.Usage}
	}
	ctx, stop := child.Signalled()
	defer stop()
	c := &command{Options: o, ctx: ctx, Console: console.New("poolcheck test", stderr), counts: counts{unconfirmed: make(map[string]int), reached: make(map[Frame]bool)}}
	err = c.run()
	switch {
	case err != nil && ctx.Err() != nil:
		c.Say("interrupted before a test ran")
		return &Result{Status: status.Incomplete}
	case err != nil:
		c.Say("%v", err)
		return &Result{Status: status.Incomplete}
	}
	return &Result{Options: o, Findings: c.findings, Status: status.Of(len(c.findings) > 0, !c.fails && ctx.Err() == nil)}
}

// A command is one run of poolcheck test.
type command struct {
	*Options
	ctx context.Context // ends when the command is interrupted
	*console.Console
	tools    *toolchain
	packages *packages
	work     string
	counts   counts
	findings []*Finding
	fails    bool
}

// run returns an error only if no test ran. An interrupt ends what it does, and not what it says of it.
func (c *command) run() error {
	var err error
	if c.packages, err = listPackages(c.ctx, c.Options); err != nil {
		return err
	}
	switch n := c.packages.without; {
	case len(c.packages.tested) == 0 && n == 0:
		c.Say("no tests in %s", strings.Join(c.patterns, " "))
		return nil
	case len(c.packages.tested) == 0:
		c.Say("nothing in %s or in what it depends on uses sync.Pool, but for the standard library", strings.Join(c.patterns, " "))
		return nil
	case n > 0 && c.Verbose:
		c.Say("%d packages do not depend on a sync.Pool and are not run", n)
	}
	if c.work, err = os.MkdirTemp("", "poolcheck-test-"); err != nil {
		return err
	}
	defer os.RemoveAll(c.work)
	if c.tools, err = findToolchain(c.ctx, c.work, false); err != nil {
		return err
	}
	binaries, err := c.buildTests()
	if err != nil {
		return err
	}
	firsts := c.firstRuns(binaries)
	deadline := time.Now().Add(c.Budget)
	for _, pkg := range c.packages.tested {
		first := firsts[pkg.ImportPath]
		if first == nil {
			continue
		}
		err := first.err
		if first.records != nil {
			c.sayFailing(pkg.ImportPath, first)
			j := &judge{ctx: c.ctx, deadline: time.Now().Add(time.Until(deadline) / 2), pkg: pkg.ImportPath, binary: binaries[pkg.ImportPath],
				usesOctet: pkg.usesOctet, raceDetector: slices.Contains(c.build, "-race"), firstRuns: first, counts: &c.counts, progress: func(what string) { c.Progress(pkg.ImportPath + ": " + what) }}
			err = j.judge()
			c.merge(j.found)
			if len(j.unexplained) > 0 {
				c.fails = true
				c.Say("%s: passes, but fails in octet's mode full, for no single place of New or Release: %s; see OCTETDEBUG=check=full go test", pkg.ImportPath, strings.Join(j.unexplained, ", "))
			}
			for _, what := range j.once {
				c.Say("%s: %s: seen in one run, and not looked for in another", pkg.ImportPath, what)
			}
		}
		if err != nil && err != errBudget && c.ctx.Err() == nil {
			c.fails = true
			c.Say("%s: %v", pkg.ImportPath, err)
		}
	}
	c.summary()
	return nil
}

// buildTests has go test build all packages, and returns their binaries by their paths.
func (c *command) buildTests() (map[string]*testBinary, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	also := ""
	if c.tools.unbuilt {
		also = " and, this first time, the standard library and all that they import"
	}
	c.Say("building the tests of %s%s", console.Count(len(c.packages.tested), "package"), also)
	args := []string{"test", "-overlay=" + c.tools.overlay, `-exec="` + self + `" test`, "-vet=off", "-count=1"}
	named := c.patterns
	if c.packages.without > 0 {
		named = nil
		for _, pkg := range c.packages.tested {
			named = append(named, pkg.ImportPath)
		}
	}
	args = slices.Concat(args, c.build, c.test, named)
	if len(c.args) > 0 {
		args = append(append(args, "-args"), c.args...)
	}
	cmd := child.Command(c.ctx, c.tools.goCommand, args...)
	cmd.Env = append(slices.Clone(c.tools.env), keepVariable+"="+c.work)
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	runErr := child.Run(c.ctx, cmd)
	if c.ctx.Err() != nil {
		return nil, c.ctx.Err()
	}
	out := text.Bytes()
	byFolder, err := kept(c.work)
	if err != nil {
		return nil, err
	}
	binaries := make(map[string]*testBinary)
	var missing []string
	for _, pkg := range c.packages.tested {
		b := byFolder[pkg.Dir]
		if b == nil {
			missing = append(missing, pkg.ImportPath)
			continue
		}
		b.Timeout = c.timeout
		binaries[pkg.ImportPath] = b
	}
	switch {
	case len(missing) > 0 && bytes.Contains(out, []byte("poolwatch")):
		return nil, &unknownShape{c.tools.version, "the changed standard library does not build\n" + string(out)}
	case len(missing) > 0:
		c.fails = true
		c.Say("%s: not built:\n%s", strings.Join(missing, ", "), bytes.TrimSpace(out))
	case runErr != nil:
		return nil, fmt.Errorf("go test: %w\n%s", runErr, bytes.TrimSpace(out))
	}
	return binaries, nil
}

// firstRuns runs all packages, several at once, as go test does.
func (c *command) firstRuns(binaries map[string]*testBinary) map[string]*firstRuns {
	firsts := make(map[string]*firstRuns)
	var mu sync.Mutex
	var group sync.WaitGroup
	atOnce := runtime.GOMAXPROCS(0)
	for _, f := range c.build {
		if n, ok := strings.CutPrefix(f, "-p="); ok {
			atOnce = max(1, number(n))
		}
	}
	free := make(chan bool, atOnce)
	for _, pkg := range c.packages.tested {
		b := binaries[pkg.ImportPath]
		if b == nil {
			continue
		}
		free <- true
		group.Go(func() {
			start := time.Now()
			first := b.firstRuns(c.ctx, pkg.usesOctet)
			<-free
			mu.Lock()
			defer mu.Unlock()
			firsts[pkg.ImportPath] = first
			if first.err == nil {
				c.Say("%s: %s of Put, %.1fs", pkg.ImportPath, console.Count(first.records.Report.Puts, "call"), time.Since(start).Seconds())
			}
			c.Progress(fmt.Sprintf("%d of %d packages", len(firsts), len(binaries)))
		})
	}
	group.Wait()
	return firsts
}

// sayFailing says which tests of a package fail without overwritten memory.
func (c *command) sayFailing(pkg string, first *firstRuns) {
	switch p := first.plain; {
	case p == nil:
	case !p.Passed:
		c.fails = c.fails || !c.Tolerate
		what := cmp.Or(strings.Join(p.Failed, ", "), "its tests") + " failed"
		if p.TimedOut {
			what += fmt.Sprintf(" or did not end in %v", c.timeout)
		}
		c.Say("%s: %s without poolcheck, too", pkg, what)
	case first.poison == nil && first.err == nil:
		c.Say("%s: its tests fail with poolcheck alone, without overwritten memory, and were not looked at", pkg)
	}
}

// merge adds the findings of a package to those that are known.
func (c *command) merge(found []*Finding) {
	for _, f := range found {
		i := slices.IndexFunc(c.findings, f.same)
		if i < 0 {
			f.Origin = c.origin(f)
			f.Again = c.again(f)
			c.findings = append(c.findings, f)
			continue
		}
		if g := c.findings[i]; g.Package == f.Package {
			g.Tests = append(g.Tests, slices.DeleteFunc(f.Tests, func(t string) bool { return slices.Contains(g.Tests, t) })...)
			g.Again = c.again(g)
		}
	}
}

// origin says where the code is that puts too early.
func (c *command) origin(f *Finding) string {
	at := f.At()
	switch {
	case strings.HasSuffix(at.File, "_test.go"):
		return "in test code"
	case inStandard(at):
		return "in the standard library"
	case c.packages.foreign(at.File):
		return "in a dependency"
	}
	return ""
}

// again returns the command that shows a finding again.
func (c *command) again(f *Finding) string {
	tests := slices.DeleteFunc(slices.Clone(f.Tests), func(t string) bool { return t == "" })
	flags := slices.DeleteFunc(slices.Concat(c.build, c.test), func(f string) bool {
		return len(tests) > 0 && strings.HasPrefix(f, "-run=")
	})
	if len(tests) > 0 {
		flags = append(flags, "-run="+pattern(tests[:1]))
	}
	words := []string{"poolcheck", "test"}
	for _, f := range flags {
		if name, value, _ := strings.Cut(f, "="); strings.ContainsAny(value, " \"$&()*;<>?[\\^`{|~") {
			f = name + "='" + value + "'"
		}
		words = append(words, f)
	}
	words = append(words, f.Package)
	if len(c.args) > 0 {
		words = append(append(words, "-args"), c.args...)
	}
	return strings.Join(words, " ")
}

// summary says what was done, and what was seen and is no finding.
func (c *command) summary() {
	n := &c.counts
	found := "nothing found"
	if len(c.findings) > 0 {
		found = console.Count(len(c.findings), "finding")
	}
	if n.races > 0 {
		found += fmt.Sprintf(", and %s without a Put, which go test -race shows", console.Count(n.races, "data race"))
	}
	if c.ctx.Err() != nil {
		if n.unfinished > 0 {
			c.Say("not looked into: %s failing with overwritten memory", console.Count(n.unfinished, "test"))
		}
		c.Say("interrupted: %d of %s, %s of Put reached: %s", n.tests, console.Count(len(c.packages.tested), "package"), console.Count(len(n.reached), "place"), found)
		return
	}
	if n.unfinished > 0 {
		c.Say("no time was left to look into %s failing with overwritten memory; -budget gives more than %v, of which a package may use half", console.Count(n.unfinished, "test"), c.Budget)
	}
	calls := c.packages.putCalls()
	missed := unreached(calls, n.reached)
	if len(missed) > 0 {
		c.Say("%d of %s are reached by no test: %s", len(missed), console.Count(len(calls), "place")+" of Put", names(missed))
	}
	if n.pushed > 0 {
		c.Say("%s could not be watched to the end: more than 64 MiB waited", console.Count(n.pushed, "object"))
	}
	c.Say("%s, %s of Put at %s: %s", console.Count(n.tests, "package"), console.Count(n.puts, "call"), console.Count(len(n.reached), "place"), found)
	if !c.Verbose {
		return
	}
	if n.opaque > 0 {
		c.Say("not looked at: %s of Put of what is no pointer, slice or struct in the Go heap", console.Count(n.opaque, "call"))
	}
	if n.unsure > 0 {
		c.Say("not looked at: %s of structs, of which no run has shown that they belong to the struct", console.Count(n.unsure, "slice"))
	}
	for _, why := range slices.Sorted(maps.Keys(c.counts.unconfirmed)) {
		c.Say("not confirmed: %d %s", c.counts.unconfirmed[why], why)
	}
}
