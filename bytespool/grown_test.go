package bytespool_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/sanitize"
	"github.com/octet-go/octet/internal/testenv"
)

// configurations are those in which slices that have grown are the same to a program.
var configurations = map[string][]bytespool.Option{
	"by default":       nil,
	"a budget":         {bytespool.WithIdleBudget(64 << 20)},
	"2 steps":          {bytespool.WithSteps(2)},
	"4 steps":          {bytespool.WithSteps(4)},
	"4 steps, budget":  {bytespool.WithSteps(4), bytespool.WithIdleBudget(64 << 20)},
	"a limit":          {bytespool.WithLimit(64 << 20)},
	"a limit, 4 steps": {bytespool.WithLimit(64 << 20), bytespool.WithSteps(4)},
}

// grow appends to b as codecs do (MarshalAppend, DecodeAll), until it has so many bytes.
func grow(b []byte, to int) []byte {
	for len(b) < to {
		b = append(b, make([]byte, min(1000, to-len(b)))...)
	}
	return b
}

// A program whose codecs grow slices finds them again, in every configuration, whether they have
// grown to the capacity of a class or to another one.
func TestGrownSlicesAreFoundAgain(t *testing.T) {
	if testenv.BuildSetting("-asan") == "true" {
		t.Skip("closed classes do not lend")
	}
	testenv.Quietly(t)
	for name, opts := range configurations {
		for _, to := range []int{3000, 8 << 10, 16 << 10, 35_000, 200_000} {
			p := bytespool.NewPool(append([]bytespool.Option{bytespool.WithSizes(1<<10, 1<<20)}, opts...)...)
			if p.Stats().Limit.Bytes > 0 && sanitize.Enabled {
				continue // closed classes do not lend
			}
			pointers := bytespool.NewPointerPool(p)
			for by, round := range map[string]func(){
				"Make": func() { p.Release(grow(p.Make(1000), to)) },
				"PointerPool": func() {
					b := pointers.Get(1000)
					*b = grow((*b)[:0], to)
					pointers.Put(b)
				},
			} {
				p.Trim()
				rounds := testenv.Rounds(300)
				before := p.Stats()
				for range rounds {
					round()
				}
				s := p.Stats()
				if s.Hits-before.Hits < uint64(rounds*9/10) || s.IdleBytes == 0 || s.InUseBytes != 0 || s.Dropped.OverBudget > 0 || s.Limit.InUse != 0 {
					t.Errorf("%s, by %s to %d bytes: %d of %d requests were hits, %d bytes are idle; %+v", name, by, to, s.Hits-before.Hits, s.Gets-before.Gets, s.IdleBytes, s)
				}
			}
		}
	}
}

// One slice that grows, or a foreign one, does not use up a limit: what is lent takes a sixteenth
// of it at most.
func TestLoansLeaveTheLimit(t *testing.T) {
	testenv.Quietly(t)
	for name, first := range map[string]func(p *bytespool.Pool){
		"has grown":             func(p *bytespool.Pool) { p.Release(grow(p.Make(1000), 100_000)) },
		"has grown, to a class": func(p *bytespool.Pool) { p.Release(append(p.Make(1000), make([]byte, 64<<10)...)) },
		"is foreign":            func(p *bytespool.Pool) { p.Release(make([]byte, 64<<10)) },
		"is foreign and odd":    func(p *bytespool.Pool) { p.Release(make([]byte, 100_000)) },
	} {
		for limit := 64 << 10; limit <= testenv.Rounds(64<<20); limit *= 8 {
			p := bytespool.NewPool(bytespool.WithSizes(512, 1<<20), bytespool.WithLimit(int64(limit)))
			first(p)
			n, all := 0, limit/1024
			for p := p; ; n++ {
				if _, err := p.TryNew(1000); err != nil {
					break
				}
			}
			if n < all*15/16-128 { // and one more for a foreign one
				t.Errorf("a slice %s: a limit of %d bytes has room for %d slices of %d", name, limit, n, all)
			}
			if s := p.Stats().Limit; s.InUse > int64(limit) || s.Peak > int64(limit) {
				t.Errorf("a slice %s: %+v", name, s)
			}
		}
	}
}

// A pool without a limit never refuses anything, also where slices grow.
func TestAcquireOfGrownSlices(t *testing.T) {
	for _, n := range []int{1800, 2048} {
		p := bytespool.NewPool(bytespool.WithSizes(64, 1<<20))
		for range 3 {
			p.Release(append(p.New(1000), make([]byte, n-1000)...))
			b, err := p.Acquire(t.Context(), 1000)
			if len(b) != 1000 || err != nil {
				t.Fatalf("Acquire(1000) returned %d bytes and %v", len(b), err)
			}
			p.Release(b)
		}
	}
}

// Headers without slices that were dropped hide no slices that may be loans.
func TestHeldBesideDroppedHeaders(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("closed classes do not lend")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	p := bytespool.NewPool(bytespool.WithSizes(1<<10, 1<<20), bytespool.WithRetain(0))
	pointers := bytespool.NewPointerPool(p)
	held := make([]*[]byte, 500)
	for range 5 {
		for i := range held {
			held[i] = pointers.Get(1000)
			*held[i] = append((*held[i])[:0], make([]byte, 5000)...)
		}
		for _, b := range held {
			pointers.Put(b)
		}
		for range 3 {
			runtime.GC()
			time.Sleep(2 * time.Millisecond) // what follows the collection drops them
		}
	}
	sum, n := 0, 1000
	for range n {
		p.Release(grow(p.Make(1000), 100<<10))
		sum += cap(p.New(1000))
	}
	if most := n*8000 + max(16<<20, int(p.Stats().Pressure.Live)/16) + 8<<20; sum > most {
		t.Errorf("%d slices of 1,000 bytes have %d bytes, want at most %d", n, sum, most)
	}
}

// What is held of a size does not let larger ones pile up that come from elsewhere.
func TestForeignBesideHeld(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("what is released is poisoned in a quarantine")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	p := bytespool.NewPool(bytespool.WithSizes(64, 1<<20))
	for range 60_000 {
		p.New(1 << 10)
	}
	most := int64(0)
	for range 4 {
		for range 8_000 {
			for size := 2 << 10; size <= 8<<10; size *= 2 {
				p.Release(make([]byte, size))
			}
		}
		runtime.GC()
		time.Sleep(5 * time.Millisecond) // what follows the collection finds so many in use
		most = max(most, p.Stats().IdleBytes)
	}
	// 16 MiB since the last collection, as much since the one before, and what each class keeps of its own
	if want := int64(2*16<<20 + 3*4<<20); most > want {
		t.Errorf("%d bytes of foreign slices are idle, want %d at most", most, want)
	}
}

// What is lent by a PointerPool may be odd, too.
func TestOddSlicesServePointers(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("what is released is poisoned in a quarantine")
	}
	if testenv.PureGo() {
		t.Skip("header and slice are apart, and slices are lent as by New")
	}
	testenv.Quietly(t)
	p := bytespool.NewPool(bytespool.WithSizes(1<<10, 256<<10))
	pointers := bytespool.NewPointerPool(p)
	const rounds = 2000
	r := rand.New(rand.NewPCG(1, 1))
	for range rounds {
		p.Release(make([]byte, 1+r.IntN(80_000)))
		b := pointers.Get(1000)
		*b = append((*b)[:0], make([]byte, r.IntN(80_000))...)
		pointers.Put(b)
	}
	if s := p.Stats(); s.Hits < rounds*9/10 {
		t.Errorf("%d of %d requests were hits", s.Hits, s.Gets)
	}
}

// Requests that grow are served by what has grown, however many there are at once.
func TestManyThatGrow(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("what is released is poisoned in a quarantine")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for name, opts := range configurations {
		p := bytespool.NewPool(append([]bytespool.Option{bytespool.WithSizes(1<<10, 1<<20)}, opts...)...)
		if p.Stats().Limit.Bytes > 0 {
			continue // there, what is lent would take room from others
		}
		held := make([][]byte, 500)
		round := func() {
			for i := range held {
				held[i] = grow(p.Make(4<<10), 4<<10+i%12<<10)
			}
			runtime.GC()
			time.Sleep(5 * time.Millisecond) // what follows the collection finds so many in use
			for _, b := range held {
				p.Release(b)
			}
		}
		for range 4 {
			round()
		}
		before := p.Stats()
		for range 10 {
			round()
		}
		// A few, should one not wait long enough.
		s := p.Stats()
		if n := s.Misses - before.Misses; n > (s.Gets-before.Gets)/10 || s.InUseBytes != 0 {
			t.Errorf("%s: of %d requests %d found nothing idle, and %d bytes are in use", name, s.Gets-before.Gets, n, s.InUseBytes)
		}
	}
}

// Slices that are held beside requests that grow have up to eight times what was asked for, if
// others have grown to that, and beyond what was asked for or that, together no more than
// may be lent, 16 MiB or a sixteenth of the live heap, and what is lent between two looks at it.
func TestHeldBesideGrowing(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for times, chunk := range map[int][]byte{1: make([]byte, 60<<10), 8: make([]byte, 500)} {
		testHeldBesideGrowing(t, times, chunk)
	}
}

// testHeldBesideGrowing holds slices beside requests that grow by chunk. They have so many times
// what was asked for.
func testHeldBesideGrowing(t *testing.T, times int, chunk []byte) {
	from := len(chunk) / 4
	for _, opts := range [][]bytespool.Option{nil, {bytespool.WithSteps(4)}, {bytespool.WithIdleBudget(64 << 20)}} {
		for name, round := range map[string]func(p *bytespool.Pool, pointers *bytespool.PointerPool) (held int){
			"New and append": func(p *bytespool.Pool, _ *bytespool.PointerPool) int {
				p.Release(append(p.New(from)[:0], chunk...))
				return cap(p.New(64))
			},
			"Append": func(p *bytespool.Pool, _ *bytespool.PointerPool) int {
				p.Release(p.Append(p.Make(from), chunk...))
				return cap(p.Make(64))
			},
			"PointerPool": func(_ *bytespool.Pool, pointers *bytespool.PointerPool) int {
				b := pointers.Get(from)
				*b = append((*b)[:0], chunk...)
				pointers.Put(b)
				return cap(*pointers.Get(64))
			},
		} {
			p := bytespool.NewPool(append([]bytespool.Option{bytespool.WithSizes(64, 1<<20)}, opts...)...)
			pointers := bytespool.NewPointerPool(p)
			n, sum := testenv.Rounds(10_000), 0
			for range n {
				sum += round(p, pointers)
			}
			if most := times*n*64 + max(16<<20, int(p.Stats().Pressure.Live)/16) + 8<<20; sum > most {
				t.Errorf("%s: %d slices of 64 bytes have %d bytes, want at most %d", name, n, sum, most)
			}
		}
	}
}

// Slices of odd capacities count as idle, and against the budget, as if they had the capacity of the
// next class.
func TestOddSlicesCountInFull(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("what is odd has the capacity of its class there")
	}
	testenv.Quietly(t)
	for _, steps := range []int{1, 2, 4} {
		p := bytespool.NewPool(bytespool.WithSizes(64, 1<<20), bytespool.WithSteps(steps))
		sum := int64(0)
		for n := 70; n < 1<<20; n += n/3 + 1 {
			if !engine.Of(p).Release(make([]byte, n)) {
				t.Errorf("%d steps: a slice of %d bytes was not kept", steps, n)
			}
			sum += int64(engine.Of(p).CapacityOf(n))
		}
		if n := p.Stats().IdleBytes; n != sum {
			t.Errorf("%d steps: %d bytes are idle, want %d", steps, n, sum)
		}
		if n := p.Trim(); n != sum || p.Stats().IdleBytes != 0 {
			t.Errorf("%d steps: Trim freed %d bytes of %d, and %d are idle", steps, n, sum, p.Stats().IdleBytes)
		}

		const budget = 64 << 10
		p = bytespool.NewPool(bytespool.WithSizes(64, 1<<20), bytespool.WithSteps(steps), bytespool.WithIdleBudget(budget))
		for range 100 {
			p.Release(make([]byte, 1500))
		}
		s := p.Stats()
		each := int64(engine.Of(p).CapacityOf(1500))
		if s.IdleBytes > budget || s.IdleBytes < budget/2-each || s.IdleBytes%each != 0 {
			t.Errorf("%d steps: %d bytes are idle, with a budget of %d", steps, s.IdleBytes, budget)
		}
		if n := s.Dropped.OverBudget + uint64(s.IdleBytes/each); n != 100 {
			t.Errorf("%d steps: of 100 slices %d were kept or over budget", steps, n)
		}
	}
}

// New hands out what an odd slice has, and no more.
func TestOddSlicesAreWhole(t *testing.T) {
	testenv.Quietly(t)
	for name, opts := range configurations {
		p := bytespool.NewPool(append([]bytespool.Option{bytespool.WithSizes(64, 1<<20)}, opts...)...)
		for n := 1100; n < 1<<20; n += n/3 + 1 {
			b := make([]byte, n)
			p.Release(b)
			got := p.New(n / 2)
			if len(got) != n/2 || cap(got) < n/2 || &got[0] == &b[0] && cap(got) > n {
				t.Errorf("%s: a slice of %d bytes came back with %d of %d", name, n, len(got), cap(got))
			}
			for i := range got[:cap(got)] {
				got[:cap(got)][i] = 1
			}
		}
	}
}

// Once everything was released or abandoned, nothing is in use, whatever has grown, and however large.
func TestNothingIsInUse(t *testing.T) {
	for name, opts := range configurations {
		for seed := range uint64(testenv.Rounds(30)) {
			p := bytespool.NewPool(append([]bytespool.Option{bytespool.WithSizes(1<<10, 1<<16)}, opts...)...)
			rnd := rand.New(rand.NewPCG(seed, 1))
			var held [][]byte
			log := ""
			for range 200 {
				n := 1 << rnd.IntN(18)
				switch op := rnd.IntN(6); {
				case op == 0:
					held = append(held, grow(p.Make(min(n, 1<<16)), n+n/3))
				case op == 1:
					held = append(held, p.Append(p.Make(100), make([]byte, n)...))
				case op == 2:
					held = append(held, p.New(n))
				case op == 3 && len(held) > 0:
					k := rnd.IntN(len(held))
					held[k] = p.Append(held[k], make([]byte, n)...)
				case len(held) > 0:
					last := len(held) - 1
					if op == 4 {
						p.Abandon(held[last])
					} else {
						p.Release(held[last])
					}
					held = held[:last]
				}
			}
			log = fmt.Sprintf("%d bytes in use with %d slices held, ", p.Stats().InUseBytes, len(held))
			for _, b := range held {
				p.Release(b)
			}
			if s := p.Stats(); s.InUseBytes != 0 || s.Limit.InUse != 0 {
				t.Errorf("%s, seed %d: %sthen %d; by the limit %d", name, seed, log, s.InUseBytes, s.Limit.InUse)
				break
			}
		}
	}
}
