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
	"unsafe"
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

type node struct {
	self *node
	next *node
	data [32]byte
}

func TestTwoPoolsInTurn(t *testing.T) {
	var a, b sync.Pool
	n := new(node)
	n.self = n
	for range 4 {
		a.Put(n)
		if got, _ := a.Get().(*node); got != nil {
			b.Put(got)
			if got, _ = b.Get().(*node); got != nil {
				n = got
			}
		} else {
			n = new(node)
		}
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

func TestFinalizer(t *testing.T) {
	var done atomic.Int32
	var bad atomic.Int32
	var p sync.Pool
	for range 100 {
		b := new(node)
		copy(b.data[:], "content of a node")
		runtime.SetFinalizer(b, func(b *node) {
			if string(b.data[:7]) != "content" {
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

// An arena's strings outlive its Put.
type arena struct{ buf []byte }

func (a *arena) add(s string) string {
	if cap(a.buf)-len(a.buf) < len(s) {
		a.buf = make([]byte, 0, 256)
	}
	a.buf = append(a.buf, s...)
	b := a.buf[len(a.buf)-len(s):]
	return unsafe.String(&b[0], len(b))
}

func TestArena(t *testing.T) {
	var p sync.Pool
	var all []string
	for i := range 200 {
		a, _ := p.Get().(*arena)
		if a == nil {
			a = new(arena)
		}
		all = append(all, a.add(fmt.Sprintf("string %d", i)))
		p.Put(a)
	}
	for i, s := range all {
		if s != fmt.Sprintf("string %d", i) {
			t.Fatalf("string %d is %q", i, s)
		}
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
		other.Put(new(node))
		return new(node)
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

// Pools that are made and dropped with large objects do not stay.
func TestManyPools(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 400 {
		p := &sync.Pool{}
		p.Put(&holder{pool: p, rest: make([]*[1 << 20]byte, 1, 2)})
		h, _ := p.Get().(*holder)
		if h == nil {
			h = new(holder)
		}
		h.rest = []*[1 << 20]byte{new([1 << 20]byte)}
		p.Put(h)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 200<<20 {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
}

// Of large objects that are taken nothing is kept.
func TestManyArrays(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var p sync.Pool
	var all []any
	for range 600 {
		p.Put(new([64 << 10]byte))
		all = append(all, p.Get())
	}
	all = nil
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 40<<20 {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
}

type holder struct {
	pool *sync.Pool
	rest []*[1 << 20]byte
}
