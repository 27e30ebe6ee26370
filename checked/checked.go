// Package checked finds misuse of the memory of octet's pools while a program
// runs: slices and Buffers that are used after their release, released twice,
// never, in part, or where they do not belong.
//
// # Modes
//
// The mode is chosen when the program starts, by the environment variable
// OCTETDEBUG, or by [Start]. It is off unless somebody asks, and then it costs
// nothing.
//
//   - sample is for production: one slice in so many is tracked. It logs and
//     never panics, and bounds its own memory and time.
//   - full is for tests: every slice is tracked. Memory is overwritten when it is
//     released and held back for a while. A broken rule panics, a leak is logged.
//   - guard is full, and every slice is in memory of its own that becomes
//     inaccessible when it is released: the very instruction that reads or writes
//     it later faults, in any goroutine, and so does one that runs past the end.
//
// Package pooltest has them in tests. Programs built with -race or -asan report
// use after release whatever the mode is. The page docs/CHECKED.md of the module
// says which misuse is found by which mode.
//
// # OCTETDEBUG
//
// It holds settings as key=value, separated by commas, such as
// check=sample,sample=4096:
//
//	check=off|sample|full|guard  the mode
//	sample=N                     mode sample: one slice in N, 1024 if not given
//	faults=off|on                mode sample: guard half of them; a fault ends the program
//	foreign=allow|report         report the release of slices that the pool did not hand out
//	live=N                       mode guard: bound on guarded slices that are in use
//	action=panic|log             what a broken rule does; mode sample always logs
//
// A setting that is not known is told on stderr, and the mode is off.
package checked

import (
	"time"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/finding"
	"github.com/octet-go/octet/internal/guard"
)

// A Mode says how much is checked.
type Mode uint32

const (
	Off Mode = iota
	Sample
	Full
	Guard
)

// String returns the mode as OCTETDEBUG has it.
func (m Mode) String() string {
	if m > Guard {
		return "unknown"
	}
	return check.Mode(m).String()
}

// An Action says what becomes of a broken rule. Leaks are always logged.
type Action uint8

const (
	Default Action = iota // Panic, but in mode Sample Log
	Panic                 // with a *Report
	Log                   // with log/slog, at level ERROR
)

// Options are what [Start] takes. The zero value of each field is its default.
type Options struct {
	Mode         Mode
	OneIn        int    // mode Sample: one slice in OneIn is tracked; default 1024
	GuardSampled bool   // mode Sample: half of them are guarded, so that a use after release ends the program
	Foreign      bool   // report the release of slices that the pool did not hand out
	MaxGuarded   int    // mode Guard: bound on guarded slices in use; default as the system allows
	Action       Action // what a broken rule does
}

// Start checks from now on as o says, until the returned function is called; to
// call that again does nothing. Of several that have started and not stopped the
// latest counts, in whatever order they stop, and OCTETDEBUG when there is none
// left. Slices that are in use already are not known, and what happens to them is
// not reported. All pools drop what they keep idle. When the mode ends, what is
// held back is looked at, which may report or panic.
//
// It returns an error, and changes nothing, if o has a value that is not
// possible. A mode that this platform or build does not have is replaced by the
// next best, which a line on stderr says.
func Start(o Options) (stop func(), err error) {
	return check.Start(check.Config{
		Mode:         check.Mode(o.Mode),
		OneIn:        o.OneIn,
		GuardSampled: o.GuardSampled,
		Foreign:      o.Foreign,
		MaxGuarded:   o.MaxGuarded,
		Action:       check.Action(o.Action),
	})
}

// A Report is one finding. The stacks are program counters for
// [runtime.CallersFrames], nil where a stack is not known.
type Report struct {
	Code finding.Code // the class of the misuse, for example OCT003; see docs/CHECKED.md
	What string       // the broken rule: "released twice"

	Object string        // what it is about: "slice", "Buffer", "reader"
	Size   int           // its capacity in bytes
	Pool   string        // the name of its pool; "" if that has none
	Age    time.Duration // since it was acquired; 0 if that was not seen
	Idle   time.Duration // since it was released; 0 if it was not

	Acquired []uintptr
	Released []uintptr
	Now      []uintptr // where the misuse was found

	Count int // how often the same was found, with this time
}

// Error returns the whole report, of several lines, with its stacks.
func (r *Report) Error() string { return (*finding.Report)(r).Error() }

// Summary returns the first line of it.
func (r *Report) Summary() string { return (*finding.Report)(r).Summary() }

func init() {
	check.PanicValue = func(f *finding.Report) any { return (*Report)(f) }
}

// Handle has f called with findings from now on, in place of panic and log; nil
// for nobody. f may be called by several goroutines at once, and may use the
// pools. Any call of a pool may call it, or the handler of log/slog, so they must
// not wait for a lock that somebody holds who uses pools. Of findings of one cause
// f gets the first, the tenth, the hundredth and so on.
func Handle(f func(*Report)) {
	if f == nil {
		check.Handle(nil)
		return
	}
	check.Handle(func(r *finding.Report) { f((*Report)(r)) })
}

// A Status is a snapshot of what is checked.
type Status struct {
	Mode     Mode
	Findings uint64 // since the program started

	// Probability is the share of requests that is tracked, and so the
	// probability that a single misuse is found: 1 in modes Full and Guard. In
	// mode Sample it is what it turned out to be so far, which is below
	// 1/Options.OneIn where requests are many.
	Probability float64

	Guarded    int    // guarded slices in use
	MaxGuarded int    // the bound on them
	Unguarded  uint64 // requests that went without because of it
}

// Current returns the status.
func Current() Status {
	s := Status{Mode: Mode(check.Current()), Findings: check.Findings(), Probability: check.Probability()}
	s.Guarded, s.MaxGuarded, s.Unguarded = guard.Live()
	return s
}
