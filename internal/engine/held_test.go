package engine

import (
	"testing"
	"time"

	"github.com/octet-go/octet/internal/sanitize"
	"github.com/octet-go/octet/internal/testenv"
)

// Slices that are held do not keep much more memory than was asked for, whatever was
// released before, and however often.
func TestHeldSlicesAreSmall(t *testing.T) {
	const burst, n, size = 64 << 20, 1000, 1 << 10
	if sanitize.Enabled {
		t.Skip("the rule is the same in other builds, which need a tenth of the time")
	}
	onAllKinds(t, func(t *testing.T, c Config) {
		c.MinSize, c.MaxSize = 2, 4<<20
		for name, from := range map[string]int{"of 64 KiB": 64 << 10, "of 1 MiB": 1 << 20, "grown to 64 KiB": 1 << 10, "grown to 65,000 bytes": 1 << 10, "grown to 5 MB": 2 << 20} {
			to := max(from, 64<<10)
			switch name {
			case "grown to 65,000 bytes":
				to = 65_000
			case "grown to 5 MB":
				to = 5_000_000
			}
			quietly(t, func() {
				p := newPool(c)
				held := make([][]byte, burst/to)
				for range testenv.Rounds(8) {
					for i := range held {
						held[i] = growTo(p, from, to, true)
					}
					for _, b := range held {
						p.Release(b)
					}
				}
				sum := 0
				for range n {
					sum += cap(p.New(size))
				}
				if sum > n*size+lendBytes {
					t.Errorf("after a burst %s, %d bytes are held where %d were asked for", name, sum, n*size)
				}
			})
		}
	})
}

// Slices that are held pin no more than what processors may lend, whatever grows beside them.
func TestHeldBesideGrowing(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("closed classes do not lend")
	}
	onAllKinds(t, func(t *testing.T, c Config) {
		const rounds, size, grown = 3000, 64, 60 << 10
		for _, builtin := range []bool{false, true} {
			p := newPool(c)
			o := carriers(p)
			sum, lent := 0, 0
			quietly(t, func() {
				for range rounds {
					p.Release(growTo(p, 1<<10, grown, builtin))
					n := cap(p.New(size)) + cap(lentCarrier(o, size).b)
					sum += n
					if n > 4*size {
						lent++
					}
				}
			})
			if most := 2*rounds*size + lendBytes; sum > most || lent == 0 {
				t.Errorf("append %v: %d slices and objects of %d bytes hold %d bytes, %d of them lent, want at most %d", builtin, 2*rounds, size, sum, lent, most)
			}
		}
	})
}

// That is so whatever has been released before that is not the pool's, and however long slices
// have grown.
func TestHeldBesideWhatHidesThem(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("closed classes do not lend")
	}
	const many = 1000
	foreign := func(p *Pool) {
		for b := make([]byte, 64<<10); p.inUseOf(len(b)) > -many; {
			p.Release(b)
		}
	}
	kept := func(p *Pool, size int) (kept [][]byte) {
		for range many {
			kept = append(kept, p.New(size))
		}
		for now := time.Since(started); now < 5*heldAfter; now += heldAfter {
			ageAt(p, now)
		}
		return kept
	}
	for name, k := range map[string]struct {
		from, to, size int // slices grow so, and those of that size are held
		before         func(*Pool)
	}{
		"foreign ones of the lending class":     {1000, 60 << 10, 1000, foreign},
		"foreign ones, when the class was free": {1000, 60 << 10, 1000, func(p *Pool) { lendSome(p, 1000, 60<<10); foreign(p) }},
		"foreign ones above the largest": {1000, 60 << 10, 1000, func(p *Pool) {
			for b := make([]byte, 8<<20); p.grownBeyond() < many; {
				p.Release(b)
			}
		}},
		"growing for minutes": {1000, 60 << 10, 1000, func(p *Pool) {
			for now := time.Since(started); p.inUseOf(1000) < 4*many; now += heldAfter {
				for range many {
					p.Release(growTo(p, 1000, 60<<10, true))
					p.lending.end() // or loans would serve the requests
				}
				ageAt(p, now)
			}
		}},
		"what was kept for minutes": {1000, 60 << 10, 1000, func(p *Pool) {
			kept := kept(p, 64<<10)
			lendSome(p, 1000, 60<<10)
			for _, b := range kept {
				p.Release(b)
			}
		}},
		"smaller ones that were kept for minutes": {256, 8000, 64, func(p *Pool) {
			p.Release(make([]byte, 8<<10)) // the class has looked at what is in use
			p.lending.end()
			kept := kept(p, 256)
			lendSome(p, 64, 8000)
			for _, b := range kept {
				p.Release(b)
			}
		}},
		"smaller ones that are idle": {256, 8000, 64, func(p *Pool) { keep(p, many, 256) }},
		"ones too small for a loan":  {32, 60 << 10, 1000, func(*Pool) {}},
	} {
		onAllKinds(t, func(t *testing.T, c Config) {
			c.MinSize, c.MaxSize = 2, 4<<20
			quietly(t, func() {
				p := newPool(c)
				k.before(p)
				asked, sum := 0, 0
				for range many {
					p.Release(growTo(p, k.from, k.to, true))
					asked += p.CapacityOf(k.size)
					sum += cap(p.New(k.size))
				}
				most := asked + 2*lendBytes // as much again, where the fewest in use are fewer now
				if sum > most {
					t.Errorf("after %s, %d slices of %d bytes hold %d bytes, want at most %d", name, many, k.size, sum, most)
				}
			})
		})
	}
}

// lendSome has slices grow, and be lent.
func lendSome(p *Pool, size, grown int) {
	for range 10 {
		p.Release(growTo(p, size, grown, true))
		p.Release(p.New(size))
	}
}

// inUseOf is inUse for the class of size.
func (p *Pool) inUseOf(size int) int64 {
	n, _ := p.inUse(p.grid.ClassOf(size))
	return n
}
