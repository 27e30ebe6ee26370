package check

import (
	"testing"

	"github.com/octet-go/octet/checked/finding"
	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
)

// A stubOwner is a pool that keeps nothing.
type stubOwner struct{}

func (stubOwner) Name() string { return "stub" }
func (stubOwner) ID() uint64   { return 1 }
func (stubOwner) Keep([]byte)  {}

// writeStale writes to a slice after its release.
//
//go:norace
func writeStale() {
	b := NewSampled(128, stubOwner{}, 1)
	Release(b, stubOwner{})
	b[7]++
}

// TestEndOfModeTells sees that what comes to light as a mode ends becomes what
// that mode says, and that a handler may change the mode then.
func TestEndOfModeTells(t *testing.T) {
	before, _ := Set(Config{})
	defer Set(before)
	for _, c := range []Config{{Mode: Sample, OneIn: 1}, {Mode: Full, Action: ActionLog}} {
		var log *finding.Report
		l := handler(func(f *finding.Report) { log = f })
		logger.Store(&l)
		Set(c)
		writeStale()
		Set(Config{})
		logger.Store(nil)
		if log == nil || log.What != "written after release" {
			t.Errorf("%+v: nothing is logged as the mode ends", c)
		}
	}
	called := false
	remove := Handle(func(*finding.Report) {
		called = true
		before, _ := Set(Config{Mode: Sample})
		Set(before)
	})
	defer remove()
	Set(Config{Mode: Full})
	writeStale()
	if Set(Config{}); !called {
		t.Error("the handler is not called as the mode ends")
	}
}

// TestRequiredFullPanics sees that who requires mode full gets it also where mode
// sample, which only logs, was chosen.
func TestRequiredFullPanics(t *testing.T) {
	before, _ := Set(Config{Mode: Sample})
	defer Set(before)
	if Settings().Action != ActionLog {
		t.Error("mode sample does not log")
	}
	defer Require()()
	if Settings().Action != ActionPanic {
		t.Error("mode full does not panic")
	}
}

// TestPanicLosesNothing sees that a release which panics for a slice that leaves
// quarantine holds its own back all the same.
func TestPanicLosesNothing(t *testing.T) {
	before, _ := Set(Config{Mode: Full})
	defer Set(before)
	writeStale()
	for range MaxQuarantined - 1 {
		Release(New(64, stubOwner{}), stubOwner{})
	}
	own := make([]byte, 64) // not tracked: its record goes with its memory
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic when what was written to leaves quarantine")
			}
		}()
		Release(own, stubOwner{})
	}()
	for range MaxQuarantined {
		Release(New(64, stubOwner{}), stubOwner{})
	}
	if r := around(rt.Address(own)); r != nil {
		t.Error("the slice that was released meanwhile never left quarantine")
	}
}

// TestQuarantineIsBounded sees that as much is held back as may be, and no more:
// by number, and by size.
func TestQuarantineIsBounded(t *testing.T) {
	before, _ := Set(Config{Mode: Full})
	defer Set(before)
	holds := func(what string, n, bytes int) {
		t.Helper()
		sum := 0
		for _, h := range queue.ring {
			sum += len(h.memory)
		}
		if queue.n != n || queue.bytes != bytes || sum != bytes {
			t.Errorf("%s: %d slices of %d bytes are held back, and %d are counted; want %d of %d", what, queue.n, sum, queue.bytes, n, bytes)
		}
	}
	if !sanitize.Enabled { // which takes seconds for so much
		const large = MaxQuarantinedBytes / 4
		for range 7 {
			Release(New(large, stubOwner{}), stubOwner{})
		}
		holds("large slices", 4, 4*large)
		Release(New(2*MaxQuarantinedBytes, stubOwner{}), stubOwner{})
		holds("one beyond the bound", 1, 2*MaxQuarantinedBytes)
	}
	for range MaxQuarantined + 10 {
		Release(New(64, stubOwner{}), stubOwner{})
	}
	holds("small slices", MaxQuarantined, MaxQuarantined*64)
	Set(Config{})
	holds("mode off", 0, 0)
}

// A numberedKeeper is a pool of that number that keeps what comes back.
type numberedKeeper struct {
	keeper
	id uint64
}

func (k numberedKeeper) ID() uint64 { return k.id }

// TestLeavesQuarantine sees what goes back to its pool from quarantine, whole, and
// what goes to the collector.
func TestLeavesQuarantine(t *testing.T) {
	finds(t, Config{Mode: Full})
	k := numberedKeeper{keeper{kept: new([][]byte)}, 8}
	other := numberedKeeper{k.keeper, 9}
	leaves := func(what string, want int, release func()) {
		t.Helper()
		*k.kept = nil
		release()
		for range MaxQuarantined {
			Release(New(64, stubOwner{}), stubOwner{})
		}
		if n := len(*k.kept); n != want {
			t.Errorf("%s: %d slices go to a pool, want %d", what, n, want)
		}
	}
	leaves("its own", 1, func() { Release(New(100, k), k) })
	leaves("its own, shortened", 1, func() { Release(New(100, k)[:3], k) })
	b := (*k.kept)[0]
	sanitize.Reused(b)
	if len(b) != 100 || !intact(b) {
		t.Errorf("a slice of length %d comes back, filled: %v; want all of it", len(b), intact(b))
	}
	leaves("another pool's", 0, func() { Release(New(100, other), k) })
	leaves("no pool's", 0, func() { Release(make([]byte, 100), k) })
	leaves("written to", 0, func() {
		b := New(100, k)
		Release(b, k)
		writeIdle(b)
	})
	leaves("its own, in another epoch", 0, func() {
		Release(New(100, k), k)
		Set(Config{Mode: Sample})
		Set(Config{Mode: Full})
	})
}
