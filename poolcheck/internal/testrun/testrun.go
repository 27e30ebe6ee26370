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
//	octet.go     octet's own pools
//	finding.go   findings, and the stacks that a process prints
package testrun

import (
	"bytes"
	"cmp"
	"context"
	"errors"
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
	c := &command{Options: o, ctx: ctx, Console: console.New("poolcheck test", stderr), counts: counts{unconfirmed: make(map[string]int)}}
	if err = c.run(); err != nil {
		if ctx.Err() != nil {
			err = errors.New("interrupted before a test ran")
		}
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
	tested   []*goPackage
	without  int // packages that are not run
	work     string
	counts   counts
	findings []*Finding
	fails    bool
}

// run returns an error only if no test ran. An interrupt ends what it does, and not what it says of it.
func (c *command) run() error {
	var err error
	if c.tested, c.without, err = listPackages(c.ctx, c.Options); err != nil {
		return err
	}
	if c.Verbose && c.without > 0 {
		c.Say("%d packages do not depend on a sync.Pool and are not run", c.without)
	}
	if len(c.tested) == 0 {
		c.Say("no tests in %s depend on a sync.Pool outside of the standard library", cmp.Or(strings.Join(c.patterns, " "), "."))
		return nil
	}
	if c.work, err = os.MkdirTemp("", "poolcheck-test-"); err != nil {
		return err
	}
	defer os.RemoveAll(c.work)
	if c.tools, err = findToolchain(c.ctx, c.work, false); err != nil {
		return err
	}
	if err = c.buildTests(); err != nil {
		return err
	}
	c.firstRuns()
	deadline := time.Now().Add(c.Budget)
	for _, pkg := range c.tested {
		err := pkg.err
		if pkg.records != nil {
			c.sayFailing(pkg)
			j := &judge{command: c, goPackage: pkg, deadline: time.Now().Add(time.Until(deadline) / 2)}
			err = j.judge()
			for _, f := range j.found {
				c.findings = merge(c.findings, f)
			}
		}
		if err != nil && err != errBudget && c.ctx.Err() == nil {
			c.fails = true
			c.Say("%s: %v", pkg.ImportPath, err)
		}
	}
	for _, f := range c.findings {
		f.Again = c.again(f)
	}
	c.summary()
	return nil
}

// buildTests has go test build all packages.
func (c *command) buildTests() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c.Say("building the tests of %s", console.Count(len(c.tested), "package"))
	args := []string{"test", "-overlay=" + c.tools.overlay, `-exec="` + self + `" test`, "-vet=off", "-count=1"}
	named := c.patterns
	if c.without > 0 {
		named = nil
		for _, pkg := range c.tested {
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
		return c.ctx.Err()
	}
	out := text.Bytes()
	binaries, err := kept(c.work)
	if err != nil {
		return err
	}
	var missing []string
	for _, pkg := range c.tested {
		if pkg.binary = binaries[pkg.Dir]; pkg.binary == nil {
			missing = append(missing, pkg.ImportPath)
		} else {
			pkg.binary.Timeout = c.timeout
		}
	}
	switch {
	case len(missing) > 0 && bytes.Contains(out, []byte("poolwatch")):
		return c.tools.unknownShape("the changed standard library does not build\n" + string(out))
	case len(missing) > 0:
		c.fails = true
		c.Say("%s: not built:\n%s", strings.Join(missing, ", "), bytes.TrimSpace(out))
	case runErr != nil:
		return fmt.Errorf("go test: %w\n%s", runErr, bytes.TrimSpace(out))
	}
	return nil
}

// firstRuns runs all packages, several at once, as go test does.
func (c *command) firstRuns() {
	atOnce := runtime.GOMAXPROCS(0)
	for _, f := range c.build {
		if n, ok := strings.CutPrefix(f, "-p="); ok {
			atOnce = max(1, number(n))
		}
	}
	free := make(chan bool, atOnce)
	var mu sync.Mutex // of what is said
	var group sync.WaitGroup
	for i, pkg := range c.tested {
		if pkg.binary == nil {
			continue
		}
		free <- true
		group.Go(func() {
			start := time.Now()
			pkg.err = pkg.runFirst(c.ctx)
			<-free
			mu.Lock()
			defer mu.Unlock()
			if pkg.err == nil {
				c.Say("%s: %s of Put, %.1fs", pkg.ImportPath, console.Count(pkg.records.Report.Puts, "call"), time.Since(start).Seconds())
			}
			c.Progress(fmt.Sprintf("%d of %d packages", i+1, len(c.tested)))
		})
	}
	group.Wait()
}

// sayFailing says which tests of a package fail without overwritten memory.
func (c *command) sayFailing(pkg *goPackage) {
	switch {
	case pkg.plain == nil:
	case !pkg.plain.Passed:
		c.fails = c.fails || !c.Tolerate
		c.Say("%s: %s failed without poolcheck, too", pkg.ImportPath, cmp.Or(strings.Join(pkg.plain.Failed, ", "), "its tests"))
	case pkg.poison == nil && pkg.err == nil:
		c.Say("%s: its tests fail with poolcheck alone, without overwritten memory, and were not looked at", pkg.ImportPath)
	}
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
	if n.unfinished > 0 {
		c.Say("no time was left to look into %s failing with overwritten memory; a package may use half of -budget %v", console.Count(n.unfinished, "test"), c.Budget)
	}
	if n.pushed > 0 {
		c.Say("%s could not be watched to the end: more than 64 MiB waited", console.Count(n.pushed, "object"))
	}
	done := console.Count(n.tests, "package")
	if c.ctx.Err() != nil {
		done = fmt.Sprintf("interrupted: %d of %s", n.tests, console.Count(len(c.tested), "package"))
	}
	c.Say("%s, %s of Put: %s", done, console.Count(n.puts, "call"), found)
	if !c.Verbose {
		return
	}
	if n.unsure > 0 {
		c.Say("not looked at: %s of structs, of which no run has shown that they belong to the struct", console.Count(n.unsure, "slice"))
	}
	for _, why := range slices.Sorted(maps.Keys(n.unconfirmed)) {
		if n.unconfirmed[why] > 0 {
			c.Say("not confirmed: %d %s", n.unconfirmed[why], why)
		}
	}
}
