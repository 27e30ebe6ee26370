package bytespool_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/octet-go/octet/bytespool"
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
			p := bytespool.NewCapacityPools(1<<10, 1<<20, opts...)
			if p.Stats().Limit.Bytes > 0 && sanitize.Enabled {
				continue // closed classes do not lend
			}
			const rounds = 300
			for range rounds {
				p.Release(grow(p.Make(1000), to))
			}
			s := p.Stats()
			if s.Hits < rounds*9/10 || s.IdleBytes == 0 || s.Dropped.OverBudget > 0 {
				t.Errorf("%s, to %d bytes: %d of %d requests were hits, %d bytes are idle; %+v", name, to, s.Hits, s.Gets, s.IdleBytes, s.Dropped)
			}
		}
	}
}

// Requests that grow are served by what has grown, however many there are at once: here they
// have eight times what processors lend.
func TestManyThatGrow(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("what is released is poisoned in a quarantine")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for name, opts := range configurations {
		p := bytespool.NewCapacityPools(1<<10, 1<<20, opts...)
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
// others have grown to that, and beyond what was asked for or that, together no more than a
// processor may lend: a MiB, or a sixteenth of the live heap.
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
		for name, round := range map[string]func(p *bytespool.CapacityPools, pointers *bytespool.PointerPool) (held int){
			"New and append": func(p *bytespool.CapacityPools, _ *bytespool.PointerPool) int {
				p.Release(append(p.New(from)[:0], chunk...))
				return cap(p.New(64))
			},
			"Append": func(p *bytespool.CapacityPools, _ *bytespool.PointerPool) int {
				p.Release(p.Append(p.Make(from), chunk...))
				return cap(p.Make(64))
			},
			"PointerPool": func(_ *bytespool.CapacityPools, pointers *bytespool.PointerPool) int {
				b := pointers.Get(from)
				*b = append((*b)[:0], chunk...)
				pointers.Put(b)
				return cap(*pointers.Get(64))
			},
		} {
			p := bytespool.NewCapacityPools(64, 1<<20, opts...)
			pointers := bytespool.NewPointerPool(p)
			n, sum := testenv.Rounds(10_000), 0
			for range n {
				sum += round(p, pointers)
			}
			if most := times*n*64 + max(1<<20, int(p.Stats().Pressure.Live)/16); sum > most {
				t.Errorf("%s: %d slices of 64 bytes have %d bytes, want at most %d", name, n, sum, most)
			}
		}
	}
}

// What slices of odd capacities have counts as idle, and against the budget.
func TestOddSlicesCountInFull(t *testing.T) {
	testenv.Quietly(t)
	for _, steps := range []int{1, 2, 4} {
		p := bytespool.NewCapacityPools(64, 1<<20, bytespool.WithSteps(steps))
		sum := int64(0)
		for n := 70; n < 1<<20; n += n/3 + 1 {
			if !p.Release(make([]byte, n)) {
				t.Errorf("%d steps: a slice of %d bytes was not kept", steps, n)
			}
			sum += int64(n)
		}
		if n := p.Stats().IdleBytes; n != sum {
			t.Errorf("%d steps: %d bytes are idle, want %d", steps, n, sum)
		}
		if n := p.Trim(); n > sum || p.Stats().IdleBytes != 0 {
			t.Errorf("%d steps: Trim freed %d bytes of %d, and %d are idle", steps, n, sum, p.Stats().IdleBytes)
		}

		const budget = 64 << 10
		p = bytespool.NewCapacityPools(64, 1<<20, bytespool.WithSteps(steps), bytespool.WithIdleBudget(budget))
		for range 100 {
			p.Release(make([]byte, 1500))
		}
		s := p.Stats()
		if s.IdleBytes > budget || s.IdleBytes < budget/2-1500 || s.IdleBytes%1500 != 0 {
			t.Errorf("%d steps: %d bytes are idle, with a budget of %d", steps, s.IdleBytes, budget)
		}
		if n := s.Dropped.OverBudget + uint64(s.IdleBytes)/1500; n != 100 {
			t.Errorf("%d steps: of 100 slices %d were kept or over budget", steps, n)
		}
	}
}

// New hands out what an odd slice has, and no more.
func TestOddSlicesAreWhole(t *testing.T) {
	testenv.Quietly(t)
	for name, opts := range configurations {
		p := bytespool.NewCapacityPools(64, 1<<20, opts...)
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

// Once everything was released, nothing is in use, whatever has grown, and however large.
func TestNothingIsInUse(t *testing.T) {
	for name, opts := range configurations {
		for seed := range uint64(testenv.Rounds(30)) {
			p := bytespool.NewCapacityPools(1<<10, 1<<16, opts...)
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
					p.Release(held[last])
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
