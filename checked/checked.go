// Package checked finds misuse of the memory of octet's pools while a program
// runs: slices and Buffers that are used after their release, or released twice,
// in part, where they do not belong, or never.
//
// # Modes
//
// The mode is chosen when the program starts, by the environment variable
// OCTETDEBUG, or by [Start]. Unless one is chosen the mode is off, which costs
// nothing.
//
//   - sample is for production: one slice in 1,024 is tracked, or another share.
//     Findings are logged and never panic. Memory and time are bounded.
//   - full is for tests: every slice is tracked. Released memory is overwritten
//     and stays in quarantine for a while. A broken rule panics, a leak is logged.
//   - guard is full, and each slice has memory of its own that becomes inaccessible
//     when it is released: the very instruction that reads or writes it later
//     faults, in any goroutine, and so does one that runs past the end.
//
// Package pooltest switches them on in tests. Programs built with -race or -asan
// report use after release in every mode. The page docs/CHECKED.md of the module
// says which misuse is found by which mode.
//
// # OCTETDEBUG
//
// It holds settings as key=value, separated by commas, such as
// check=sample,sample=4096:
//
//	check=off|sample|full|guard  the mode
//	sample=N                     mode sample: one slice in N is tracked; 1024 by default
//	faults=off|on                mode sample: half of them are guarded; a use after release ends the program
//	foreign=allow|report         report the release of slices that the pool did not hand out
//	live=N                       mode guard: how many guarded slices may be in use
//	action=panic|log             the effect of a broken rule; mode sample always logs
//
// An unknown setting is reported on stderr and leaves checking off.
//
// # Log
//
// Findings are logged by [log/slog] at level ERROR if the program imports this package,
// which it may do for that alone. Otherwise they are written to standard error. So the
// pools of package bytespool do not make a program link log/slog; package buffer does,
// whose Buffers are log values. Nor do they link the profile named octet of
// [runtime/pprof]: see also [WriteProfile].
//
// A handler that the program installed with [log/slog.SetDefault] gets a message of one
// line and attributes: code, what, object, size, pool, age, idle, count, and the stacks
// acquired, released and now. The handler that log/slog begins with gets the whole report as its message,
// which it writes on lines of its own to the output of package log.
package checked

import (
	"io"

	"github.com/octet-go/octet/checked/finding"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/guard"
	"github.com/octet-go/octet/internal/profile"
)

// A Mode says how much is checked. The package documentation describes the modes.
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

// An Action is the effect of a broken rule. Leaks are always logged.
type Action uint8

const (
	Default Action = iota // Panic; Log in mode Sample
	Panic                 // panics with a *Report
	Log                   // logs with log/slog, at level ERROR
)

// Options are those of [Start]. The zero value of each field is its default.
type Options struct {
	Mode Mode

	// OneIn is the rate of mode Sample: one slice in OneIn is tracked. The default
	// is 1024. Other modes ignore it.
	OneIn int

	// GuardSampled makes mode Sample guard half of the slices that it tracks, as
	// mode Guard does: a use after release ends the program. Other modes ignore it.
	GuardSampled bool

	// Foreign reports the release of slices that the pool did not hand out. Without
	// it they are gifts to the pool. Mode Sample reports only slices that it tracks
	// and that another pool handed out.
	Foreign bool

	// MaxGuarded bounds the number of guarded slices in use at a time. Further ones
	// are checked as in mode Full. The default is the largest that the system allows.
	// Modes without guarded slices ignore it.
	MaxGuarded int

	// Action is the effect of a broken rule. Mode Sample ignores it, and logs.
	Action Action
}

// Start puts o into effect until stop is called; calling stop again does nothing.
// If several are active, the most recently started wins, whatever the order in
// which they are stopped; if none is, OCTETDEBUG applies.
//
// Slices acquired earlier are not tracked. All pools drop their idle memory. When the mode
// ends, memory in quarantine is examined, which may report or panic.
//
// Start returns an error and changes nothing if o has an impossible value. A mode
// that this platform or build does not have is replaced by the next best, and a
// line on stderr says so.
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

// A Code names a class of misuse. It is a string, such as "OCT003"; the page
// docs/CHECKED.md of the module describes all classes. Package finding has their constants.
type Code = finding.Code

// A Report describes one misuse. It is an error, the value of the panic, and the argument of
// a handler, which may keep it, and must not change it.
type Report = finding.Report

// Handle registers a function that gets findings in place of panic and log, until
// remove is called; calling remove again does nothing. If several are registered,
// the most recent gets them. If f is nil, findings panic and are logged again, as
// if no function were registered.
//
// Of findings with one cause f gets the first, the tenth, the hundredth and so on;
// Report.Count says how many there were. Several goroutines may call f at once. It
// may use the pools. But any use of a pool may call it, or the handler of log/slog:
// so neither may wait for a lock that somebody holds while using a pool.
func Handle(f func(*Report)) (remove func()) { return check.Handle(f) }

// A Status is a snapshot of the checks.
type Status struct {
	Mode     Mode
	Findings uint64 // since the program started

	// Probability is the share of requests that is tracked, and so the probability
	// that a single misuse is found: 1 in modes Full and Guard. In mode Sample it is
	// the share so far, which is below 1/Options.OneIn where requests are many.
	Probability float64

	// Tracked of Requests were tracked since mode Sample began. They are 0 in other modes.
	Tracked, Requests uint64

	Guarded    int    // guarded slices in use
	MaxGuarded int    // the bound on them
	Unguarded  uint64 // requests that were served without because of it
}

// Current returns the status.
func Current() Status {
	s := Status{Mode: Mode(check.Current()), Findings: check.Findings(), Probability: check.Probability()}
	s.Tracked, s.Requests = check.Sampled()
	s.Guarded, s.MaxGuarded, s.Unguarded = guard.Live()
	return s
}

// WriteProfile writes the profile of memory in use, in the format of go tool pprof if
// debug is 0 and otherwise as text. It is the profile octet of [runtime/pprof], and
// exists in builds with the tag octet_purego, too, where runtime/pprof has none.
func WriteProfile(w io.Writer, debug int) error { return profile.Octet(w, debug, nil) }
