package engine

import (
	"math"
	"testing"

	"github.com/octet-go/octet/internal/magazine"
)

// A carrier is an object with a slice.
type carrier struct {
	b []byte
}

func carriers(p *Pool) Objects[carrier] { return ObjectsOf[carrier](p) }

// take takes a carrier that has room for size bytes, or returns nil.
func take(o Objects[carrier], size int) *carrier {
	x, _, _ := o.Take(o.Pool().Class(size), size, int64(o.Pool().CapacityOf(size)))
	return x
}

// getCarrier takes a carrier, or makes one with a slice of the pool.
func getCarrier(o Objects[carrier], size int) *carrier {
	if c := take(o, size); c != nil {
		o.Pool().Charge(cap(c.b))
		return c
	}
	c, _ := o.TakeBare()
	if c == nil {
		c = new(carrier)
	}
	c.b = o.Pool().New(size)
	return c
}

func TestObjectsKeepTheirSlices(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		quietly(t, func() {
			p := newPool(c)
			o := carriers(p)
			if o != carriers(p) || o.Pool() != p {
				t.Fatal("another Objects")
			}
			kept := map[int]*carrier{}
			for size := 2; size <= 4<<20; size *= 2 {
				if x := take(o, size); x != nil {
					t.Fatalf("an object of %d bytes came from nowhere", size)
				}
				x := getCarrier(o, size)
				if o.Put(x, cap(x.b)) != Kept {
					t.Fatalf("an object of %d bytes was not kept", size)
				}
				kept[size] = x
			}
			for size, x := range kept {
				if y := take(o, size/2+1); y != x {
					t.Errorf("another object for %d bytes", size/2+1)
				}
			}
			for _, size := range []int{0, 1, 4<<20 + 1, 1 << 30, 1 << 31 * (math.MaxInt >> 32 & 1)} {
				if o.Put(new(carrier), size) != Foreign {
					t.Errorf("an object of %d bytes fits", size)
				}
			}
		})
	})
}

func TestBareObjects(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		quietly(t, func() {
			p := newPool(c)
			o := carriers(p)
			if x, _ := o.TakeBare(); x != nil {
				t.Fatal("a bare object came from nowhere")
			}
			x := new(carrier)
			o.PutBare(x)
			if n := p.Stats().Classes; len(n) != 0 {
				t.Errorf("a bare object counts: %v", n)
			}
			if y, _ := o.TakeBare(); y != x {
				t.Error("a bare object was not kept")
			}
		})
	})
}

// Objects of several types share a pool, and are not mixed up.
func TestObjectsOfTwoTypes(t *testing.T) {
	type other struct {
		b []byte
		n int
	}
	onAllKinds(t, func(t *testing.T, c Config) {
		quietly(t, func() {
			p := newPool(c)
			o, q := carriers(p), ObjectsOf[other](p)
			x, y := &carrier{b: p.New(1000)}, &other{b: p.New(1000), n: 7}
			if o.Put(x, cap(x.b)) != Kept || q.Put(y, cap(y.b)) != Kept {
				t.Fatal("not kept")
			}
			if s := p.Stats().Classes[0]; s.Idle != 2 || s.InUse() != 0 {
				t.Errorf("%+v", s)
			}
			k := p.Class(1000)
			if got, _, _ := q.Take(k, 1000, 1024); got != y || got.n != 7 {
				t.Error("another object")
			}
			if got, _, _ := q.Take(k, 1000, 1024); got != nil {
				t.Error("an object came from nowhere")
			}
			if got, _, _ := o.Take(k, 1000, 1024); got != x {
				t.Error("another object")
			}
			o.Put(x, cap(x.b))
			q.Put(y, cap(y.b))
			if n := p.Trim(); n != 2*int64(cap(x.b)) {
				t.Errorf("Trim freed %d bytes", n)
			}
		})
	})
}

func TestObjectsInStats(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		quietly(t, func() {
			p := newPool(c)
			o := carriers(p)
			var held []*carrier
			for range 200 { // more than a stack has room for
				held = append(held, getCarrier(o, 1000))
			}
			for _, x := range held {
				o.Put(x, cap(x.b))
			}
			for range 200 {
				x := getCarrier(o, 1000)
				o.Put(x, cap(x.b))
			}
			p.Release(p.New(1000))
			want := magazine.Counts{Capacity: 1024, Gets: 401, Misses: 201, Puts: 401, Idle: 201}
			if s := p.Stats(); len(s.Classes) != 1 || s.Classes[0] != want {
				t.Errorf("%+v, want %+v", s.Classes, want)
			}
			if n := p.Trim(); n != 201*1024 {
				t.Errorf("Trim freed %d bytes", n)
			}
			want.Idle, want.Dropped.Trimmed = 0, 201
			if s := p.Stats(); s.Classes[0] != want {
				t.Errorf("after Trim %+v, want %+v", s.Classes[0], want)
			}
		})
	})
}

func TestPoolThatClearsRejectsObjects(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		for _, c.Clear = range []Clear{ClearOnGet, ClearOnRelease} {
			p := newPool(c)
			o := carriers(p)
			if o.Put(new(carrier), 64) != Foreign {
				t.Error("an object was kept")
			}
		}
	})
	var zero Pool
	if o := carriers(&zero); o.Put(new(carrier), 64) != Foreign || take(o, 64) != nil {
		t.Error("a zero Pool keeps objects")
	} else {
		o.PutBare(new(carrier))
		if x, _ := o.TakeBare(); x != nil {
			t.Error("a zero Pool keeps bare objects")
		}
	}
}
