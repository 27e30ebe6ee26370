package testrun

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/octet-go/octet/poolcheck/internal/child"
	"github.com/octet-go/octet/poolcheck/internal/testrun/protocol"
)

// A testBinary is a test binary that go test has built, kept for more runs.
type testBinary struct {
	Path    string
	Dir     string   // the package's folder, where it runs
	Args    []string // as go test starts it
	Work    string   // for the files of its runs
	Timeout time.Duration
}

// A choice says which tests run; its zero value is what go test was asked for.
type choice struct {
	tests []string // these tests and subtests alone
	skip  []string // all but these
	extra []string // flags, such as -test.v
	env   []string // and variables of the environment
}

// An outcome is what a run did.
type outcome struct {
	Passed  bool
	Failed  []string // tests and subtests that failed; "" if the process failed without a name
	Crashed bool     // it ended by a panic, a fatal error or for want of time, so that other tests did not run
	Elapsed time.Duration
	Output  string
	Report  *report
}

// A Frame is a call on a stack.
type Frame struct {
	Func, File string
	Line       int
}

// A report is what package poolwatch wrote in the processes of a run.
type report struct {
	Places         map[string]*putPlace
	Events         []event
	Owned, Foreign []string // fields, as name.0
	Unsure         []string // fields of which that is not known
	Puts           int
	Pushed         int // objects that were not watched to the end because too many waited
}

type putPlace struct {
	Type  string
	Stack []Frame
}

// An event is a second Put, a write after Put, or an access to memory that Put has made inaccessible.
type event struct {
	Kind  // Double, Write or Read
	Place string
	Stack []Frame // of the second Put or the access
	Field string  // what was written, as name.0
	Path  string
}

const (
	maxOutput   = 8 << 20 // of which the end is kept
	maxSubtests = 10      // of one test that fail: with more, the test stands for them
)

// firstRuns are the runs of a package on which the others depend.
type firstRuns struct {
	records, poison *outcome // poison is nil if records ended by a crash or reached no pool; Failed of records has what fails anyway
	plain           *outcome // without any checks; nil if no test failed in records
	err             error    // that ended them early; the last run, or all of them, may be nil, or not have ended
}

// runFirst makes the first runs of a package.
func (p *goPackage) runFirst(ctx context.Context) error {
	b := p.binary
	var failed []string
	start := time.Now()
	for again := true; again; {
		r, err := b.run(ctx, &protocol.Setup{Mode: protocol.Records}, choice{skip: failed}, b.Timeout)
		if err != nil {
			p.records = cmp.Or(p.records, r)
			return err
		}
		p.records = r
		failed = append(failed, r.Failed...)
		// A crash hides the tests after it. A suite that is too long hides them each time.
		again = r.Crashed && r.Failed[0] != "" && len(failed) < 10 && time.Since(start) < 2*b.Timeout
	}
	r := p.records
	r.Failed = failed
	if len(failed) > 0 {
		plain, err := b.run(ctx, nil, choice{}, b.Timeout)
		if err != nil {
			return err
		}
		p.plain = plain
	}
	if r.Crashed || slices.Contains(failed, "") {
		return nil
	}
	if plain := p.plain; plain != nil && !plain.Crashed { // what passes there is looked at like the rest
		r.Failed = slices.DeleteFunc(failed, func(t string) bool { return !plain.fails(t) })
	}
	if !r.Report.reachesPool() {
		return nil
	}
	if len(r.Report.Unsure) > 0 {
		if err := b.learn(ctx, r); err != nil {
			return err
		}
	}
	var err error
	p.poison, err = b.run(ctx, &protocol.Setup{Mode: protocol.Poison, Own: r.Report.Owned, Deny: r.Report.Foreign}, choice{skip: r.Failed}, b.longer(r))
	return err
}

// learn runs the tests twice in one process, with something written at Get into slices of which it is not
// known whose they are. What that shows counts only if the tests do not mind.
func (b *testBinary) learn(ctx context.Context, r *outcome) error {
	s := &protocol.Setup{Mode: protocol.Plants, Own: r.Report.Owned, Deny: r.Report.Foreign}
	o, err := b.run(ctx, s, choice{skip: r.Failed, extra: []string{"-test.count=2"}}, b.longer(r))
	if err != nil || !o.Passed {
		return err
	}
	r.Report.Foreign = append(r.Report.Foreign, o.Report.Foreign...)
	r.Report.Owned = slices.DeleteFunc(append(r.Report.Owned, o.Report.Owned...), func(f string) bool { return slices.Contains(r.Report.Foreign, f) })
	r.Report.Unsure = slices.DeleteFunc(r.Report.Unsure, func(f string) bool {
		return slices.Contains(r.Report.Owned, f) || slices.Contains(r.Report.Foreign, f)
	})
	return nil
}

// longer is the time that a run may take which another did in a known time.
func (b *testBinary) longer(than *outcome) time.Duration {
	return min(max(b.Timeout, time.Minute), than.Elapsed*5+30*time.Second)
}

// run runs the tests once, without checks if s is nil. It returns an error only if the process could not be
// started, was interrupted, or has written no report that can be read. The outcome is nil if it was not started,
// and else has what was reported until then.
func (b *testBinary) run(interrupted context.Context, s *protocol.Setup, c choice, timeout time.Duration) (*outcome, error) {
	dir, err := os.MkdirTemp(b.Work, "run")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out, err := os.Create(filepath.Join(dir, "output"))
	if err != nil {
		return nil, err
	}
	defer out.Close()

	ctx, cancel := context.WithTimeout(interrupted, timeout+10*time.Second)
	defer cancel()
	cmd := child.Command(ctx, b.Path, b.arguments(c, timeout)...)
	cmd.Dir = b.Dir
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Env = append(os.Environ(), "PWD="+b.Dir)
	if s != nil {
		s.Report = dir
		cmd.Env = append(cmd.Env, protocol.SetupVariable+"="+s.String())
	}
	cmd.Env = append(cmd.Env, c.env...)
	start := time.Now()
	err = child.Run(ctx, cmd)
	if cmd.ProcessState == nil {
		return nil, err
	}
	o := &outcome{Passed: err == nil, Elapsed: time.Since(start), Crashed: err != nil && ctx.Err() != nil}
	if interrupted.Err() != nil { // who was killed did not fail
		o.Report, _ = readReport(dir)
		return o, interrupted.Err()
	}
	size, noSize := out.Seek(0, io.SeekEnd)
	text, noText := io.ReadAll(io.NewSectionReader(out, max(0, size-maxOutput), maxOutput))
	o.Output = string(text)
	o.judgeOutput()
	o.Report, err = readReport(dir)
	return o, cmp.Or(noSize, noText, err)
}

// arguments returns the flags of a run: those of go test, and behind them, where they count, its own.
func (b *testBinary) arguments(c choice, timeout time.Duration) []string {
	n := slices.IndexFunc(append(b.Args, ""), func(a string) bool { return !strings.HasPrefix(a, "-test.") })
	args := slices.Concat(b.Args[:n], c.extra, []string{"-test.timeout=" + timeout.String()})
	if len(c.tests) > 0 && c.tests[0] != "" {
		args = append(args, "-test.run="+pattern(c.tests))
	}
	if len(c.skip) > 0 {
		skip := pattern(c.skip)
		for _, a := range b.Args[:n] {
			if also, ok := strings.CutPrefix(a, "-test.skip="); ok {
				skip += "|" + also
			}
		}
		args = append(args, "-test.skip="+skip)
	}
	return append(args, b.Args[n:]...)
}

// pattern returns what selects tests in -run and -skip.
func pattern(tests []string) string {
	var patterns []string
	for _, t := range tests {
		patterns = append(patterns, "^"+strings.ReplaceAll(regexp.QuoteMeta(t), "/", "$/^")+"$")
	}
	return strings.Join(patterns, "|")
}

var (
	failLine    = regexp.MustCompile(`(?m)^\s*(?:\x16)?--- FAIL: (\S+) \(`)
	crashLine   = regexp.MustCompile(`(?m)^(panic: |fatal error: |unexpected fault address)`)
	timedOut    = regexp.MustCompile(`(?m)^panic: test timed out after .*\n\s*running tests:\n((?:\t.*\n)*)`)
	runningLine = regexp.MustCompile(`(?m)^\t+(\S+) \(\d[^)]*\)$`)
)

// judgeOutput finds the tests that failed.
func (o *outcome) judgeOutput() {
	if o.Passed {
		return
	}
	subtests := make(map[string]int)
	add := func(name string) {
		parts := strings.Split(name, "/")
		parts = parts[:min(len(parts), 2)]
		if name = strings.Join(parts, "/"); !slices.Contains(o.Failed, name) {
			o.Failed = append(o.Failed, name)
			subtests[parts[0]] += len(parts) - 1
		}
	}
	for _, m := range failLine.FindAllStringSubmatch(o.Output, -1) {
		add(m[1])
	}
	if running := timedOut.FindStringSubmatch(o.Output); running != nil {
		o.Crashed = true
		for _, m := range runningLine.FindAllStringSubmatch(running[1], -1) {
			add(m[1])
		}
	}
	o.Crashed = o.Crashed || crashLine.MatchString(o.Output) && !strings.Contains(o.Output, "\nFAIL\n")
	if len(o.Failed) == 0 {
		add("")
	}
	o.Failed = slices.DeleteFunc(o.Failed, func(t string) bool { // a test with subtests that fail, or those
		test, _, sub := strings.Cut(t, "/")
		return subtests[test] > 0 && sub == (subtests[test] > maxSubtests)
	})
}

// readReport reads the reports of all processes of a run.
func readReport(dir string) (*report, error) {
	r := &report{Places: make(map[string]*putPlace)}
	names, err := filepath.Glob(filepath.Join(dir, "*"+protocol.Extension))
	for _, name := range names {
		text, readErr := os.ReadFile(name)
		err = cmp.Or(err, readErr)
		for line := range strings.Lines(string(text)) {
			// A last line that is not whole was cut off with its process.
			if line, whole := strings.CutSuffix(line, "\n"); whole && !r.add(strings.Split(line, "\t")) {
				err = cmp.Or(err, fmt.Errorf("%s: unknown line %q", name, line))
			}
		}
	}
	r.Owned = slices.DeleteFunc(r.Owned, func(name string) bool { return slices.Contains(r.Foreign, name) })
	return r, err
}

// reachesPool reports whether there was a Put to another pool than one in the standard library.
func (r *report) reachesPool() bool {
	for _, p := range r.Places {
		if len(p.Stack) > 0 && !inStandard(p.Stack[0]) {
			return true
		}
	}
	return false
}

// add adds the words of a line, and reports whether it knows their form.
func (r *report) add(w []string) bool {
	switch kind := w[0]; {
	case kind == protocol.Place && len(w) > 2:
		r.Places[w[1]] = &putPlace{w[2], stackOf(w[3:])}
	case kind == protocol.Double && len(w) > 1:
		r.Events = append(r.Events, event{Kind: Double, Place: w[1], Stack: stackOf(w[2:])})
	case kind == protocol.Access && len(w) > 1:
		r.Events = append(r.Events, event{Kind: Read, Place: w[1], Stack: outsideRuntime(stackOf(w[2:]))})
	case kind == protocol.Write && len(w) == 4:
		r.Events = append(r.Events, event{Kind: Write, Place: w[1], Field: w[1] + "." + w[2], Path: strings.TrimPrefix(w[3], ".")})
	case kind == protocol.Owned && len(w) == 2:
		r.Owned = append(r.Owned, w[1])
	case kind == protocol.Foreign && len(w) == 2:
		r.Foreign = append(r.Foreign, w[1])
	case kind == protocol.Unsure && len(w) == 2:
		r.Unsure = append(r.Unsure, w[1])
	case kind == protocol.End && len(w) == 3:
		r.Puts += number(w[1])
		r.Pushed += number(w[2])
	default:
		return false
	}
	return true
}

// stackOf returns the frames that words are, three each.
func stackOf(words []string) (stack []Frame) {
	for w := range slices.Chunk(words, 3) {
		if len(w) == 3 {
			stack = append(stack, Frame{w[0], w[1], number(w[2])})
		}
	}
	return stack
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
