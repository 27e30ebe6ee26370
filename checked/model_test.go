package checked_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	"github.com/octet-go/octet/checked"
	compatbuffer "github.com/octet-go/octet/compat/bytespool/buffer"
	intern "github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/sanitize"
	"github.com/octet-go/octet/internal/testenv"
)

// modes are all, with what else makes them differ.
var modes = []checked.Options{
	{Mode: checked.Sample, OneIn: 1},
	{Mode: checked.Sample, OneIn: 1, Foreign: true},
	{Mode: checked.Sample, OneIn: 20},
	{Mode: checked.Sample, OneIn: 1, GuardSampled: true},
	{Mode: checked.Full},
	{Mode: checked.Full, Foreign: true},
	{Mode: checked.Guard},
	{Mode: checked.Guard, Foreign: true},
	{Mode: checked.Guard, MaxGuarded: 5},
}

// TestBuffersAsModel runs random programs that use slices and Buffers, and compares the
// content with a model, in each mode. Nothing may be reported or lost, and the statistics
// must be exact. TestSoak is the same while the mode changes.
func TestBuffersAsModel(t *testing.T) {
	defer checked.Handle(func(r *checked.Report) { t.Errorf("%v", r) })()
	steps := testenv.Rounds(3000)
	if sanitize.Enabled {
		steps = testenv.Rounds(500) // the sanitizer makes each step slow
	}
	for _, o := range modes {
		t.Run(fmt.Sprintf("%v foreign=%v faults=%v live=%d", o.Mode, o.Foreign, o.GuardSampled, o.MaxGuarded), func(t *testing.T) {
			stop, err := checked.Start(o)
			if err != nil {
				t.Fatal(err)
			}
			defer stop()
			pool := bytespool.NewPool(bytespool.WithSizes(16, 1<<14))
			runPrograms(t, pool, 4, !o.Foreign, func(step int) bool { return step < steps })
			for range 3 { // what was lost would be reported
				runtime.GC()
				time.Sleep(2 * time.Millisecond)
			}
		})
	}
}

// earlier returns b with the methods of compat.
func earlier(b *buffer.Buffer) *compatbuffer.Buffer { return (*compatbuffer.Buffer)(b) }

// runPrograms runs n random programs that use a pool, each for as long as more says.
func runPrograms(t *testing.T, pools *bytespool.Pool, n int, mayForeign bool, more func(step int) bool) {
	scope := intern.NewScope(engine.Of(pools).ID())
	defer scope.End()
	handed := make(chan *owner, 8)
	newProgram := func() *program {
		return &program{t: t, pools: pools, buffers: buffer.NewPool(pools), r: rand.New(rand.NewPCG(rand.Uint64(), 7)), handed: handed, mayForeign: mayForeign}
	}
	var wg sync.WaitGroup
	var foreign atomic.Int64
	for range n {
		wg.Go(func() {
			p := newProgram()
			for i := 0; more(i) && !t.Failed(); i++ {
				p.step()
			}
			p.finish()
			foreign.Add(p.foreign)
		})
	}
	wg.Wait()
	close(handed)
	rest := newProgram()
	for o := range handed {
		rest.owners = append(rest.owners, o)
	}
	rest.finish()
	if left := scope.Outstanding(); len(left) > 0 {
		t.Errorf("%d are in use, such as %v", len(left), left[0].Error())
	}
	switch s := pools.Stats(); {
	case s.InUse+foreign.Load() != 0:
		t.Errorf("%d foreign arrays were given away, InUse = %d", foreign.Load(), s.InUse)
	case s.Limit.InUse != 0:
		t.Errorf("%d bytes below the limit are in use", s.Limit.InUse)
	}
}

// An owner is a Buffer and the content that it must have.
type owner struct {
	b     *buffer.Buffer
	want  []byte // the content that was not read
	refs  int    // references beside the first
	views int    // Buffers and readers that share its array: no byte of it may change
	of    *owner // whose array it shares
	body  bool   // it had a body, which may have its array
}

type reading struct {
	o    *owner
	r    *bytes.Reader
	want []byte
}

type body struct {
	*buffer.Body
	want []byte
}

type program struct {
	pools      *bytespool.Pool
	buffers    *buffer.Pool
	t          *testing.T
	r          *rand.Rand
	owners     []*owner
	readings   []reading
	bodies     []body
	slices     [][]byte
	handed     chan *owner
	mayForeign bool
	foreign    int64
}

func (p *program) bytes() []byte {
	b := make([]byte, p.r.IntN(1<<p.r.IntN(11)))
	for i := range b {
		b[i] = byte(p.r.Uint32())
	}
	return b
}

func (p *program) add(b *buffer.Buffer, want []byte) *owner {
	o := &owner{b: b, want: slices.Clone(want)}
	p.owners = append(p.owners, o)
	return o
}

func (p *program) verify(o *owner, what string) {
	if got := o.b.Bytes(); !bytes.Equal(got, o.want) {
		p.t.Errorf("%s: content of %d bytes %.20x, want %d bytes %.20x", what, len(got), got, len(o.want), o.want)
	}
}

func (p *program) release(o *owner) {
	p.verify(o, "before Release")
	for ; o.refs > 0; o.refs-- {
		if earlier(o.b).Release() {
			p.t.Error("Release of one reference of several returned true")
		}
	}
	switch p.r.IntN(4) {
	case 0:
		earlier(o.b).Close() //poolcheck:ignore OCT001 the loop releases the references of others
		p.verify(o, "after Close")
		o.b.Release()
	case 1:
		earlier(o.b).Put()
	default:
		o.b.Release()
	}
}

func (p *program) finish() {
	for _, r := range p.readings {
		p.read(r)
	}
	p.readings = nil
	for _, b := range p.bodies {
		p.readBody(b)
	}
	p.bodies = nil
	for _, o := range p.owners {
		p.release(o)
	}
	p.owners = nil
	for _, s := range p.slices {
		p.pools.Release(s)
	}
	p.slices = nil
}

func (p *program) read(r reading) {
	got, _ := io.ReadAll(r.r)
	if !bytes.Equal(got, r.want) {
		p.t.Errorf("a reader shows %d bytes %.20x, want %d bytes %.20x", len(got), got, len(r.want), r.want)
	}
	if r.o == nil {
		compatbuffer.PutReader(r.r)
		return
	}
	earlier(r.o.b).PutReader(r.r)
	r.o.views--
}

func (p *program) readBody(b body) {
	again, err := b.GetBody()
	if err != nil {
		p.t.Errorf("GetBody of an open body: %v", err)
		return
	}
	got2, _ := io.ReadAll(again)
	again.Close()
	got, _ := io.ReadAll(b)
	b.Close()
	if !bytes.Equal(got, b.want) || !bytes.Equal(got2, b.want) {
		p.t.Errorf("a body shows %d bytes %.20x, and then %d bytes %.20x, want %d bytes %.20x",
			len(got), got, len(got2), got2, len(b.want), b.want)
	}
}

func (p *program) step() {
	if len(p.owners) == 0 || len(p.owners) < 12 && p.r.IntN(6) == 0 {
		p.begin()
		return
	}
	i := p.r.IntN(len(p.owners))
	o := p.owners[i]
	take := func() { p.owners = slices.Delete(p.owners, i, i+1) }
	name := ""
	switch n := p.r.IntN(38); n {
	case 0, 1, 2:
		name = "Release"
		take()
		p.release(o)
		return
	case 3:
		name = "Share"
		s := p.add(o.b.Share(), o.want)
		s.of = o
		// The array stays shared while s exists, which the model does not track.
		o.views += 1 << 20
	case 4:
		name = "GetReader"
		r := earlier(o.b).GetReader()
		o.views++
		p.readings = append(p.readings, reading{o, r, slices.Clone(o.want)})
	case 5:
		name = "reader"
		if len(p.readings) > 0 {
			k := p.r.IntN(len(p.readings))
			r := p.readings[k]
			p.readings = slices.Delete(p.readings, k, k+1)
			p.read(r)
		}
		if len(p.bodies) > 0 {
			k := p.r.IntN(len(p.bodies))
			b := p.bodies[k]
			p.bodies = slices.Delete(p.bodies, k, k+1)
			p.readBody(b)
		}
	case 6:
		name = "buffer.GetReader"
		data := p.bytes()
		p.readings = append(p.readings, reading{nil, compatbuffer.GetReader(data), data})
	case 7:
		name = "Detach"
		if d := o.b.Detach(); !bytes.Equal(d, o.want) {
			p.t.Errorf("Detach returned %.20x, want %.20x", d, o.want)
		} else {
			p.slices = append(p.slices, d)
		}
		o.want = nil
	case 8:
		name = "slices"
		for _, s := range p.slices {
			switch p.r.IntN(3) { // each is the whole: a release looks at the capacity
			case 0:
				s = s[:0]
			case 1:
				s = slices.Clip(s[:cap(s)])
			}
			p.pools.Release(s)
		}
		p.slices = nil
	case 9:
		name = "PutAll"
		if o.views >= 1<<20 || o.of != nil {
			break
		}
		var rs []*bytes.Reader
		p.readings = slices.DeleteFunc(p.readings, func(r reading) bool {
			if r.o == o {
				rs = append(rs, r.r)
			}
			return r.o == o
		})
		take()
		earlier(o.b).PutAll(append(rs, nil)...)
		return
	case 10:
		name = "RefInc"
		switch p.r.IntN(3) {
		case 0:
			o.b.RefInc()
		case 1:
			earlier(o.b).RefAdd(1)
		default:
			earlier(o.b).RefStore(earlier(o.b).RefValue() + 1)
		}
		o.refs++
	case 11:
		name = "RefDec"
		if o.refs > 0 {
			if p.r.IntN(2) == 0 {
				earlier(o.b).RefDec()
			} else if earlier(o.b).RefSwapDec() <= 0 {
				p.t.Error("RefSwapDec of more than one reference returned 0")
			}
			o.refs--
		}
	case 12:
		name = "hand over"
		if p.handed == nil || o.views > 0 || o.of != nil {
			break
		}
		select {
		case p.handed <- o:
			take()
			return
		default:
		}
	case 13:
		name = "take over"
		select {
		case w := <-p.handed:
			p.owners = append(p.owners, w)
			o = w
		default:
		}
	case 14:
		name = "Reset"
		if o.views == 0 {
			o.b.Reset()
			o.want = nil
		}
	case 15:
		name = "Truncate"
		if o.views == 0 && (o.of == nil || len(o.want) == 0) {
			n := p.r.IntN(len(o.want) + 1)
			o.b.Truncate(n)
			o.want = o.want[:n]
		}
	case 16:
		name = "Set"
		if o.views == 0 {
			d := p.bytes()
			if p.r.IntN(2) == 0 {
				earlier(o.b).Set(d)
			} else {
				earlier(o.b).SetString(string(d))
			}
			o.want = d
		}
	case 17:
		name = "Set of a part"
		if o.views == 0 && len(o.want) > 2 {
			earlier(o.b).Set(o.b.Bytes()[1 : len(o.want)-1])
			o.want = slices.Clone(o.want[1 : len(o.want)-1])
		}
	case 18:
		name = "Write of itself"
		if len(o.want) < 1<<13 {
			o.b.Write(o.b.Bytes())
			o.want = append(o.want, o.want...)
		}
	case 19:
		name = "B swapped by hand"
		if o.views == 0 && o.of == nil && o.refs == 0 && !o.body {
			// The array that is replaced is released by hand, the new one with the Buffer.
			p.pools.Release(o.b.B)
			d := p.bytes()
			o.b.B = append(p.pools.Make(len(d)), d...)
			o.b.Reset()
			o.b.B = o.b.B[:len(d)]
			o.want = d
		}
	case 20:
		name = "B appended to by hand"
		if free := o.b.Available(); free > 0 && o.of == nil {
			o.b.B = append(o.b.B, 'x')
			o.want = append(o.want, 'x')
		}
	case 21:
		name = "Grow"
		n := p.r.IntN(100)
		earlier(o.b).Grow(n)
		u := o.b.Bytes()
		clear(u[len(u)-n:])
		o.want = append(o.want, make([]byte, n)...)
	case 22:
		name = "ReadFrom"
		d := p.bytes()
		if len(o.want) < 1<<15 && p.r.IntN(4) == 0 { // at most what B has room for: ReadFrom has to look for more
			d = make([]byte, o.b.Available())
		}
		if n, err := o.b.ReadFrom(bytes.NewReader(d)); n != int64(len(d)) || err != nil {
			p.t.Errorf("ReadFrom of %d bytes: %d, %v", len(d), n, err)
		}
		o.want = append(o.want, d...)
	case 23:
		name = "Body"
		p.bodies = append(p.bodies, body{o.b.Body(), slices.Clone(o.want)})
		o.body = true
	case 24:
		name = "Next"
		d := o.b.Next(p.r.IntN(50))
		if !bytes.HasPrefix(o.want, d) {
			p.t.Error("Next returned something else")
		}
		o.want = o.want[len(d):]
	case 25:
		name = "Copy"
		if d := p.pools.Append(p.pools.Make(o.b.Len()/2), o.b.Bytes()...); !bytes.Equal(d, o.want) {
			p.t.Error("Copy returned something else")
		} else {
			p.slices = append(p.slices, d)
		}
	case 26:
		name = "a collection"
		if p.r.IntN(20) == 0 {
			runtime.GC()
		}
	default:
		name = "Write"
		if len(o.want) > 1<<15 {
			break
		}
		d := p.bytes()
		if n%2 == 0 {
			o.b.Write(d)
		} else {
			earlier(o.b).AppendString(string(d))
		}
		o.want = append(o.want, d...)
	}
	p.verify(o, name)
}

func (p *program) begin() {
	d := p.bytes()
	switch p.r.IntN(7) {
	case 0:
		p.add(p.buffers.Get(), nil)
	case 1:
		p.add(p.buffers.Make(p.r.IntN(1<<14)), nil)
	case 2: // the smallest, or larger than any of the pool
		p.add(p.buffers.Make([]int{2, 1 << 16}[p.r.IntN(2)]), nil)
	case 3:
		b := p.buffers.Make(len(d))
		b.B = append(b.B, d...)
		p.add(b, d)
	case 4: // a slice of the pool
		p.add(p.buffers.NewBuffer(append(p.pools.Make(len(d)), d...)), d)
	case 5: // a slice that no pool handed out
		if p.mayForeign {
			p.foreign++
			p.add(p.buffers.NewBuffer(append(make([]byte, 0, 1024), d[:len(d)/2]...)), d[:len(d)/2])
		}
	case 6:
		b := p.buffers.Get()
		b.Write(d)
		p.add(b, d)
	}
}
