// Package check finds misuse of pooled memory while a program runs.
//
// # Map
//
//	config.go      what can be chosen, and how OCTETDEBUG says it
//	state.go       state: what is in effect, and how that changes
//	place.go       where a sampled slice begins
//	stack.go       stacks
//	record.go      record: what is known of a slice or an object
//	table.go       from an address to the record of the slice around it
//	report.go      what becomes of a finding: panic, log, handler; and their causes
//	fill.go        the pattern that fills released memory, and which slices get it
//	sample.go      mode sample: how often, and where; what share of requests was tracked
//	sampler.go     which requests of a pool are tracked in mode sample
//	quarantine.go  released memory that is not reused yet
//	outstanding.go what is in use: the list and the profile
//	memory.go      slices: New, Reuse and Release, and their rules
//	object.go      objects that own slices: Buffers, readers
//	header.go      slices that are handed out by pointers to their headers
//	check.go       which mode is chosen, by whom, and how it takes effect
//
// In this order, each file uses those before it alone.
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
	"math"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/octet-go/octet/checked/finding"
)

// choice is what has been chosen, and what follows it.
var choice struct {
	sync.Mutex
	base      Config    // what Set chose
	started   []*Config // what Start chose and has not stopped, the latest last
	required  int       // calls of Require that were not released
	watchers  []func()  // see OnChange
	guarded   Arena     // see Connect
	lastEpoch uint32    // the number of epochs so far
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
	choice.Lock()
	defer choice.Unlock()
	choice.watchers = append(choice.watchers, f)
}

// Set chooses what applies while nothing else is chosen, and returns the choice
// before. A mode that this platform or build does not have is replaced by the next
// best, and a line on stderr says so.
func Set(c Config) (before Config, err error) {
	if err := c.complete(); err != nil {
		return Config{}, err
	}
	change(func() { before, choice.base = choice.base, c }, forgetCauses)
	return before, nil
}

// Start chooses what applies until stop is called. If several are active, the most
// recently started wins.
func Start(c Config) (stop func(), err error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	started := &choice.started
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
	require := func(more int) { change(func() { choice.required += more }, func() {}) }
	require(1)
	return sync.OnceFunc(func() { require(-1) })
}

// change puts into effect what f changes. When the change is complete it calls then:
// what comes to light before belongs to the old mode.
func change(f, then func()) {
	choice.Lock()
	before := load()
	f()
	found := apply()
	choice.Unlock()
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
	c := choice.base
	if n := len(choice.started); n > 0 {
		c = *choice.started[n-1]
	}
	if choice.required > 0 && c.Mode < Full {
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
	startSampling()
	return found
}

func notify() {
	for _, f := range choice.watchers {
		f()
	}
}

// Connect gives this package guarded memory, and what logs findings in place of writing
// them to standard error. So only programs that have a use for them link them: those
// that import package checked. A log that is nil changes nothing.
func Connect(a Arena, log func(*finding.Report)) {
	if log != nil {
		logger.Store((*handler)(&log))
	}
	change(func() { choice.guarded = a }, func() {})
}

// replaceState puts c into effect, in the steps that type state describes. It returns
// the misuses that came to light as the old mode ended. The caller holds choice.
func replaceState(c Config, line string) (found []*finding.Report) {
	old := load()
	next := state{Config: c, guard: choice.guarded, line: line, closes: c.Mode >= Full || c.Mode == Sample && c.OneIn == 1}
	connected := c.Mode == Guard && old.Mode == Full && old.line != "" // full was in place of it
	if c.Mode == old.Mode || connected {
		next.epoch, next.strictSince = old.epoch, old.strictSince
		next.publish()
		notify()
		return nil
	}
	if next.closes && !old.closes { // step 1
		closing := *old
		closing.closes = true
		current.Store(&closing)
		notify()
	}
	choice.lastEpoch++
	next.epoch, next.strictSince = choice.lastEpoch, math.MaxUint64
	next.publish() // step 2
	notify()       // step 3
	found = forget()
	next.strictSince = lastPool.Load() + 1
	next.publish() // step 5
	return found
}

// startGuard prepares guarded memory for c. Without it, it returns the next best, and a
// line for stderr that says so.
func startGuard(c Config) (next Config, line string) {
	err := errors.New("the program does not import package checked")
	if choice.guarded.Start != nil {
		var reporter error
		if reporter, err = choice.guarded.Start(c.MaxGuarded); reporter != nil {
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
