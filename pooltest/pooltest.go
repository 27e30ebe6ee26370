// Package pooltest finds misuse of octet's pooled memory in tests. A test fails if
// it does not release a slice of package bytespool or a Buffer of package buffer.
// Until it ends, mode full of package checked is on: other misuse panics.
//
//	func TestServe(t *testing.T) {
//		pooltest.NoLeaks(t)
//		...
//	}
//
// A read after release is not noticed in mode full. Build with -race, or run with
// OCTETDEBUG=check=guard, which makes it fault where it happens.
package pooltest

import (
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/checked"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/engine"
)

// NoLeaks enables full checking until t ends, and fails t if anything it acquired is
// still unreleased, with a list of the places where it was acquired: the oldest of
// each, and how many. It waits up to a second for goroutines that are about to release.
// Call it first: functions that are given to t.Cleanup later run before NoLeaks looks.
//
// With pools, it counts acquisitions from these by any goroutine. Without, it counts those
// from any pool by the goroutine of t, by the goroutines that this one starts, and so on. They are recognised by a label for the profiler (see
// [pprof.SetGoroutineLabels]); goroutines that ran before, or have other labels, do not
// count. [pprof.Do] in the goroutine of t takes the label away: that still counts, but not
// the goroutines that it starts in Do and afterwards, unless NoLeaks has pools. So tests
// may run in parallel, and none is blamed for the leak of another. With the build tag octet_purego, and with Go
// releases later than those that this version of octet was tested with, goroutines
// cannot be told apart: then NoLeaks without pools counts all of them, and must not be
// used in parallel tests.
func NoLeaks(t testing.TB, pools ...*bytespool.Pool) {
	t.Helper()
	done := check.Require()
	if len(pools) == 0 {
		labels := pprof.Labels("octet test", t.Name())
		pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), labels))
	}
	var ids []uint64
	for _, p := range pools {
		ids = append(ids, engine.Of(p).ID())
	}
	scope := check.NewScope(ids...)
	t.Cleanup(func() {
		t.Helper()
		left := outstanding(scope)
		scope.End()
		done()
		if len(left) > 0 {
			t.Errorf("%s", list(left))
		}
	})
}

// Main runs the tests of a package with full checking, and exits with the status that
// m.Run returns. If that is 0 and something is unreleased in the end, Main lists it
// on standard error and exits with status 1. Use it as TestMain:
//
//	func TestMain(m *testing.M) { pooltest.Main(m) }
func Main(m *testing.M) { os.Exit(run(m.Run)) }

// run is Main without exit.
func run(tests func() int) (code int) {
	defer check.Require()()
	scope := check.NewScope()
	defer scope.End()
	code = tests()
	if left := outstanding(scope); len(left) > 0 {
		fmt.Fprintln(os.Stderr, list(left))
		code = max(code, 1)
	}
	return code
}

// patience is how long goroutines may take to release.
var patience = time.Second

// outstanding returns what is not released within patience.
func outstanding(s *check.Scope) (left []*checked.Report) {
	for pause := time.Millisecond; pause < patience; pause *= 2 {
		if left = s.Outstanding(); len(left) == 0 {
			return nil
		}
		time.Sleep(pause)
	}
	return s.Outstanding()
}

// maxListed bounds the reports that are listed.
const maxListed = 10

// list describes what is unreleased.
func list(left []*checked.Report) string {
	var b strings.Builder
	n := 0
	for _, r := range left {
		n += r.Count
	}
	fmt.Fprintf(&b, "pooltest: %d not released", n)
	for i, r := range left {
		if i == maxListed {
			fmt.Fprintf(&b, "\n\nand from %d more places", len(left)-maxListed)
			break
		}
		b.WriteString("\n\n" + r.Error())
	}
	return b.String()
}
