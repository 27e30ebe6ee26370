// Package pooltest is the command poolcheck test: it runs the tests of a module with a
// sync.Pool that checks what happens to an object after Put.
//
// The sync.Pool is that of package poolwatch, in the folder _std, which go test's flag
// -overlay adds to the standard library for the build. Each test binary runs once without
// a change of what a program sees, and once with idle memory overwritten. What that shows
// is confirmed by more runs of the same binary.
//
// # Map
//
//	pooltest.go     Run: the runs of all packages, and the result
//	flags.go        the command line
//	overlay.go      the toolchain, and the overlay for it
//	packages.go     what go list says of the packages
//	helper.go       what go test starts in place of a test binary
//	run.go          one run of a test binary, and its report
//	judge.go        what the first runs show, by further runs
//	octet.go        octet's own pools
//	finding.go      findings, and the stacks that a process prints
//	group_unix.go   how to end a process with its children
//	group_other.go  and where there are no process groups
package pooltest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Exit statuses of the command.
const (
	StatusClean    = 0
	StatusFindings = 1
	StatusFails    = 2
	StatusUnknown  = 3
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
	if err == errHelp {
		io.WriteString(stdout, Usage)
		return &Result{Status: StatusClean}
	}
	if err != nil {
		fmt.Fprintf(stderr, "poolcheck test: %v\nRun 'poolcheck test -help' for usage.\n", err)
		return &Result{Status: StatusFails}
	}
	c := &command{Options: o, stderr: stderr, terminal: isTerminal(stderr)}
	err = c.run(context.Background())
	c.clearLine()
	var shape *unknownShape
	switch {
	case errors.As(err, &shape):
		fmt.Fprintln(stderr, "poolcheck test:", err)
		return &Result{Status: StatusUnknown}
	case err != nil:
		fmt.Fprintln(stderr, "poolcheck test:", err)
		return &Result{Status: StatusFails}
	}
	r := &Result{Options: o, Findings: c.findings, Status: StatusClean}
	if c.fails {
		r.Status = StatusFails
	}
	if len(c.findings) > 0 {
		r.Status = StatusFindings
	}
	return r
}

// A command is one run of poolcheck test.
type command struct {
	*Options
	stderr   io.Writer
	terminal bool
	tools    *toolchain
	packages *packages
	work     string
	counts   Counts
	findings []*Finding
	fails    bool
}

func (c *command) say(format string, args ...any) {
	c.clearLine()
	fmt.Fprintf(c.stderr, "poolcheck test: "+format+"\n", args...)
}

// progress shows on a terminal what is being done.
func (c *command) progress(what string) {
	if c.terminal {
		if len(what) > 76 {
			what = what[:76]
		}
		fmt.Fprintf(c.stderr, "\r\x1b[K%s", what)
	}
}

func (c *command) clearLine() {
	if c.terminal {
		io.WriteString(c.stderr, "\r\x1b[K")
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (c *command) run(ctx context.Context) error {
	var err error
	if c.packages, err = listPackages(c.Options); err != nil {
		return err
	}
	if len(c.packages.tested) == 0 {
		c.say("no tests in %s", strings.Join(c.patterns, " "))
		return nil
	}
	if !c.packages.pools {
		c.say("nothing in %s or in what it depends on uses sync.Pool, but for the standard library", strings.Join(c.patterns, " "))
		return nil
	}
	if c.tools, err = findToolchain(c.build); err != nil {
		return err
	}
	if c.work, err = os.MkdirTemp("", "poolcheck-test-"); err != nil {
		return err
	}
	if c.keep {
		c.say("the test binaries stay in %s", c.work)
	} else {
		defer os.RemoveAll(c.work)
	}
	firsts, err := c.firstRuns(ctx)
	if err != nil {
		return err
	}
	known, err := c.failsWithout(ctx, firsts)
	if err != nil {
		return err
	}
	deadline := time.Now().Add(c.Budget)
	for _, pkg := range c.packages.tested {
		first := firsts[pkg.ImportPath]
		if first == nil {
			continue
		}
		j := &judge{ctx: ctx, deadline: deadline, usesOctet: c.packages.octet, pkg: pkg.ImportPath, first: first, known: known[pkg.ImportPath],
			counts: &c.counts, progress: func(what string) { c.progress(pkg.ImportPath + ": " + what) }}
		if err := j.judge(); err != nil && err != errBudget {
			return err
		}
		c.merge(j.found)
	}
	for _, f := range c.findings {
		f.Origin = c.origin(f)
		f.Again = c.again(f)
	}
	c.summary()
	return nil
}

// firstRuns has go test build all packages and the helper run them.
func (c *command) firstRuns(ctx context.Context) (map[string]*firstRuns, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	task := &helperTask{Work: c.work, Timeout: c.timeout}
	text, err := json.Marshal(task)
	if err != nil {
		return nil, err
	}
	args := []string{"test", "-overlay=" + c.tools.overlay, "-exec=" + quoted(self) + " test", "-vet=off", "-timeout=0"}
	if !slices.ContainsFunc(c.test, func(f string) bool { return strings.HasPrefix(f, "-count=") }) {
		args = append(args, "-count=1")
	}
	args = append(append(append(args, c.build...), c.test...), c.patterns...)
	if len(c.args) > 0 {
		args = append(append(args, "-args"), c.args...)
	}
	cmd := exec.CommandContext(ctx, c.tools.goCommand, args...)
	cmd.Env = append(slices.Clone(c.tools.env), helperVariable+"="+string(text))
	var out bytes.Buffer
	done := 0
	c.progress(fmt.Sprintf("building %d packages, the first time with the standard library", len(c.packages.tested)))
	lines := &lineWriter{func(line string) {
		out.WriteString(line)
		if strings.HasPrefix(line, "ok ") {
			done++
			c.progress(fmt.Sprintf("%d of %d packages", done, len(c.packages.tested)))
		}
	}}
	cmd.Stdout, cmd.Stderr = lines, lines // the same, so that one goroutine writes
	runErr := cmd.Run()
	firsts := make(map[string]*firstRuns)
	var missing []string
	for _, pkg := range c.packages.tested {
		text, err := os.ReadFile(filepath.Join(task.folder(pkg.Dir), "first.json"))
		if err != nil {
			missing = append(missing, pkg.ImportPath)
			continue
		}
		first := new(firstRuns)
		if err := json.Unmarshal(text, first); err != nil {
			return nil, err
		}
		if first.Err != "" {
			return nil, fmt.Errorf("%s: %s", pkg.ImportPath, first.Err)
		}
		firsts[pkg.ImportPath] = first
	}
	if len(missing) > 0 {
		if strings.Contains(out.String(), "poolwatch") {
			return nil, &unknownShape{c.tools.version, "the changed standard library does not build\n" + out.String()}
		}
		c.fails = true
		c.say("%s: not built or not run:\n%s", strings.Join(missing, ", "), bytes.TrimSpace(out.Bytes()))
	} else if runErr != nil {
		return nil, fmt.Errorf("go test: %w\n%s", runErr, bytes.TrimSpace(out.Bytes()))
	}
	return firsts, nil
}

// quoted puts a word of go test's -exec in quotes if it needs them.
func quoted(s string) string {
	if strings.ContainsAny(s, " \t") {
		return `"` + s + `"`
	}
	return s
}

// A lineWriter calls a function for each line.
type lineWriter struct{ line func(string) }

func (w *lineWriter) Write(b []byte) (int, error) {
	for l := range strings.Lines(string(b)) {
		w.line(l)
	}
	return len(b), nil
}

// failsWithout runs the packages whose tests failed without any poison as go test does, and
// returns which tests fail there, too.
func (c *command) failsWithout(ctx context.Context, firsts map[string]*firstRuns) (map[string][]string, error) {
	var list []string
	for _, pkg := range c.packages.tested {
		if first := firsts[pkg.ImportPath]; first != nil && !first.Records.Passed {
			list = append(list, pkg.ImportPath)
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	c.progress(fmt.Sprintf("running %d packages whose tests fail without poolcheck", len(list)))
	args := []string{"test", "-json", "-vet=off", "-count=1", "-timeout=" + c.timeout.String()}
	args = append(append(append(args, c.build...), c.test...), list...)
	if len(c.args) > 0 {
		args = append(append(args, "-args"), c.args...)
	}
	text, err := exec.CommandContext(ctx, "go", args...).Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	printed := make(map[string]string)
	passed := make(map[string]bool)
	for line := range bytes.Lines(text) {
		var e struct{ Action, Package, Test, Output string }
		if json.Unmarshal(line, &e) != nil {
			continue
		}
		printed[e.Package] += e.Output
		if e.Test == "" && e.Action == "pass" {
			passed[e.Package] = true
		}
	}
	known := make(map[string][]string)
	for _, pkg := range list {
		if passed[pkg] {
			c.counts.Reuse += len(firsts[pkg].Records.Failed)
			if firsts[pkg].Poison == nil {
				c.say("%s: its tests fail with poolcheck alone, without overwritten memory, and were not looked at", pkg)
			}
			continue
		}
		c.fails = true
		o := outcome{Output: printed[pkg]}
		o.judgeOutput()
		known[pkg] = o.Failed
		what := "its tests fail"
		if o.Failed[0] != "" {
			what = strings.Join(o.Failed, ", ") + " fail"
		}
		c.say("%s: %s without poolcheck, too", pkg, what)
	}
	return known, nil
}

// merge adds the findings of a package to those that are known.
func (c *command) merge(found []*Finding) {
	for _, f := range found {
		i := slices.IndexFunc(c.findings, func(g *Finding) bool { return g.Kind == f.Kind && g.At() == f.At() })
		if i < 0 {
			c.findings = append(c.findings, f)
			continue
		}
		g := c.findings[i]
		if len(g.Fault) == 0 {
			g.Fault, g.Message = f.Fault, f.Message
		}
		if g.Package == f.Package {
			for _, t := range f.Tests {
				if !slices.Contains(g.Tests, t) {
					g.Tests = append(g.Tests, t)
				}
			}
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
	words := []string{"poolcheck", "test"}
	for _, t := range append(slices.Clone(c.build), c.test...) {
		if name, _, _ := strings.Cut(t, "="); name != "-run" && name != "-skip" && name != "-work" {
			words = append(words, t)
		}
	}
	if tests := slices.DeleteFunc(slices.Clone(f.Tests), func(t string) bool { return t == "" }); len(tests) > 0 {
		words = append(words, "-run="+shellQuoted("^"+tests[0]+"$"))
	}
	words = append(words, f.Package)
	if len(c.args) > 0 {
		words = append(append(words, "-args"), c.args...)
	}
	return strings.Join(words, " ")
}

func shellQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// summary says what was seen and is no finding.
func (c *command) summary() {
	n := &c.counts
	if n.Unfinished > 0 {
		c.say("no time was left for %d tests that fail with overwritten memory; -budget gives more than %v", n.Unfinished, c.Budget)
	}
	if !c.Verbose {
		return
	}
	c.say("%d calls of Put", n.Puts)
	for _, line := range []struct {
		n    int
		what string
	}{
		{n.Events, "second Puts or writes did not happen again"},
		{n.Fields, "writes were to slices that may belong to somebody else"},
		{n.Reuse, "tests also fail if memory is kept and not overwritten"},
		{n.Flaky, "tests failed once and not again"},
		{n.Unassigned, "tests fail for no single place of Put"},
	} {
		if line.n > 0 {
			c.say("not confirmed: %s %s", strconv.Itoa(line.n), line.what)
		}
	}
}
