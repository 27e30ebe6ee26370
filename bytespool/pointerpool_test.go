package bytespool_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/checked/finding"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/check/checktest"
	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
	"github.com/octet-go/octet/internal/testenv"
)

// A bufferPool is the interface BufferPool of google.golang.org/grpc/mem.
type bufferPool interface {
	Get(length int) *[]byte
	Put(*[]byte)
}

var _ bufferPool = (*bytespool.PointerPool)(nil)

// variants are the kinds of pools that a PointerPool may be on.
var variants = map[string][]bytespool.Option{
	"plain":          nil,
	"steps":          {bytespool.WithSteps(4)},
	"budget":         {bytespool.WithIdleBudget(1 << 20)},
	"ClearOnGet":     {bytespool.WithClear(bytespool.ClearOnGet)},
	"ClearOnRelease": {bytespool.WithClear(bytespool.ClearOnRelease)},
}

var checkedModes = []check.Config{
	{Mode: check.Off},
	{Mode: check.Sample, OneIn: 1},
	{Mode: check.Sample, OneIn: 3},
	{Mode: check.Full, Foreign: true},
	{Mode: check.Guard, Foreign: true},
}

// strict reports whether c checks every slice.
func strict(c check.Config) bool { return c.Mode >= check.Full }

// keeps reports whether this build keeps header and array together.
const keeps = rt.Pinned && !sanitize.Enabled

// TestPointerPoolModel does what callers may do, and holds against a model what each
// slice shows: nobody else writes to it while it is in use.
func TestPointerPoolModel(t *testing.T) {
	for _, c := range checkedModes {
		for name, opts := range variants {
			t.Run(fmt.Sprintf("%v-%d/%s", c.Mode, c.OneIn, name), func(t *testing.T) {
				found := checktest.Start(t, c)
				p := bytespool.NewPointerPool(bytespool.NewPool(append([]bytespool.Option{bytespool.WithSizes(64, 1<<16)}, opts...)...))
				var wg sync.WaitGroup
				for g := range 3 {
					wg.Go(func() { usePointers(t, p, rand.New(rand.NewPCG(uint64(g), 7)), name == "ClearOnGet") })
				}
				wg.Wait()
				for _, f := range found() {
					// Slices that usePointers makes itself, and those it loses.
					if f.Code != finding.ForeignRelease && f.Code != finding.Leak {
						t.Errorf("%v", &f)
					}
				}
			})
		}
	}
}

func usePointers(t *testing.T, p bufferPool, r *rand.Rand, clears bool) {
	type held struct {
		b     *[]byte
		stamp byte
	}
	var all []held
	check := func(h held) {
		for i, x := range *h.b {
			if x != h.stamp {
				t.Errorf("byte %d of %d is %#x, not %#x", i, len(*h.b), x, h.stamp)
				return
			}
		}
	}
	fill := func(b []byte, stamp byte) {
		for i := range b {
			b[i] = stamp
		}
	}
	for range testenv.Rounds(rounds) {
		if len(all) < 8 && r.IntN(2) == 0 {
			n := r.IntN(1 << r.IntN(18))
			h := held{p.Get(n), byte(r.Uint32())}
			if len(*h.b) != n {
				t.Errorf("Get(%d) has length %d", n, len(*h.b))
			}
			if clears && slices.ContainsFunc(*h.b, func(x byte) bool { return x != 0 }) {
				t.Errorf("Get(%d) shows old bytes", n)
			}
			fill(*h.b, h.stamp)
			all = append(all, h)
			continue
		}
		if len(all) == 0 {
			continue
		}
		i := r.IntN(len(all))
		h := all[i]
		check(h)
		switch r.IntN(8) {
		case 0: // shorter
			*h.b = (*h.b)[:r.IntN(len(*h.b)+1)]
			continue
		case 1: // longer, and written to up to the capacity
			*h.b = (*h.b)[:cap(*h.b)]
			fill(*h.b, h.stamp)
			continue
		case 2: // replaced by what no pool made
			*h.b = make([]byte, r.IntN(3000))
		}
		all = append(all[:i], all[i+1:]...)
		p.Put(h.b)
	}
	for _, h := range all {
		check(h)
		p.Put(h.b)
	}
}

// TestPointerPoolKeepsBoth wants the header and the array that were put back.
func TestPointerPoolKeepsBoth(t *testing.T) {
	if !keeps || check.Current() != check.Off {
		t.Skip("this build or mode keeps them apart")
	}
	defer quiet()()
	for name, opts := range map[string][]bytespool.Option{"plain": nil, "steps": {bytespool.WithSteps(4)}} {
		for _, n := range []int{1, 100, 4096, 60000, 65536} {
			p := bytespool.NewPointerPool(bytespool.NewPool(append([]bytespool.Option{bytespool.WithSizes(2, 1<<20)}, opts...)...))
			b := p.Get(n)
			array := unsafe.SliceData(*b)
			capacity := cap(*b)
			*b = (*b)[:0] // shortened, as grpc does
			p.Put(b)
			if cap(*b) != 1 { //poolcheck:ignore OCT001 misused on purpose
				t.Errorf("%s, %d: the header shows an idle array, or none", name, n)
			}
			c := p.Get(n)
			if c != b || unsafe.SliceData(*c) != array || len(*c) != n || cap(*c) != capacity {
				t.Errorf("%s, %d: got another header, or array, or len %d, cap %d, want cap %d", name, n, len(*c), cap(*c), capacity)
			}
		}
	}
}

// TestPointerPoolTakesAnything puts what is no slice of the pool, or none at all.
func TestPointerPoolTakesAnything(t *testing.T) {
	for _, c := range checkedModes {
		t.Run(fmt.Sprintf("%v-%d", c.Mode, c.OneIn), func(t *testing.T) {
			found := checktest.Start(t, c)
			var zero bytespool.Pool
			for _, pools := range []*bytespool.Pool{
				bytespool.NewPool(bytespool.WithSizes(64, 1<<20)),
				bytespool.NewPool(bytespool.WithSizes(64, 1<<20), bytespool.WithSteps(2)),
				&zero,
			} {
				p := bytespool.NewPointerPool(pools)
				p.Put(nil)
				for _, n := range []int{0, 1, 2, 63, 64, 100, 1000, 1024, 1 << 20, 1<<20 + 1} {
					b := make([]byte, n)
					p.Put(&b)
				}
				var none []byte
				p.Put(&none)
				for _, n := range []int{-1, 0, 1, 64, 1000, 1 << 20, 3 << 20} {
					b := p.Get(n)
					if len(*b) != max(n, 0) {
						t.Errorf("Get(%d) has length %d", n, len(*b))
					}
					clear((*b)[:cap(*b)])
					p.Put(b)
				}
			}
			for _, f := range found() {
				if f.Code != finding.ForeignRelease || !c.Foreign {
					t.Errorf("%v", &f)
				}
			}
			if c.Foreign && len(found()) == 0 {
				t.Error("no foreign slice was reported")
			}
		})
	}
}

// TestSecondPut puts a header twice, with a header of the same class put between. In
// no mode may two callers get the same memory afterwards.
func TestSecondPut(t *testing.T) {
	for _, c := range checkedModes {
		for name, opts := range variants {
			t.Run(fmt.Sprintf("%v-%d/%s", c.Mode, c.OneIn, name), func(t *testing.T) {
				found := checktest.Start(t, c)
				p := bytespool.NewPointerPool(bytespool.NewPool(append([]bytespool.Option{bytespool.WithSizes(64, 1<<16)}, opts...)...))
				const n = 20
				for range n {
					a, b := p.Get(4000), p.Get(4000)
					p.Put(a)
					p.Put(b)
					p.Put(a) //poolcheck:ignore OCT003 misused on purpose
					p.Put(a)
				}
				arrays := map[*byte]bool{}
				headers := map[*[]byte]bool{}
				for range 2 * n {
					b := p.Get(4000)
					if arrays[unsafe.SliceData(*b)] || headers[b] {
						t.Fatal("two callers have the same memory")
					}
					arrays[unsafe.SliceData(*b)], headers[b] = true, true
				}
				reports := 0
				for _, f := range found() {
					if f.Code != finding.DoubleRelease {
						t.Errorf("%v", &f)
					}
					reports = max(reports, int(f.Count))
				}
				switch {
				case strict(c) && reports < 10: // of each cause the first and the tenth are reported
					t.Errorf("of %d second Puts, %d were reported", 2*n, reports)
				case c.Mode == check.Off && reports != 0:
					t.Error("something was reported")
				}
				runtime.KeepAlive(headers)
			})
		}
	}
}

// TestWrittenAfterPut writes to a header that is idle. What is written must not
// become the next caller's.
func TestWrittenAfterPut(t *testing.T) {
	checktest.Start(t, check.Config{})
	mine := []byte("mine")
	for name, write := range map[string]func(b *[]byte){
		"nothing": func(b *[]byte) {},
		"nil":     func(b *[]byte) { *b = nil },
		"empty":   func(b *[]byte) { *b = []byte{} },
		"short":   func(b *[]byte) { *b = make([]byte, 1) },
		"grown":   func(b *[]byte) { *b = append((*b)[:0], "some content"...) },
		"mine":    func(b *[]byte) { *b = mine },
		"large":   func(b *[]byte) { *b = make([]byte, 4096) },
	} {
		for option, opts := range variants {
			pools := bytespool.NewPool(append([]bytespool.Option{bytespool.WithSizes(64, 1<<16)}, opts...)...)
			p := bytespool.NewPointerPool(pools)
			b := p.Get(4096)
			p.Put(b)
			write(b) //poolcheck:ignore OCT001 misused on purpose
			c := p.Get(4096)
			clear((*c)[:cap(*c)])
			if len(*c) != 4096 || unsafe.SliceData(*c) == unsafe.SliceData(mine) {
				t.Errorf("%s, %s: len %d", name, option, len(*c))
			}
			p.Put(c)
			if n := pools.Stats().InUse; n != 0 {
				t.Errorf("%s, %s: %d in use", name, option, n)
			}
		}
	}
	if string(mine) != "mine" {
		t.Error("the caller's slice was handed out")
	}
}

// TestSampledPointers wants as many slices to be tracked as mode sample counts,
// although header and array are idle together, and a second Put of them reported.
func TestSampledPointers(t *testing.T) {
	found := checktest.Start(t, check.Config{Mode: check.Sample, OneIn: 64})
	p := bytespool.NewPointerPool(bytespool.NewPool(bytespool.WithSizes(64, 1<<16)))
	requests, sampled := 0.0, 0.0
	for start := time.Now(); sampled < 50; requests++ {
		if time.Since(start) > time.Minute {
			t.Fatalf("%g of %g slices were sampled", sampled, requests)
		}
		b := p.Get(4096)
		if check.Displaced(*b) != 0 {
			sampled++
		}
		p.Put(b)
		p.Put(b) //poolcheck:ignore OCT003 misused on purpose
	}
	if want := check.Probability() * requests; sampled < want/2 {
		t.Errorf("%g slices were sampled, and %.0f counted", sampled, want)
	}
	if f := found(); f[0].Code != finding.DoubleRelease || f[0].Size != 4096 {
		t.Errorf("%v", &f[0])
	}
}

// TestSecondPutOfOneByte has a slice with the capacity that idle headers show.
func TestSecondPutOfOneByte(t *testing.T) {
	found := checktest.Start(t, check.Config{Mode: check.Full})
	p := bytespool.NewPointerPool(new(bytespool.Pool))
	b := p.Get(1)
	p.Put(b)
	p.Put(b) //poolcheck:ignore OCT003 misused on purpose
	if f := found(); len(f) != 1 || f[0].Code != finding.DoubleRelease {
		t.Errorf("found %v", f)
	}
}

// TestReplacedIsNoLeak has what Get returned replaced by another slice, in each mode: the
// array is left to the collector, and nothing is to be released.
func TestReplacedIsNoLeak(t *testing.T) {
	rounds := 0
	collect := func() { // now and then
		if rounds++; rounds%100 == 0 {
			runtime.GC()
		}
	}
	for _, mode := range []check.Config{{Mode: check.Sample, OneIn: 1}, {Mode: check.Sample, OneIn: 20}, {Mode: check.Full}, {Mode: check.Guard}} {
		for name, use := range map[string]func(b *[]byte) (put *[]byte){
			"as it is":      func(b *[]byte) *[]byte { return b },
			"grown":         func(b *[]byte) *[]byte { *b = append(*b, make([]byte, 5000)...); return b },
			"nil":           func(b *[]byte) *[]byte { *b = nil; return b },
			"of one byte":   func(b *[]byte) *[]byte { *b = make([]byte, 1); return b },
			"collected":     func(b *[]byte) *[]byte { *b = nil; collect(); return b },
			"other header":  func(b *[]byte) *[]byte { c := *b; return &c },
			"other, shared": func(b *[]byte) *[]byte { c := *b; *b = nil; return &c },
		} {
			rounds = 0
			found := checktest.Start(t, mode)
			p := bytespool.NewPointerPool(bytespool.NewPool(bytespool.WithSizes(64, 1<<16), bytespool.WithName("replaced")))
			scope := check.NewScope()
			for range 100 {
				p.Put(use(p.Get(1000)))
			}
			if mode.OneIn > 1 { // some of these are sampled, after the next tick
				time.Sleep(110 * time.Millisecond)
				for range 1000 {
					p.Put(use(p.Get(1000)))
				}
			}
			for _, f := range scope.Outstanding() {
				t.Errorf("%v, %s: not released: %s", mode.Mode, name, f.Error())
			}
			scope.End()
			for range 3 {
				runtime.GC()
				time.Sleep(time.Millisecond)
			}
			for _, f := range found() {
				if f.Pool == "replaced" {
					t.Errorf("%v, %s: %s", mode.Mode, name, f.Error())
				}
			}
		}
	}
}
