// Package pooltest finds misuse of octet's pooled memory in tests: slices of
// package bytespool and Buffers of package buffer that a test does not release,
// and what mode full of package checked finds besides, which panics.
//
//	func TestServe(t *testing.T) {
//		pooltest.NoLeaks(t)
//		...
//	}
//
// Run with OCTETDEBUG=check=guard to have a use after release fault where it
// happens.
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
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/finding"
)

// NoLeaks has everything be checked until t ends, and fails t if it has acquired
// something by then that is not released, listing what that is and where it was
// acquired. It waits up to a second for goroutines that are about to release.
// Call it first: what t.Cleanup was given after it runs before it looks.
//
// With pools, t answers for what is acquired from these, by whomever. Without, t
// answers for what its own goroutine acquires, and those that this starts, and
// so on, from any pool; they are told by a label that the profiler would show
// (see [pprof.SetGoroutineLabels]), so that goroutines with other labels, and
// those that ran before, are not counted. So tests may run in parallel, and none
// is blamed for another's leak. With the build tag octet_purego, and with Go
// releases later than this version of octet, goroutines cannot be told apart: then
// NoLeaks without pools sees everybody's, and must not be used in parallel tests.
func NoLeaks(t testing.TB, pools ...*bytespool.CapacityPools) {
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

// Main runs the tests of a package, checked, and exits: with what m.Run returns,
// or if that is 0 and something is not released in the end, with 1, after it
// listed that on standard error. Use it as TestMain:
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

// patience is how long goroutines have to release.
var patience = time.Second

// outstanding returns what is not released in time.
func outstanding(s *check.Scope) (left []*finding.Report) {
	for pause := time.Millisecond; pause < patience; pause *= 2 {
		if left = s.Outstanding(); len(left) == 0 {
			return nil
		}
		time.Sleep(pause)
	}
	return s.Outstanding()
}

// maxListed is how many reports are shown whole.
const maxListed = 10

// list describes what is left.
func list(left []*finding.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "pooltest: %d not released", len(left))
	for i, r := range left {
		if i == maxListed {
			fmt.Fprintf(&b, "\n\nand %d more", len(left)-maxListed)
			break
		}
		b.WriteString("\n\n" + r.Error())
	}
	return b.String()
}
