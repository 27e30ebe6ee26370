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
