package check

import (
	"context"
	"runtime"
	"runtime/pprof"
	"slices"
	"sync"
	"testing"

	"github.com/octet-go/octet/checked/finding"
	"github.com/octet-go/octet/internal/guard"
	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
	"github.com/octet-go/octet/internal/testenv"
)

func init() {
	Connect(Arena{guard.Start, guard.Alloc, guard.Free, guard.Owns}, nil)
}

// finds switches the mode of c on until the test ends, and returns a function that
// returns the codes of what f finds.
func finds(t *testing.T, c Config) func(f func()) []finding.Code {
	before, err := Set(c)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex // what is lost is found in other goroutines
	var codes []finding.Code
	remove := Handle(func(r *finding.Report) {
		mu.Lock()
		defer mu.Unlock()
		codes = append(codes, r.Code)
	})
	t.Cleanup(func() {
		remove()
		Set(before)
	})
	return func(f func()) []finding.Code {
		forgetCauses() // or what was found in this place before is not told again
		mu.Lock()
		codes = nil
		mu.Unlock()
		f()
		mu.Lock()
		defer mu.Unlock()
		return codes
	}
}

// A keeper is a pool that keeps what comes back.
type keeper struct {
	stubOwner
	kept *[][]byte
}

func (k keeper) Keep(b []byte) { *k.kept = append(*k.kept, b) }

// TestReuse sees that a slice is handed out again only if it is idle, whole, and
// was not written to.
func TestReuse(t *testing.T) {
	find := finds(t, Config{Mode: Full})
	k := keeper{kept: new([][]byte)}
	reused := func(b []byte) (ok bool) {
		if codes := find(func() { ok = Reuse(b, k) }); len(codes) > 0 {
			t.Errorf("found %v", codes)
		}
		return ok
	}
	b := New(64, k)
	Own(b) // as a Buffer does, which releases it, too
	if reused(b) {
		t.Error("a slice that is in use is handed out")
	}
	Release(b, k)
	if reused(b) {
		t.Error("a slice that is held back is handed out")
	}
	for range MaxQuarantined {
		Release(New(64, k), k)
	}
	if len(*k.kept) != 1 {
		t.Fatalf("%d slices left quarantine, want 1", len(*k.kept))
	}
	if reused(b[:32:32]) {
		t.Error("a part of a slice is handed out")
	}
	scope := NewScope()
	defer scope.End()
	if !reused(b) {
		t.Error("a slice that is idle is not handed out")
	}
	if left := scope.Outstanding(); len(left) != 1 || left[0].Released != nil || left[0].Idle != 0 {
		t.Errorf("it was handed out again, and outstanding are %+v", left)
	}
	if reused(make([]byte, 64)) {
		t.Error("a slice that is not known is handed out")
	}
	if codes := find(func() { Release(b, k) }); len(codes) > 0 {
		t.Errorf("it is released again: found %v", codes)
	}
	for range MaxQuarantined {
		Release(New(64, k), k)
	}
	writeIdle(b)
	ok := true
	if codes := find(func() { ok = Reuse(b, k) }); ok || !slices.Equal(codes, []finding.Code{finding.UseAfterRelease}) {
		t.Errorf("a slice was written to while it was idle: Reuse = %v, found %v", ok, codes)
	}
}

// writeIdle writes to memory that is nobody's, without the race detector or ASan
// being asked.
func writeIdle(b []byte) {
	sanitize.Reused(b)
	b[5]++
}

// TestOneMisuseOneReport sees that what was released in part, or where it does not
// belong, is not reported as lost as well.
func TestOneMisuseOneReport(t *testing.T) {
	find := finds(t, Config{Mode: Full, Foreign: true})
	scope := NewScope()
	defer scope.End()
	for what, release := range map[string]func(b []byte){
		"a prefix":     func(b []byte) { Release(b[:10:10], stubOwner{}) },
		"a suffix":     func(b []byte) { Release(b[10:], stubOwner{}) },
		"foreign":      func(b []byte) { Release(b, otherOwner{}) },
		"not pooled":   func([]byte) { Release(make([]byte, 64), stubOwner{}) },
		"given a gift": func([]byte) { Release(make([]byte, 64), otherOwner{}) },
	} {
		b := New(64, stubOwner{})
		find(func() { release(b) })
		if what == "not pooled" || what == "given a gift" {
			Release(b, stubOwner{})
		}
		if left := scope.Outstanding(); len(left) != 0 {
			t.Errorf("%s: %d are outstanding still", what, len(left))
		}
		runtime.KeepAlive(b)
	}
	own := make([]byte, 64)
	Release(own, stubOwner{})
	if codes := find(func() { Release(own, stubOwner{}) }); !slices.Equal(codes, []finding.Code{finding.DoubleRelease}) {
		t.Errorf("a slice of one's own is released twice: found %v", codes)
	}
}

// An otherOwner is another pool.
type otherOwner struct{ stubOwner }

func (otherOwner) ID() uint64 { return 2 }

// TestGuardedRecordsGo sees that records of guarded slices do not pile up: their
// memory is never collected.
func TestGuardedRecordsGo(t *testing.T) {
	if finds(t, Config{Mode: Guard}); Current() != Guard {
		return // there is no guarded memory here
	}
	before := table.entries.Load()
	for range 3 * len(graves.records) {
		Release(New(64, stubOwner{}), stubOwner{})
	}
	if n := table.entries.Load() - before; n > int64(len(graves.records)+MaxQuarantined) {
		t.Errorf("%d records are left of slices that were released", n)
	}
}

// TestTinySlicesAreLost sees that each tiny slice which is lost is found, whatever
// becomes of others that the runtime would put beside it.
func TestTinySlicesAreLost(t *testing.T) {
	finds(t, Config{Mode: Full})
	var kept [][]byte
	before := Findings()
	func() {
		for i := range 400 {
			b := New(2, stubOwner{})
			if i%4 == 0 {
				kept = append(kept, b)
			}
		}
	}()
	lost := func() uint64 { return Findings() - before }
	testenv.Eventually(t, "300 slices are found lost", func() bool {
		runtime.GC()
		return lost() >= 300
	})
	if n := lost(); n != 300 {
		t.Errorf("%d slices are found lost, want 300", n)
	}
	for _, b := range kept {
		Release(b, stubOwner{})
	}
}

// TestPastRecordIsNotTaken has an array that is not tracked lie where another one was
// that the collector has taken, and whose cleanup has not run yet. What happens to the
// new one must not be noted of the old one.
func TestPastRecordIsNotTaken(t *testing.T) {
	find := finds(t, Config{Mode: Full})
	k := keeper{kept: new([][]byte)}
	for _, owned := range []bool{true, false} { // by a Buffer, which leaves an array to the collector
		for what, use := range map[string]func(b []byte){
			"taken out of a Buffer":     func(b []byte) { Own(b); Disown(b) },
			"released":                  func(b []byte) { Release(b, k) },
			"released in part":          func(b []byte) { Release(b[:10:10], k) },
			"in the pool, and reused":   func(b []byte) { Reuse(b, k) },
			"in a Buffer, and released": func(b []byte) { Own(b); Release(b, k) },
		} {
			b := make([]byte, 64)
			past := &record{base: rt.Address(b), extent: 64, kind: Slice, alive: func() bool { return false }}
			past.begin(load().epoch, k, 64, caller())
			past.owned = owned
			track(past)
			forgetCauses() // or the second of one place is not reported
			codes := find(func() {
				use(b)
				collected(past)
			})
			var want []finding.Code
			if !owned {
				want = []finding.Code{finding.Leak}
			}
			if !slices.Equal(codes, want) || past.owned != owned {
				t.Errorf("owned %v, %s: found %v, want %v", owned, what, codes, want)
			}
		}
	}
	for range MaxQuarantined {
		Release(New(64, stubOwner{}), stubOwner{})
	}
	if len(*k.kept) > 0 {
		t.Errorf("%d of them came to the pool as its own", len(*k.kept))
	}
}

// TestDetachedIsItsTakers sees that who takes a slice out of a Buffer answers for
// it, and nobody while the Buffer has it.
func TestDetachedIsItsTakers(t *testing.T) {
	if !rt.Labels {
		return // goroutines cannot be told apart
	}
	finds(t, Config{Mode: Full})
	b := New(64, stubOwner{})
	Own(b)
	done := make(chan struct{})
	go func() {
		defer close(done)
		pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("a", "b")))
		scope := NewScope()
		defer scope.End()
		all := func(when string, want int) {
			if left := scope.Outstanding(); len(left) != want {
				t.Errorf("%s: %d outstanding, want %d", when, len(left), want)
			}
		}
		all("a Buffer has it", 0)
		Disown(b)
		all("it was taken", 1)
		Own(b)
		all("a Buffer has it again", 0)
		Release(b, stubOwner{})
	}()
	<-done
}

// TestNothingIsTracked sees when New and Track track nothing: in mode off, and
// beyond the bound of mode sample.
func TestNothingIsTracked(t *testing.T) {
	tracked := func() (n int) {
		allRecords(func(*record) { n++ })
		return n
	}
	x, y := new(int64), new(int64)
	try := func(c Config, want int) {
		t.Helper()
		finds(t, c)
		before := tracked()
		b := NewSampled(128, stubOwner{}, 1)
		Track(x, (*int64)(nil), "number", 8, stubOwner{})
		if n := tracked() - before; n != want {
			t.Errorf("%+v: %d are tracked, want %d", c, n, want)
		}
		Release(b, stubOwner{})
		x, y = y, x
	}
	try(Config{}, 0)
	try(Config{Mode: Sample}, 2)
	finds(t, Config{Mode: Sample})
	full := maxSampled - table.entries.Load() // exactly
	table.entries.Add(full)
	try(Config{Mode: Sample}, 0)
	table.entries.Add(-full)
	try(Config{Mode: Full}, 2)
	runtime.KeepAlive(y)
}
