// Package check finds misuse of pooled memory while a program runs.
//
// # Map
//
//	check.go       which mode is chosen, and by whom
//	state.go       state: what is in effect, and how that changes
//	config.go      what can be chosen, and how OCTETDEBUG says it
//	memory.go      slices: New, Reuse and Release, and their rules
//	object.go      objects that own slices: Buffers, readers
//	header.go      slices that are handed out by pointers to their headers
//	record.go      record: what is known of a slice or an object
//	table.go       from an address to the record of the slice around it
//	quarantine.go  released memory that is not reused yet, and its pattern
//	sample.go      when the pools sample another request
//	place.go       where a sampled slice begins
//	stack.go       stacks
//	report.go      what becomes of a finding: panic, log, handler; and their causes
//	outstanding.go what is in use: the list and the profile
//
// # Who owns what
//
// A record says whether a slice is in use, in quarantine or idle in its pool. It has
// the address as a number, so that it does not keep the memory alive: if the program
// loses a slice that is in use, the collector takes it, its cleanup finds the record
// still in use, and that is a leak. The cleanup also removes the record.
//
// Nothing here runs in the fast path of a pool. In mode off all that the pools do is
// to look at the mode in their slow paths.
package check

import (
	"errors"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octet-go/octet/checked/finding"
)

// A Mode says how much is checked.
type Mode uint32

const (
	Off    Mode = iota
	Sample      // one slice in Config.OneIn is tracked
	Full        // every slice is
	Guard       // every slice is, and has a mapping of its own
)

var modeNames = [...]string{"off", "sample", "full", "guard"}

func (m Mode) String() string { return modeNames[m] }

// tracker has the state of this package. The mode in effect stands apart: see current.
var tracker struct {
	choice   choice
	lastPool atomic.Uint64 // the number of the newest pool
	table    table
	serials  atomic.Uint64 // the latest record.serial
	queue    queue
	dead     [1 << 12]atomic.Pointer[record] // of guarded slices
	buried   atomic.Uint64                   // how many these were so far
	scopes   scopes
	sampling sampling
	stacks   stacks
	packages packages
	handlers handlers
	logger   atomic.Pointer[handler] // what Connect has set
	causes   causes
}

// A choice is what has been chosen, and what follows it.
type choice struct {
	sync.Mutex
	base      Config        // what Set chose
	started   []*Config     // what Start chose and has not stopped, the latest last
	required  int           // calls of Require that were not released
	watchers  []func()      // see OnChange
	guarded   Arena         // see Connect
	tick      func()        // see SetPools
	requests  func() uint64 // see SetPools
	lastEpoch uint32        // the number of epochs so far
	warned    []string      // lines that were written to stderr
}

func init() {
	c, err := Parse(os.Getenv("OCTETDEBUG"))
	if err == nil {
		_, err = Set(c)
	}
	if err != nil {
		os.Stderr.WriteString("octet: OCTETDEBUG: " + err.Error() + "; checks are off\n")
	}
}

// OnChange registers f, which is called after the mode, or what Closes returns, may
// have changed.
func OnChange(f func()) {
	tracker.choice.Lock()
	defer tracker.choice.Unlock()
	tracker.choice.watchers = append(tracker.choice.watchers, f)
}

// Set chooses what applies while nothing else is chosen, and returns the choice
// before. A mode that this platform or build does not have is replaced by the next
// best, and a line on stderr says so.
func Set(c Config) (before Config, err error) {
	if err := c.complete(); err != nil {
		return Config{}, err
	}
	change(func() { before, tracker.choice.base = tracker.choice.base, c }, forgetCauses)
	return before, nil
}

// Start chooses what applies until stop is called. If several are active, the most
// recently started wins.
func Start(c Config) (stop func(), err error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	started := &tracker.choice.started
	change(func() { *started = append(*started, &c) }, forgetCauses)
	var stopped atomic.Bool
	return func() {
		if !stopped.Swap(true) {
			change(func() { *started = slices.DeleteFunc(*started, func(x *Config) bool { return x == &c }) }, forgetCauses)
		}
	}, nil
}

// Require makes the mode Full at least until release is called.
func Require() (release func()) {
	require := func(more int) { change(func() { tracker.choice.required += more }, func() {}) }
	require(1)
	return sync.OnceFunc(func() { require(-1) })
}

// change puts into effect what f changes. When the change is complete it calls then:
// what comes to light before belongs to the old mode.
func change(f, then func()) {
	tracker.choice.Lock()
	before := load()
	f()
	found := apply()
	tracker.choice.Unlock()
	then()
	// Without the lock, because a handler may change the mode; and as the mode that
	// has ended does.
	for _, r := range found {
		report(r, before)
	}
}

// apply puts into effect what is chosen, and returns the misuses that came to light
// as the old mode ended. The caller holds choice.
func apply() (found []*finding.Report) {
	c := tracker.choice.base
	if n := len(tracker.choice.started); n > 0 {
		c = *tracker.choice.started[n-1]
	}
	if tracker.choice.required > 0 && c.Mode < Full {
		c.Mode = Full
	}
	if c.Mode == Sample {
		c.Action = ActionLog // for production: it never panics
	}
	line := ""
	if c.Mode == Guard || c.Mode == Sample && c.GuardSampled {
		c, line = startGuard(c)
	}
	found = replaceState(c, line)
	if c.Mode == Sample {
		startSampling()
	}
	return found
}

func notify() {
	for _, f := range tracker.choice.watchers {
		f()
	}
}

// An Arena is guarded memory, as package guard has it.
type Arena struct {
	Start func(live int) (reporter, err error)
	Alloc func(n, size int, pool string, acquired []uintptr) ([]byte, bool)
	Free  func(b []byte, released []uintptr) bool
	Owns  func(b []byte) bool
}

// Connect gives this package guarded memory, and what logs findings in place of writing
// them to standard error. So only programs that have a use for them link them: those
// that import package checked. A log that is nil changes nothing.
func Connect(a Arena, log func(*finding.Report)) {
	if log != nil {
		tracker.logger.Store((*handler)(&log))
	}
	change(func() { tracker.choice.guarded = a }, func() {})
}

// startGuard prepares guarded memory for c. Without it, it returns the next best, and a
// line for stderr that says so.
func startGuard(c Config) (next Config, line string) {
	err := errors.New("the program does not import package checked")
	if tracker.choice.guarded.Start != nil {
		var reporter error
		if reporter, err = tracker.choice.guarded.Start(c.MaxGuarded); reporter != nil {
			line = "a fault ends without a report: " + reporter.Error()
		}
	}
	if err == nil {
		return c, line
	}
	line = "no guarded memory: " + err.Error()
	c.GuardSampled = false
	if c.Mode == Guard {
		c.Mode = Full
		line += "; mode full instead"
	}
	return c, line
}

// say writes the line of the state to stderr, once.
func (s *state) say() {
	if s.line == "" {
		return
	}
	tracker.choice.Lock()
	defer tracker.choice.Unlock()
	if !slices.Contains(tracker.choice.warned, s.line) {
		tracker.choice.warned = append(tracker.choice.warned, s.line)
		os.Stderr.WriteString("octet: " + s.line + "\n")
	}
}

var began = time.Now()

// clock returns the time since the program started. In a bubble of testing/synctest it
// is negative, because the time of bubbles begins in the year 2000.
func clock() time.Duration { return time.Since(began) }

// since returns how long ago the clock was at t: 0, for unknown, if only one of both was
// in a bubble.
func since(t time.Duration) time.Duration {
	now := clock()
	if (now < 0) != (t < 0) {
		return 0
	}
	return max(now-t, 1)
}
