package bytespool_test

import (
	"runtime"
	"testing"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/checked/finding"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/check/checktest"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
	"github.com/octet-go/octet/internal/testenv"
)

// leaving are pools of slices of 64 bytes to 128 KiB.
var leaving = map[string][]bytespool.Option{
	"plain":          nil,
	"steps":          {bytespool.WithSteps(4)},
	"budget":         {bytespool.WithIdleBudget(64 << 20)},
	"limit":          {bytespool.WithLimit(64 << 20)},
	"ClearOnRelease": {bytespool.WithClear(bytespool.ClearOnRelease)},
}

// A slice whose front was cut off is dropped and counted, not filed under a smaller class, and
// nothing is in use any more.
func TestFrontCut(t *testing.T) {
	for name, opts := range leaving {
		for _, mode := range checkedModes {
			found := checktest.Start(t, mode)
			p := bytespool.NewPool(append([]bytespool.Option{bytespool.WithSizes(64, 128<<10)}, opts...)...)
			cuts := 0
			for _, size := range []int{64, 256, 4096, 64 << 10, 128 << 10} {
				for _, cut := range []int{1, 9, 16, size/4 + 1, size - 20} {
					b := p.New(size)
					if engine.Of(p).Release(b[cut:]) && rt.FindsFronts { //poolcheck:ignore OCT006 the front is cut off on purpose
						t.Errorf("mode %v, %s: %d bytes without the first %d were kept", mode.Mode, name, size, cut)
					}
					cuts++
				}
			}
			s := p.Stats()
			switch {
			case !rt.FindsFronts:
			case mode.Mode == check.Off:
				if s.Dropped.FrontCut != uint64(cuts) || s.InUse != 0 || s.InUseBytes != 0 || s.IdleBytes != 0 || s.TooSmall != 0 || s.Limit.InUse != 0 {
					t.Errorf("%s: %d were cut: %+v", name, cuts, s)
				}
			case mode.OneIn <= 1:
				if len(found()) == 0 || found()[0].Code != finding.PartRelease { // once for each place
					t.Errorf("mode %v, %s: %d were cut: found %d", mode.Mode, name, cuts, len(found()))
				}
			}
			check.Set(check.Config{})
		}
	}
}

// The same holds for a slice of an odd capacity;
// what is left of less than half of an odd one is more likely foreign.
func TestFrontOfGrownCut(t *testing.T) {
	if !rt.FindsFronts || sanitize.Enabled {
		t.Skip("what is released is poisoned, or nothing says where a slice's memory begins")
	}
	testenv.Quietly(t)
	for _, opts := range [][]bytespool.Option{nil, {bytespool.WithLimit(64 << 20)}} {
		for size, odd := range map[int]int{1000: 1792, 4000: 6144, 60_000: 100_000} {
			p := bytespool.NewPool(append([]bytespool.Option{bytespool.WithSizes(64, 64<<10)}, opts...)...)
			p.New(64) // or the first release below is one of nothing
			p.Release(make([]byte, odd))
			before := p.Stats()
			b := p.New(size)
			if size < 60_000 && cap(b) != odd {
				t.Fatalf("New(%d) returned %d bytes, and one of %d is idle", size, cap(b), odd)
			}
			if engine.Of(p).Release(b[8:]) { //poolcheck:ignore OCT006 the front is cut off on purpose
				t.Errorf("%d bytes without the first 8 were kept", cap(b))
			}
			s := p.Stats()
			if s.Dropped.FrontCut != 1 || s.Limit.InUse != before.Limit.InUse || s.InUse != before.InUse {
				t.Errorf("of %d bytes the front was cut: %+v", cap(b), s)
			}
		}
		p := bytespool.NewPool(append([]bytespool.Option{bytespool.WithSizes(64, 64<<10)}, opts...)...)
		if part := make([]byte, 6144)[5000:]; !engine.Of(p).Release(part) || p.Stats().Dropped.FrontCut != 0 {
			t.Errorf("the last %d bytes of 6,144 were not kept", cap(part))
		}
	}
}

// What goes to the collector by Abandon is neither in use nor lost, and is the caller's.
func TestAbandon(t *testing.T) {
	for name, opts := range leaving {
		for _, mode := range checkedModes {
			found := checktest.Start(t, mode)
			scope := check.NewScope()
			p := bytespool.NewPool(append([]bytespool.Option{bytespool.WithSizes(64, 128<<10)}, opts...)...)
			for _, size := range []int{1, 64, 5000, 200_000} {
				b := p.New(size)
				p.Abandon(b)
				b[0] = 1
				if out := scope.Outstanding(); len(out) != 0 {
					t.Errorf("mode %v, %s: a slice of %d bytes is outstanding", mode.Mode, name, size)
				}
			}
			p.Abandon(nil)
			runtime.GC()
			runtime.GC()
			if s := p.Stats(); s.InUse != 0 || s.Limit.InUse != 0 || s.Dropped.Abandoned != 3 || s.Dropped.Aged != 0 {
				t.Errorf("mode %v, %s: %+v", mode.Mode, name, s)
			}
			for _, f := range found() {
				t.Errorf("mode %v, %s: %v", mode.Mode, name, f.Error())
			}
			if strict(mode) {
				b := p.New(100)
				p.Abandon(b)
				p.Release(b)
				if list := found(); len(list) != 1 || list[0].Code != finding.DoubleRelease {
					t.Errorf("mode %v: a release after Abandon: found %v", mode.Mode, list)
				}
			}
			scope.End()
			check.Set(check.Config{})
		}
	}
}
