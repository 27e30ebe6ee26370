// Package check finds misuse of pooled memory while a program runs.
//
// # Map
//
//	check.go       which mode is chosen, and by whom
//	state.go       state: what is in effect, and how that changes
//	config.go      what can be chosen, and how OCTETDEBUG says it
//	memory.go      slices: Acquire and Release, and what their rules are
//	object.go      objects that own slices: Buffers, readers
//	record.go      record: what is known of a slice or an object
//	table.go       table: from an address to the record of the slice around it
//	quarantine.go  released memory that is held back, and its pattern
//	sample.go      when the pools are to sample another slice
//	capacity.go    what capacity a sampled slice has
//	stack.go       stacks, each kept once
//	report.go      what becomes of a finding: panic, log, handler
//	outstanding.go what is in use: the list and the profile
//	label_*.go     which test a goroutine belongs to
//
// # Who owns what
//
// A record says of a slice whether it is in use, held back or idle in its pool.
// It has the address as a number, so that it does not keep the memory: a slice
// that is in use and that nobody can reach any more is collected, its cleanup
// finds the record in use, and that is a leak. Records of memory that was
// collected are removed by the cleanup.
//
// Nothing here runs in a pool's fast path. In mode off the pools do not call
// this package at all but for one look at the mode in their slow paths.
package check

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/octet-go/octet/internal/finding"
	"github.com/octet-go/octet/internal/guard"
	"github.com/octet-go/octet/internal/sanitize"
)

// A Mode says how much is checked.
type Mode uint32

const (
	Off    Mode = iota
	Sample      // one slice in so many
	Full        // every slice
	Guard       // every slice, in a mapping of its own
)

var modeNames = [...]string{"off", "sample", "full", "guard"}

func (m Mode) String() string { return modeNames[m] }

var (
	setting  sync.Mutex // held to change what follows
	base     Config     // what Set chose
	started  []*Config  // what Start chose and has not ended: the latest counts, which is the last
	required int        // how many ask for Full at least
	watchers []func()   // see OnChange
)

func init() {
	c, err := Parse(os.Getenv("OCTETDEBUG"))
	if err == nil {
		_, err = Set(c)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "octet: OCTETDEBUG: %v; checks are off\n", err)
	}
}

// OnChange registers f to be called after the mode, or what Closes reports, may
// have changed.
func OnChange(f func()) {
	setting.Lock()
	defer setting.Unlock()
	watchers = append(watchers, f)
}

// Set chooses a configuration for when nobody else does, and returns the one
// before. What cannot be had here is replaced by the next best, and a line on
// stderr says so.
func Set(c Config) (before Config, err error) {
	err = c.complete()
	change(func() bool {
		before = base
		if err == nil {
			base = c
			forgetCauses()
		}
		return err == nil
	})
	return before, err
}

// Start is Set until the returned function is called: of those that have started
// and not stopped, the latest counts.
func Start(c Config) (stop func(), err error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	change(func() bool {
		started = append(started, &c)
		forgetCauses()
		return true
	})
	return func() {
		change(func() bool {
			i := slices.Index(started, &c)
			if i < 0 {
				return false // stopped already
			}
			started = slices.Delete(started, i, i+1)
			forgetCauses()
			return true
		})
	}, nil
}

// Require has the mode be Full at least until the returned function is called.
func Require() (release func()) {
	require(1)
	return sync.OnceFunc(func() { require(-1) })
}

func require(more int) {
	change(func() bool {
		required += more
		return true
	})
}

// change puts into effect what f changes, if that returns true.
func change(f func() bool) {
	setting.Lock()
	var found []*finding.Report
	before := load()
	if f() {
		found = apply()
	}
	setting.Unlock()
	// Without the lock, because a handler may change the mode, and in the manner of
	// the mode that has ended.
	for _, r := range found {
		report(r, before)
	}
}

// apply puts into effect what was chosen, and returns what came to light as the old
// mode ended. The caller holds setting.
func apply() (found []*finding.Report) {
	c := base
	if n := len(started); n > 0 {
		c = *started[n-1]
	}
	if required > 0 && c.Mode < Full {
		c.Mode = Full
	}
	if c.Mode == Sample {
		c.Action = ActionLog // for production: it never panics
	}
	if c.Mode == Guard || c.Mode == Sample && c.GuardSampled {
		c = startGuard(c)
	}
	found = replaceState(c)
	if c.Mode == Sample {
		startSampling()
	}
	return found
}

func notify() {
	for _, f := range watchers {
		f()
	}
}

// startGuard prepares guarded memory for c, or changes c to do without it.
func startGuard(c Config) Config {
	err := guard.Supported()
	if err == nil && sanitize.Enabled {
		err = fmt.Errorf("not together with the race detector or ASan")
	}
	if err == nil {
		var reporter error
		reporter, err = guard.Start(c.MaxGuarded)
		if reporter != nil {
			warn("a fault ends without a report: %v", reporter)
		}
	}
	if err == nil {
		return c
	}
	c.GuardSampled = false
	if c.Mode == Guard {
		c.Mode = Full
		warn("no guarded memory: %v; mode full instead", err)
	} else {
		warn("no guarded memory: %v", err)
	}
	return c
}

var warned sync.Map

// warn writes a line to stderr, once.
func warn(format string, args ...any) {
	line := fmt.Sprintf("octet: "+format, args...)
	if _, again := warned.LoadOrStore(line, true); !again {
		fmt.Fprintln(os.Stderr, line)
	}
}

var began = time.Now()

// clock returns the time since the program started, never 0.
func clock() time.Duration { return time.Since(began) + 1 }
