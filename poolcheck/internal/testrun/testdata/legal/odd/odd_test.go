// Package odd does what is legal with pools and looks odd.
package odd

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestValues(t *testing.T) {
	var ints, slices, maps, chans, empty, funcs, nothing sync.Pool
	for range 3 {
		ints.Put(1)
		ints.Put(1)
		slices.Put(make([]byte, 8))
		slices.Put([]string(nil))
		slices.Put([]string(nil))
		maps.Put(map[string]int{})
		chans.Put(make(chan int))
		empty.Put(new(struct{}))
		empty.Put(new(struct{}))
		funcs.Put(func() {})
		funcs.Put(func() {})
		nothing.Put((*int)(nil))
		nothing.Put((*int)(nil))
		nothing.Put(nil)
		for _, p := range []*sync.Pool{&ints, &slices, &maps, &chans, &empty, &funcs, &nothing} {
			p.Get()
		}
	}
}

// A carrier is a pool of slices with one of pointers, so that put allocates nothing.
type carrier struct{ slices, pointers sync.Pool }

func (c *carrier) get() []byte {
	p, _ := c.slices.Get().(*[]byte)
	if p == nil {
		return make([]byte, 1024)
	}
	b := *p
	c.pointers.Put(p) // which leads to b still
	return b
}

func (c *carrier) put(b []byte) {
	p, _ := c.pointers.Get().(*[]byte)
	if p == nil {
		p = new([]byte)
	}
	*p = b
	c.slices.Put(p)
}

func TestCarrier(t *testing.T) {
	var c carrier
	for i := range 1000 {
		a, b := c.get(), c.get()
		for _, s := range [][]byte{a, b} {
			for j := range s {
				s[j] = byte(i)
			}
		}
		c.put(a)
		if b[100] != byte(i) {
			t.Fatal("a slice has changed that is in use")
		}
		c.put(b)
	}
}

// What an object is put back with is there when it is taken.
func TestContentStays(t *testing.T) {
	var p sync.Pool
	for i := range 1000 {
		b, _ := p.Get().(*bytes.Buffer)
		if b == nil {
			b = bytes.NewBufferString("what was there before")
		}
		if b.String() != "what was there before" {
			t.Fatalf("round %d: %q", i, b)
		}
		p.Put(b)
	}
}

// A finalizer sees what was put, also of an object for which no more room is.
func TestFinalizer(t *testing.T) {
	var done, bad atomic.Int32
	var p sync.Pool
	for range 100 {
		b := new([1 << 20]byte)
		copy(b[:], "content")
		runtime.SetFinalizer(b, func(b *[1 << 20]byte) {
			if string(b[:7]) != "content" {
				bad.Add(1)
			}
			p.Put(fmt.Sprint(done.Add(1)))
		})
		p.Put(b)
		runtime.GC()
	}
	if bad.Load() > 0 {
		t.Error("a finalizer saw other content")
	}
}

// A decoder that keeps its caller's input until it is used again.
type decoder struct {
	in []byte
	n  int
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

func sum(in []byte) int {
	d := decoders.Get().(*decoder)
	d.in, d.n = in, 0
	for _, b := range d.in {
		d.n += int(b)
	}
	n := d.n
	decoders.Put(d)
	return n
}

func TestCallersInput(t *testing.T) {
	in := bytes.Repeat([]byte{1}, 64)
	for i := range 20 {
		in[0] = byte(i + 1)
		if got := sum(in); got != 64+i {
			t.Fatalf("sum %d", got)
		}
		if in[5] != 1 {
			t.Fatalf("input changed: %q", in)
		}
	}
	for i := range 20 {
		in := bytes.Repeat([]byte{2}, 32+i)
		sum(in)
		if in[0] != 2 {
			t.Fatalf("input changed: %q", in)
		}
	}
}

// Two objects have one slice, which is neither's.
func TestSharedInput(t *testing.T) {
	var a, b sync.Pool
	in := bytes.Repeat([]byte{1}, 64)
	for i := range 20 {
		x, _ := a.Get().(*decoder)
		y, _ := b.Get().(*decoder)
		if x == nil || y == nil {
			x, y = &decoder{in: in}, &decoder{in: in}
		}
		in[0] = byte(i + 1)
		a.Put(x)
		b.Put(y)
		if in[5] != 1 {
			t.Fatalf("input changed: %q", in)
		}
	}
}

// An object has one slice or another, which are not its own.
func TestInputs(t *testing.T) {
	var p sync.Pool
	inputs := [][]byte{bytes.Repeat([]byte{1}, 64), bytes.Repeat([]byte{1}, 32)}
	for i := range 20 {
		d, _ := p.Get().(*decoder)
		if d == nil {
			d = new(decoder)
		}
		d.in = inputs[i%3/2]
		d.in[0] = byte(i + 1)
		p.Put(d)
		if in := inputs[i%3/2]; in[5] != 1 {
			t.Fatalf("input changed: %q", in)
		}
	}
}

// Parts of one array, of which each may use its own bytes only.
func TestSlab(t *testing.T) {
	slab := make([]byte, 1024)
	var p sync.Pool
	for i := range 8 {
		part := slab[i*128 : (i+1)*128 : (i+1)*128]
		p.Put(&part)
	}
	for range 8 {
		b, _ := p.Get().(*[]byte)
		if b == nil {
			break
		}
		for i := range *b {
			(*b)[i] = 1
		}
	}
	first, second := slab[:512], slab[512:] // which end at one place
	p.Put(&first)
	p.Put(&second)
	var values sync.Pool
	values.Put(first)
	values.Put(second)
}

// New may use the pool that it is called for, and others.
func TestNewPuts(t *testing.T) {
	var p, other sync.Pool
	n := 0
	p.New = func() any {
		if n++; n < 4 {
			p.Put(p.Get())
		}
		other.Put(new(int))
		return new(int)
	}
	for range 3 {
		p.Get()
	}
}

func TestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 10 {
			go func() {
				var b strings.Builder
				fmt.Fprint(&b, time.Now())
			}()
		}
		time.Sleep(time.Hour)
		synctest.Wait()
	})
}

func TestParallel(t *testing.T) {
	var p sync.Pool
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 500 {
				b, _ := p.Get().(*[]byte)
				if b == nil {
					b = new([]byte)
				}
				*b = append((*b)[:0], byte(i))
				if j%100 == 0 {
					runtime.GC()
				}
				if (*b)[0] != byte(i) {
					t.Error("two owners")
				}
				p.Put(b)
			}
		})
	}
	wg.Wait()
}

// Of what objects keep alive, nothing stays for long: not of pools that are dropped, not of
// a pool that lives, not of arrays that were taken.
func TestMemory(t *testing.T) {
	heap := func() int64 {
		runtime.GC()
		lives.Put(new(int))
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	var taken []any
	for range 400 {
		for _, p := range []*sync.Pool{{}, &lives} {
			p.Put(&holder{pool: p, rest: []*[1 << 20]byte{new([1 << 20]byte)}})
		}
		arrays.Put(new([64 << 10]byte))
		taken = append(taken, arrays.Get())
	}
	taken = nil
	if grown := heap() - before; grown > 40<<20 {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
}

var lives, arrays sync.Pool

type holder struct {
	pool *sync.Pool
	rest []*[1 << 20]byte
}
