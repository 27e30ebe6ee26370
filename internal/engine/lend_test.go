package engine

import (
	"slices"
	"testing"

	"github.com/octet-go/octet/bytespool/stats"
	"github.com/octet-go/octet/internal/sanitize"
)

// growTo takes a slice of p and makes it longer, by the built-in append if the program
// does, or as package bytespool does.
func growTo(p *Pool, from, to int, builtin bool) []byte {
	b := p.New(from)[:0]
	if to <= cap(b) {
		return b[:to]
	}
	if builtin {
		return append(b, make([]byte, to)...)
	}
	c := p.New(to)
	p.Outgrown(b, cap(c))
	return c
}

// noneLive has a test see no live heap, a part of which might be lent.
func noneLive(t *testing.T) {
	old := lastPressure.Load()
	t.Cleanup(func() { lastPressure.Store(old) })
	lastPressure.Store(new(stats.Pressure))
}

// A request gets the smallest idle slice that is large enough: its own class's first, up to eight
// times its size always, and more unless much is in use.
func TestSmallestIdle(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("what is released is poisoned in a quarantine")
	}
	const most = 32 << 10 // for 4 KiB
	for _, k := range []struct {
		what   string
		size   int
		idle   []int // capacities
		want   int   // which of them, -1 for none
		narrow int   // the same where much is in use
	}{
		{"as much as always", 4 << 10, []int{most}, 0, 0},
		{"more", 4<<10 - 1, []int{most}, 0, -1},
		{"more than the size, though not than the class", 2<<10 + 1, []int{most}, 0, -1},
		{"twice as much", 4 << 10, []int{8 << 10}, 0, 0},
		{"what append has made", 4 << 10, []int{31 << 10}, 0, 0},
		{"what append has made of the same class", 4 << 10, []int{4<<10 + 1}, 0, 0},
		{"much more", 64, []int{1 << 20}, 0, -1},
		{"less", 4 << 10, []int{2 << 10, 4<<10 - 1}, -1, -1},
		{"the smallest", 4 << 10, []int{64 << 10, most, 8 << 10, 16 << 10}, 2, 2},
		{"the smallest is odd", 4 << 10, []int{most, 5000, 8 << 10}, 1, 1},
		{"its own class", 4 << 10, []int{8 << 10, 4 << 10, 5000}, 1, 1},
		{"another than too much", 4 << 10, []int{64 << 10, 16 << 10}, 1, 1},
	} {
		onAllKinds(t, func(t *testing.T, c Config) {
			if c.MinSize, c.MaxSize = 64, 1<<20; c.Steps > 1 && slices.ContainsFunc(k.idle, func(n int) bool { return n&(n-1) > 0 }) {
				return // other classes are near them
			}
			for _, narrow := range []bool{false, true} {
				quietly(t, func() {
					p := newPool(c)
					for _, n := range k.idle {
						p.Release(make([]byte, n))
					}
					p.lending.narrow.Store(narrow)
					want, at := p.CapacityOf(k.size), k.want
					if narrow {
						at = k.narrow
					}
					if at >= 0 {
						want = k.idle[at]
					}
					b := p.New(k.size)
					if len(b) != k.size || cap(b) != want {
						t.Errorf("%s, much is in use: %v: New(%d) beside %v has capacity %d", k.what, narrow, k.size, k.idle, cap(b))
					}
				})
			}
		})
	}
}

// Objects are lent in the same way.
func TestIdleObjectsAreLent(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("closed classes do not lend")
	}
	onAllKinds(t, func(t *testing.T, c Config) {
		c.MinSize, c.MaxSize = 64, 1<<20
		p := newPool(c)
		quietly(t, func() {
			o := carriers(p)
			for _, n := range []int{32 << 10, 40_000} { // the second is odd
				x := &carrier{b: make([]byte, n)}
				if o.Put(x, n) != Kept {
					t.Fatal("an object was not kept")
				}
				p.lending.narrow.Store(true)
				if y, _, _ := o.Take(p.Class(4<<10), 4<<10-1, 4<<10); y != nil {
					t.Errorf("a request for less than an eighth got %d bytes", cap(y.b))
				}
				if y, capacity, _ := o.Take(p.Class(4<<10), 4<<10, 4<<10); y != x || int(capacity) > n {
					t.Errorf("a request for an eighth got %v, with a capacity of %d", y, capacity)
				}
			}
		})
	})
}

// A program whose slices grow is served by those that have grown, and allocates nothing.
func TestGrownSlicesServe(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("what is released is poisoned in a quarantine")
	}
	onAllKinds(t, func(t *testing.T, c Config) {
		c.MinSize, c.MaxSize = 2, 4<<20
		for _, sizes := range [][]int{
			{1 << 10, 5 << 10}, {1 << 10, 8 << 10}, {4 << 10, 256 << 10}, {64, 100, 2500, 50_000, 300, 12_000, 20_000, 5000},
		} {
			for _, builtin := range []bool{false, true} {
				for _, inFlight := range []int{1, 12} {
					quietly(t, func() {
						p := newPool(c)
						var held [12][]byte
						round := func() {
							for i := range sizes[1:] {
								for k := range inFlight {
									held[k] = growTo(p, sizes[0], sizes[1+(i+k)%(len(sizes)-1)], builtin)
								}
								for k := range inFlight {
									p.Release(held[k])
								}
							}
						}
						for range 20 {
							round()
						}
						before := misses(p.Stats())
						for range 10 {
							round()
						}
						if n := misses(p.Stats()) - before; n > 0 {
							t.Errorf("%v, append %v, %d in flight: %d misses", sizes, builtin, inFlight, n)
						}
					})
				}
			}
		}
	})
}

// Slices that are held have no more than was asked for, what may be lent in all, and what is lent
// between two looks: whatever was released before, or grows beside them.
func TestHeldSlices(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("what is released is poisoned in a quarantine")
	}
	noneLive(t)
	const size = 1 << 10
	foreign := func(n int) func(p *Pool) {
		return func(p *Pool) {
			for b := make([]byte, n); p.inUse() > -1500; {
				p.Release(b)
			}
		}
	}
	for name, k := range map[string]struct {
		from, to int // slices grow so, and those of that size are held
		before   func(*Pool)
	}{
		"growing to 64 KiB":        {1000, 60 << 10, func(*Pool) {}},
		"growing to 1 MiB":         {1000, 1 << 20, func(*Pool) {}},
		"growing to an odd size":   {1000, 65_000, func(*Pool) {}},
		"foreign ones":             {1000, 60 << 10, foreign(64 << 10)},
		"foreign ones, too large":  {1000, 60 << 10, foreign(8 << 20)},
		"foreign ones, too small":  {1000, 60 << 10, foreign(32)},
		"a burst":                  {64 << 10, 64 << 10, func(p *Pool) { keep(p, 1000, 64<<10) }},
		"smaller ones are idle":    {256, 60 << 10, func(p *Pool) { keep(p, 1000, 256) }},
		"growing, and all is back": {1000, 60 << 10, func(p *Pool) { keep(p, 10, 60<<10); p.Look(); p.Look() }},
	} {
		onAllKinds(t, func(t *testing.T, c Config) {
			c.MinSize, c.MaxSize = 64, 4<<20
			many := min(1500, 96<<20/k.to) // if all were as large as that, they would hold too much
			if testing.Short() {
				many /= 3
			}
			for _, builtin := range []bool{false, true} {
				if testing.Short() && builtin == c.Portable {
					continue
				}
				quietly(t, func() {
					p := newPool(c)
					k.before(p)
					asked, sum, lent := 0, 0, 0
					for range many {
						p.Release(growTo(p, k.from, k.to, builtin))
						n := cap(p.New(size))
						asked += p.CapacityOf(size)
						if sum += n; n > LendFreely*size {
							lent++
						}
					}
					if most := asked + lendBytes + 8<<20; sum > most || lent == 0 && k.from < k.to {
						t.Errorf("%s, append %v: %d slices of %d bytes hold %d bytes, %d of them lent, want at most %d", name, builtin, many, size, sum, lent, most)
					}
				})
			}
		})
	}
}

// inUse returns how many slices are in use, as look counts them.
func (p *Pool) inUse() int64 {
	return p.census().inUse
}

// Where much is in use no more is lent than always, until a collection or so many requests find that
// less is in use.
func TestNarrow(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("what is released is poisoned in a quarantine")
	}
	noneLive(t)
	onBothEngines(t, func(t *testing.T, c Config) {
		for _, collects := range []bool{false, true} {
			quietly(t, func() {
				p := newPool(c)
				keep(p, 1, 1<<20)
				p.filed(1 << 20).lends()
				p.filed(8 << 10).lends()
				p.Release(p.New(64)) // a loan of 1 MiB: that is the mean
				held := make([][]byte, 100)
				for i := range held {
					held[i] = p.New(8 << 10)
				}
				if p.Look(); !p.lending.narrow.Load() {
					t.Fatal("a hundred slices are in use, and 1 MiB is lent to each request")
				}
				if b := p.New(64); cap(b) == 1<<20 {
					t.Error("1 MiB is lent")
				}
				for _, b := range held[2:] {
					p.Release(b)
				}
				if collects {
					p.Look()
				} else {
					p.lending.refused.Store(lookEach - 2)
					p.New(1)
				}
				if p.lending.narrow.Load() == collects {
					t.Errorf("less is in use, and a collection has looked: %v: lending is narrow: %v", collects, !collects)
				}
				if b := p.New(1); cap(b) == p.CapacityOf(1) {
					t.Errorf("%d requests were refused, and another got %d bytes", lookEach-1, cap(b))
				}
			})
		}
	})
}

// Slices that are lost, or held for good, are forgotten while as many times more come back.
func TestLeast(t *testing.T) {
	var l least
	back := uint64(0)
	for i, c := range []struct {
		inUse, more int64
		back        uint64
	}{
		{10, 10, 0},
		{20, 20, 70}, // too few came back
		{20, 20, 30}, // the end of a span, which began with none
		{25, 5, 150}, // another end, and 20 were in use all the time
		{22, 2, 5},
		{20, 0, 400},
		{15, 0, 1},
		{40, 25, 1},
		{-100, 0, 1},
		{-40, 60, 1000}, // an end
		{-20, 80, 100},
		{-20, 20, 1000}, // the second end since
	} {
		back += c.back
		if more := l.beyond(c.inUse, back); more != c.more {
			t.Errorf("look %d: %d more are in use, want %d", i, more, c.more)
		}
	}
}

// In a pool with a limit a loan counts in full, and takes no more than a part of the limit. One that
// does not fit goes back.
func TestLoansBelowALimit(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("closed classes do not lend")
	}
	onAllKinds(t, func(t *testing.T, c Config) {
		c.MinSize, c.MaxSize, c.Limit = 64, 64<<10, lendShare*64<<10
		for _, n := range []int{8 << 10, 9000} {
			quietly(t, func() {
				p := newPool(c)
				take := map[string]func(size int) []byte{
					"New":    p.New,
					"TryNew": func(size int) []byte { b, _ := p.TryNew(size); return b },
				}
				for name, take := range take {
					p.Release(make([]byte, n))
					others := p.New(60 << 10) // with 64 KiB
					b := take(1000)
					if cap(b) != 1024 {
						t.Errorf("%s beside what may be lent has %d bytes", name, cap(b))
					}
					p.Release(others)
					p.Release(b)
					p.Trim()
					p.Release(make([]byte, n))
					if b = take(-1); len(b) != 0 || cap(b) != n || inUse(p) != int64(n) {
						t.Errorf("%s has length %d and %d bytes, want %d; %d are in use", name, len(b), cap(b), n, inUse(p))
					}
					p.Release(b)
					p.Trim()
					if s := p.LimitStats(); s.InUse != 0 || s.Peak > c.Limit {
						t.Errorf("%+v", s)
					}
				}
			})
		}
	})
}
