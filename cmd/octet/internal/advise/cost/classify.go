// Package cost estimates what a program pays for memory that it allocates, and what it would
// save if that came from a pool.
//
// # Map
//
//	classify.go   what processor time was spent on
//	model.go      what a site costs
//	calibrate.go  what this machine takes for a pool, and for cold memory
package cost

import (
	"strings"

	"github.com/octet-go/octet/cmd/octet/internal/advise/profiles"
)

// A class is what processor time was spent on.
type class int

const (
	other      class = iota
	allocating       // in a stack of the program
	marking          // the collector, as often as it runs
	sweeping         // and for each page that was allocated
	scheduling       // goroutines and threads, by nobody in particular
)

// entries are the functions by which compiled code allocates, by their prefixes.
var entries = []string{
	"runtime.malloc", "runtime.makeslice", "runtime.growslice", "runtime.newobject", "runtime.newarray", "runtime.makemap", "runtime.makechan",
	"runtime.rawbyteslice", "runtime.rawstring", "runtime.stringtoslice", "runtime.slicebytetostring", "runtime.concat", "runtime.intstring",
	"runtime.slicerunetostring", "runtime.convT", "runtime.memclrNoHeapPointersChunked", "runtime.deductAssistCredit", "runtime.moveSlice",
}

// moves are the functions that copy and clear, and growing those that do so when their slice grows.
var (
	moves   = []string{"runtime.memmove", "runtime.memclr"}
	growing = []string{"io.ReadAll", "bytes.growSlice", "bytes.(*Buffer).grow"}
)

var marks = []string{
	"runtime.gc", "runtime.scan", "runtime.grey", "runtime.markroot", "runtime.(*gc", "runtime.wbBuf", "runtime.stopTheWorld", "runtime.startTheWorld",
	"runtime.clearpools", "runtime.forEachP", "runtime.tryDeferToSpanScan", "runtime.(*spanQueue)", "runtime.(*mspan).markBits", "runtime.findObject",
}

var sweeps = []string{"runtime.bgsweep", "runtime.sweepone", "runtime.bgscavenge", "runtime.(*scavengerState)", "runtime.(*pageAlloc).scavenge", "runtime.(*sweepLocked)"}

var schedules = []string{
	"runtime.schedule", "runtime.findRunnable", "runtime.mcall", "runtime.park_m", "runtime.gosched", "runtime.gopreempt", "runtime.mstart", "runtime.wakep",
	"runtime.startm", "runtime.ready", "runtime.resetspinning", "runtime.stealWork", "runtime.sysmon", "runtime.execute", "runtime.goexit0", "runtime.mPark",
}

// classify returns what a sample was spent on and, if on allocating, the stack without the runtime.
func classify(s profiles.Stack) (class, profiles.Stack) {
	inner := 0
	for inner < len(s) && isRuntime(s[inner].Func) {
		inner++
	}
	below, program := s[:inner], s[inner:]
	if inner == 0 && hasPrefix(s[:min(len(s), 1)], growing) {
		return allocating, s // it is the first to touch what it has allocated
	}
	if inner > 0 && len(program) > 0 {
		switch {
		case s[0].Func == "runtime.asyncPreempt": // which the collector asks for
			return scheduling, nil
		case hasPrefix(s[0:1], moves) && hasPrefix(program[:1], growing):
			return allocating, program
		case !hasPrefix(s[inner-1:inner], entries):
			if hasPrefix(below, marks) {
				return marking, nil
			}
			return other, nil
		case hasPrefix(below, []string{"runtime.gc"}): // assists, and what starts a collection
			return marking, nil
		}
		return allocating, program
	}
	switch {
	case len(program) > 0:
		return other, nil
	case hasPrefix(below, sweeps):
		return sweeping, nil
	case hasPrefix(below, marks):
		return marking, nil
	case hasPrefix(below, schedules):
		return scheduling, nil
	}
	return other, nil
}

func isRuntime(name string) bool {
	return strings.HasPrefix(name, "runtime.") && !strings.HasPrefix(name, "runtime.main") || strings.HasPrefix(name, "internal/runtime/")
}

func hasPrefix(frames profiles.Stack, prefixes []string) bool {
	for _, f := range frames {
		for _, p := range prefixes {
			if strings.HasPrefix(f.Func, p) {
				return true
			}
		}
	}
	return false
}
