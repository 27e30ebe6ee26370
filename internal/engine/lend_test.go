package engine

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

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
	if !p.Outgrown(b, cap(c)) {
		p.Release(b)
	}
	return c
}

// A step of age ends the lending, and the next release begins it again, however many there were.
func TestLendingBeginsAgain(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		p := newPool(c)
		quietly(t, func() {
			for _, lends := range []bool{true, false, true} {
				if lends {
					for range 500 {
						p.Release(make([]byte, 8<<10))
					}
				} else {
					ageNow(p)
				}
				if got := p.lending.grown.Load() == uint32(p.filed(8<<10).index); got != lends {
					t.Errorf("the class lends: %v", got)
				}
			}
		})
	})
}

// Where there are no more slices than may be lent, all may be, whoever takes them; else a
// processor's share is granted.
func TestGrants(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("all classes are closed, and closed classes do not lend")
	}
	onBothEngines(t, func(t *testing.T, c Config) {
		quietly(t, func() {
			defer lastPressure.Store(lastPressure.Load())
			lastPressure.Store(&stats.Pressure{}) // nothing is live, of which a share may be lent
			for size, share := range map[int]int64{
				lendBytes / 32: 32,
				lendBytes / 4:  4,
				lendBytes * 2:  1,
			} {
				for _, crowded := range []bool{false, true} {
					const procs = 3
					runtime.GOMAXPROCS(procs)
					p := newPool(c)
					if crowded {
						keep(p, int(procs*share), 64)
					}
					p.grewTo(size)
					b := p.New(4 << 10)
					g := p.class(&p.row, p.grid.ClassOf(size))
					_, credits := g.Claims(true)
					want := share - 1
					if c.Portable || !crowded {
						want = 0
					}
					if free := p.lending.free.lends(uint32(g.index)); cap(b) != int(g.Capacity) || credits != want || free != (!crowded && procs*share > 1) {
						t.Errorf("slices grow to %d, crowded: %v: a request got %d, %d loans more are granted, want %d, and all are free: %v", size, crowded, cap(b), credits, want, free)
					}
					runtime.GOMAXPROCS(1)
				}
			}
		})
	})
}

// The lending ends with a collection, and with Reconfigure.
func TestFreeEnds(t *testing.T) {
	for name, end := range map[string]func(*Pool){
		"a collection": func(p *Pool) { ageNow(p) },
		"Reconfigure":  func(p *Pool) { p.Reconfigure(2, 1<<20) },
	} {
		const k = 7
		p := newPool(Config{})
		p.lending.free.count()
		if !p.lending.free.set(k, 1) {
			t.Error("a class does not lend freely, and one slice may be made")
		}
		if end(p); p.lending.free.lends(k) {
			t.Errorf("a class lends freely after %s", name)
		}
	}
}

// A program whose slices grow is served by those that have grown, and allocates nothing.
func TestGrownSlicesServe(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("all classes are closed, and closed classes do not lend")
	}
	onAllKinds(t, func(t *testing.T, c Config) {
		c.MinSize, c.MaxSize = 2, 4<<20
		for _, sizes := range [][]int{
			{1 << 10, 5 << 10}, {1 << 10, 8 << 10}, {4 << 10, 1 << 20}, {2 << 20, 5_000_000},
			{64, 100, 2500, 50_000, 300, 12_000, 20_000, 5000},
		} {
			for _, builtin := range []bool{false, true} {
				for _, inFlight := range []int{1, 12} {
					if inFlight > 1 && inFlight*slices.Max(sizes) > lendBytes {
						continue // that is more than a record lends
					}
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
					quietly(t, func() {
						for range 20 {
							round()
						}
						before := misses(p.Stats())
						for range 10 {
							round()
						}
						s := p.Stats()
						if n := misses(s) - before; n > 0 || s.OutCount > 1 {
							t.Errorf("%v, append %v, %d in flight: %d misses, %d outside", sizes, builtin, inFlight, n, s.OutCount)
						}
						largest := s.Classes[len(s.Classes)-1]
						if want := uint64(10 * inFlight); largest.Gets < want || largest.InUse() > 0 {
							t.Errorf("%v, append %v, %d in flight: the largest class has %+v", sizes, builtin, inFlight, largest)
						}
					})
				}
			}
		}
	})
}

// What has grown serves soon, also where the class into which slices grow serves as many requests as
// releases beside that; and again after a collection, when those requests come first.
func TestGrownSlicesServeSoon(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("all classes are closed, and closed classes do not lend")
	}
	onBothEngines(t, func(t *testing.T, c Config) {
		c.Retain = time.Hour
		for _, size := range []int{1 << 10, 2 << 10, 8 << 10, 64 << 10, 256 << 10} {
			quietly(t, func() {
				p := newPool(c)
				usual := func() {
					x, y := p.New(size), p.New(size)
					p.Release(x)
					p.Release(y)
				}
				for round := range 5 {
					usual()
					n := 0
					for {
						b := p.New(size / 16)
						if cap(b) >= size {
							p.Release(b)
							break
						}
						p.Release(make([]byte, size)) // it has grown
						usual()
						n++
					}
					if n > 500 {
						t.Errorf("round %d: %d slices have grown to %d bytes before one served a request", round, n, size)
					}
					for range 77 {
						p.Release(p.New(size / 16))
						usual()
					}
					ageNow(p)
				}
			})
		}
	})
}

// A class stops lending when nothing has grown to it for a while.
func TestLendingEnds(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("all classes are closed, and closed classes do not lend")
	}
	onBothEngines(t, func(t *testing.T, c Config) {
		quietly(t, func() {
			p := newPool(c)
			for range 10 {
				p.Release(growTo(p, 1<<10, 8<<10, true))
			}
			if b := p.New(1 << 10); cap(b) != 8<<10 {
				t.Errorf("New returned %d bytes where slices grow", cap(b))
			} else {
				p.Release(b)
			}
			ageNow(p)
			if b := p.New(1 << 10); cap(b) != 1<<10 {
				t.Errorf("New returned %d bytes where none grow", cap(b))
			}
		})
	})
}

// Above its largest class a pool keeps what it has lent, and nothing else.
func TestLoansAboveTheLargestClass(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		c.MinSize, c.MaxSize = 2, 1<<16
		quietly(t, func() {
			p := newPool(c)
			if p.Release(growTo(p, 40<<10, 100_000, true)) {
				t.Error("a slice above the largest class was kept")
			}
			b := p.New(40 << 10)
			if cap(b) < 100_000 || cap(b) > 1<<17 {
				t.Fatalf("where slices grow to 100,000 bytes New returned %d", cap(b))
			}
			if other := make([]byte, 100, cap(b)-1); p.Release(other) {
				t.Error("a slice above the largest class was kept")
			}
			if !p.Release(b) {
				t.Error("a slice that was lent was not kept")
			}
			if p.Release(make([]byte, cap(b))) {
				t.Error("a slice that was not lent was kept")
			}
			p.Reconfigure(2, 1<<15)
			if n := idle(p); n != 0 {
				t.Errorf("%d bytes are idle in a pool with smaller classes", n)
			}
		})
	})
}

// lentCarrier takes a carrier with room for size bytes from the class that lends, or makes
// one with a slice of that class.
func lentCarrier(o Objects[carrier], size int) *carrier {
	k := o.Pool().Class(size)
	if x, _ := o.TryTakeLent(k, size); x != nil {
		return x
	}
	x, capacity, _ := o.TakeSlow(k, size)
	if x == nil {
		x = &carrier{b: o.Pool().NewLent(size, int(capacity), false)}
	}
	return x
}

// A slice above the largest class that was lent with an object is taken back once, with the
// object or without.
func TestLentObjectsAboveTheLargestClass(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("calls need larger frames, so that one may find another stripe than the last")
	}
	onAllKinds(t, func(t *testing.T, c Config) {
		c.MinSize, c.MaxSize = 2, 1<<16
		for _, apart := range []bool{false, true} {
			quietly(t, func() {
				p := newPool(c)
				o := carriers(p)
				p.Release(make([]byte, 100_000))
				capacity := 0
				for i := range 10 {
					x := lentCarrier(o, 40<<10)
					if capacity = cap(x.b); capacity < 100_000 {
						t.Fatalf("where slices grow to 100,000 bytes an object got %d", capacity)
					}
					if apart && i == 9 {
						if !p.Release(x.b) {
							t.Error("a slice that was lent with an object was not kept without it")
						}
					} else if o.Put(x, cap(x.b)) != Kept {
						t.Error("an object that was lent was not kept")
					}
				}
				if p.Release(make([]byte, capacity)) || o.Put(new(carrier), capacity) != Foreign {
					t.Error("a slice that was not lent was kept")
				}
				for _, class := range p.Stats().Classes {
					if n := class.InUse(); n != 0 {
						t.Errorf("%d of %d bytes are in use", n, class.Capacity)
					}
				}
			})
		}
	})
}

// A slice that was lent may be written to its end, and nobody else has it.
func TestLentSlicesAreWhole(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		c.MinSize, c.MaxSize = 2, 1<<16
		p := newPool(c)
		done := make(chan string)
		for g := range 4 {
			go func() {
				var held [8][]byte
				for i := range 2000 {
					k := i % len(held)
					if b := held[k]; b != nil {
						if b[0] != byte(g) || b[len(b)-1] != byte(i) {
							done <- fmt.Sprintf("somebody else wrote to a slice of %d bytes", len(b))
							return
						}
						p.Release(b)
					}
					b := growTo(p, 1+i*7%3000, 1+i*997%60_000, i%3 > 0)
					b = b[:cap(b)]
					b[0], b[len(b)-1] = byte(g), byte(i+len(held))
					held[k] = b
				}
				done <- ""
			}()
		}
		deadline := time.After(time.Minute)
		for range 4 {
			select {
			case s := <-done:
				if s != "" {
					t.Error(s)
				}
			case <-deadline:
				t.Fatal("it takes too long")
			}
		}
	})
}

// Slices that were taken on other processors have not grown.
func TestReleaseElsewhereTeachesNothing(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		p := newPool(c)
		const size, n = 4096, 64
		lends := func() int { return int(p.lending.grown.Load()) }
		quietly(t, func() { // a collection would end the lending
			runtime.GOMAXPROCS(4)
			taken := make([][]byte, n)
			var wg sync.WaitGroup
			for i := range taken {
				wg.Go(func() { taken[i] = p.New(size) })
			}
			wg.Wait()
			for _, b := range taken {
				p.releaseSlow(b[:0])
			}
			if k := lends(); k != 0 {
				t.Errorf("class %d lends, nothing has grown", k)
			}
			// A record counts a surplus, and looks at the others now and then: of each 512
			// releases there, on whichever processor.
			for i := 0; i < 4*1024 && lends() == 0; i++ {
				p.releaseSlow(make([]byte, 0, p.CapacityOf(size)))
			}
			if k := lends(); k != p.size.Load().classOf(size) {
				t.Errorf("class %d lends, want that of %d bytes", k, size)
			}
		})
	})
}

// Where slices grow, a request gets an idle one of up to eight times its size, the largest
// there is, whatever else is in use.
func TestIdleSlicesAreLent(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("what is released is poisoned in a quarantine")
	}
	const most = 32 << 10 // for 4 KiB
	for _, k := range []struct {
		what string
		size int
		idle []int // capacities
		want int   // which of them, -1 for none
	}{
		{"as much as may be", 4 << 10, []int{most}, 0},
		{"too much", 4<<10 - 1, []int{most}, -1},
		{"the class would allow more", 2<<10 + 1, []int{most}, -1},
		{"twice as much", 4 << 10, []int{8 << 10}, 0},
		{"what has grown by append", 4 << 10, []int{31 << 10}, 0},
		{"of which too much may have grown", 4 << 10, []int{40 << 10}, -1},
		{"less is no help", 4 << 10, []int{2 << 10}, -1},
		{"the largest", 4 << 10, []int{8 << 10, most, 16 << 10, 64 << 10}, 1},
		{"its own class first", 4 << 10, []int{8 << 10, 4 << 10}, 1},
	} {
		onAllKinds(t, func(t *testing.T, c Config) {
			if c.MinSize, c.MaxSize = 64, 1<<20; c.Steps > 1 && k.want >= 0 && k.idle[k.want] == 31<<10 {
				return // other classes are near it
			}
			for _, grows := range []bool{true, false} {
				p := newPool(c)
				quietly(t, func() {
					var idle [][]byte
					for _, n := range k.idle {
						idle = append(idle, make([]byte, n))
						p.Release(idle[len(idle)-1])
					}
					p.lending.grown.Store(0)
					if grows {
						p.lending.grown.Store(1) // and no class lends to these requests
					}
					b, want := p.New(k.size), p.CapacityOf(k.size)
					if k.want >= 0 && (grows || k.idle[k.want] == want) {
						want = k.idle[k.want]
					}
					if len(b) != k.size || cap(b) != want {
						t.Errorf("%s, slices grow: %v: New(%d) beside %v has capacity %d", k.what, grows, k.size, k.idle, cap(b))
					}
					p.Release(b)
				})
			}
		})
	}
}

// What grows by append is lent a slice that has room for it, and not what it has grown to: that
// is found on the stack. But where no credit is granted, an idle one is as good.
func TestLentInFull(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("what is released is poisoned in a quarantine")
	}
	onBothEngines(t, func(t *testing.T, c Config) {
		c.MinSize, c.MaxSize = 64, 1<<20
		for _, crowded := range []bool{false, true} {
			p := newPool(c)
			quietly(t, func() {
				const grown, room = 5000, 8 << 10
				p.Release(make([]byte, grown))
				if crowded {
					p.lending.pause.Store(10)
				}
				credits := func() (n int64) {
					_, n = p.class(&p.row, p.grid.ClassOf(room)).Claims(true)
					return n
				}
				after := int64(0) // the first request
				for i := range 3 {
					want := room
					if crowded {
						want = grown
					}
					b := p.New(1 << 10)
					if cap(b) != want {
						t.Errorf("credits are refused: %v: a request got %d, want %d", crowded, cap(b), want)
					}
					p.Release(b)
					if n := credits(); i == 0 {
						after = n
					} else if n != after && !c.Portable {
						t.Errorf("what was idle took credits: %d are left of %d", n, after)
					}
				}
				if n := p.lending.pause.Load(); crowded && n != 10 {
					t.Errorf("%d requests asked for a credit", 10-n)
				}
				ageNow(p)
				if n := p.lending.pause.Load(); n != 0 {
					t.Errorf("after a collection, %d requests ask for no credit", n)
				}
			})
		}
	})
}

// Where the class into which slices grow may lend nothing more, another one does.
func TestLentInstead(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("what is released is poisoned in a quarantine")
	}
	onBothEngines(t, func(t *testing.T, c Config) {
		c.MinSize, c.MaxSize = 64, 1<<20
		p := newPool(c)
		quietly(t, func() { // on one processor
			defer lastPressure.Store(lastPressure.Load())
			lastPressure.Store(&stats.Pressure{})
			held := [2][]byte{p.New(1 << 20), p.New(1 << 20)}
			p.Release(make([]byte, 16<<10))
			p.grewTo(1 << 20)
			if b := p.New(4 << 10); cap(b) != 16<<10 {
				t.Errorf("beside what could not be lent, a request got %d, want the 16,384 that are idle", cap(b))
			}
			runtime.KeepAlive(held)
		})
	})
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
			x := &carrier{b: make([]byte, 32<<10)}
			if o.Put(x, 32<<10) != Kept {
				t.Fatal("an object was not kept")
			}
			p.lending.grown.Store(1)
			if y, _, _ := o.TakeSlow(p.Class(4<<10), 4<<10-1); y != nil {
				t.Errorf("a request for less than an eighth got %d bytes", cap(y.b))
			}
			if y, _ := o.Take(p.Class(4 << 10)); y != nil {
				t.Errorf("a request that takes no loan got %d bytes", cap(y.b))
			}
			if y, capacity, _ := o.TakeSlow(p.Class(4<<10), 4<<10); y != x || capacity != 32<<10 {
				t.Errorf("a request for an eighth got %v, with a capacity of %d", y, capacity)
			}
		})
	})
}

// Where slices grow, a pool with a limit lends to a request below 0 what it lends to one for 0:
// an empty slice.
func TestNegativeSizeIsLent(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("closed classes do not lend")
	}
	onAllKinds(t, func(t *testing.T, c Config) {
		c.Limit = 1 << 20
		quietly(t, func() {
			p := newPool(c)
			for range 3 { // the second request gets a new slice, and the third one that is idle
				p.grewTo(64)
				b, err := p.TryNew(-1)
				if err != nil || len(b) != 0 || cap(b) < 64 {
					t.Fatalf("TryNew(-1) has length %d and capacity %d, %v", len(b), cap(b), err)
				}
				p.Release(b)
			}
			if n := inUse(p); n != 0 {
				t.Errorf("%d bytes are in use", n)
			}
		})
	})
}
