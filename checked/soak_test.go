package checked_test

import (
	"bytes"
	"cmp"
	"flag"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	"github.com/octet-go/octet/checked"
	"github.com/octet-go/octet/internal/testenv"
)

var soakFor = flag.Duration("soak", 0, "how long TestSoak takes; 0 for 2 s, or a tenth of that with -short")

// TestSoak runs dozens of goroutines that use pools correctly, in all modes, one
// after another, while GOMAXPROCS changes. Nothing may be reported, and memory must
// stay bounded. Run it for minutes with
//
//	go test -run Soak ./checked -soak 5m
func TestSoak(t *testing.T) {
	var reports atomic.Int64
	defer checked.Handle(func(r *checked.Report) {
		if reports.Add(1) < 5 {
			t.Errorf("%v", r)
		}
	})()
	before := checked.Current().Guarded
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))

	pools := []*bytespool.Pool{
		bytespool.Default(),
		bytespool.NewPool(bytespool.WithSizes(64, 64<<10)),
		bytespool.NewPool(bytespool.WithSizes(2, 1<<20), bytespool.WithIdleBudget(8<<20)),
		bytespool.NewPool(bytespool.WithSizes(2, 1<<20), bytespool.WithClear(bytespool.ClearOnRelease)),
	}
	var stop atomic.Bool
	var rounds, outgrown atomic.Int64
	var wg sync.WaitGroup
	handed := make(chan handOver, 64)
	for i := range 32 {
		wg.Go(func() {
			u := user{r: rand.New(rand.NewPCG(uint64(i), 1)), pools: pools, handed: handed, outgrown: &outgrown}
			for !stop.Load() {
				if problem := u.round(); problem != "" {
					t.Error(problem)
					return
				}
				rounds.Add(1)
			}
		})
	}

	modes := []checked.Options{
		{},
		{Mode: checked.Sample, OneIn: 100},
		{Mode: checked.Full},
		{Mode: checked.Sample, OneIn: 1},
		{Mode: checked.Guard},
		{Mode: checked.Sample, OneIn: 10, GuardSampled: true},
		{Mode: checked.Guard, MaxGuarded: 50},
	}
	soak := cmp.Or(*soakFor, time.Duration(testenv.Rounds(2000))*time.Millisecond)
	share := max(soak/time.Duration(2*len(modes)), 20*time.Millisecond)
	most, guarding := uint64(0), int64(0)
	for began := time.Now(); time.Since(began) < soak; {
		for i, o := range modes {
			done, err := checked.Start(o)
			if err != nil {
				t.Fatal(err)
			}
			runtime.GOMAXPROCS(1 + i*3%8)
			time.Sleep(share)
			most = max(most, memory())
			done()
			if o.Mode == checked.Guard || o.GuardSampled {
				guarding++
			}
		}
	}
	stop.Store(true)
	go func() {
		for range handed { // or those that send wait for ever
		}
	}()
	wg.Wait()
	t.Logf("%d rounds, at most %d MiB, %d guarded slices are left, %d arrays were outgrown", rounds.Load(), most>>20, checked.Current().Guarded-before, outgrown.Load())
	if most > 1<<30 {
		t.Errorf("%d MiB were in use: more than 1 GiB", most>>20)
	}
	// Slices are left that were in use at the end of a mode and released in mode off: at
	// most two per goroutine, and those on their way between goroutines. Arrays are left
	// that a Buffer outgrew while others had references to them.
	if n, most := checked.Current().Guarded-before, guarding*(32*2+int64(cap(handed)))+outgrown.Load(); n > int(most) {
		t.Errorf("%d guarded slices are left, at most %d could be in use", n, most)
	}
}

// memory returns how many bytes the program has mapped and not returned.
func memory() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() - s[1].Value.Uint64()
}

// A handOver is a slice on its way to another goroutine, filled with one byte.
type handOver struct {
	pool    *bytespool.Pool
	b       []byte
	content byte
}

func (h handOver) release() (problem string) {
	if problem = check(h.b, h.content); problem == "" {
		h.pool.Release(h.b)
	}
	return problem
}

// A user does what programs do with pools.
type user struct {
	r      *rand.Rand
	pools  []*bytespool.Pool
	handed chan handOver

	outgrown *atomic.Int64 // arrays that a Buffer left to the owners of its shares in mode guard
}

func (u *user) round() (problem string) {
	p := u.pools[u.r.IntN(len(u.pools))]
	c := byte(u.r.Uint32())
	n := 1 + u.r.IntN(1<<u.r.IntN(16))
	switch u.r.IntN(8) {
	case 0, 1, 2: // a slice of one's own
		return handOver{p, fill(u.cut(p.New(n)), c), c}.release()
	case 3: // given away
		h := handOver{p, fill(u.cut(p.New(n)), c), c}
		select {
		case u.handed <- h:
		default:
			return h.release()
		}
	case 4: // taken over
		select {
		case h := <-u.handed:
			return h.release()
		default:
		}
	case 5: // grown
		b := p.Make(n)
		for range 3 {
			b = p.Append(b, fill(make([]byte, n), c)...)
		}
		if problem = (handOver{p, b, c}).release(); problem != "" {
			return problem
		}
		b = fill(u.cut(p.New(n)), c) // beyond its capacity, by the program
		b = fill(full(b), c)
		grown := append(b, c)
		p.Release(b) //poolcheck:ignore OCT006 it is the whole: full makes it longer
		return handOver{p, grown, c}.release()
	case 6: // somebody else's
		p.Release(make([]byte, 3<<bits.Len(uint(n)))) // between two classes
	case 7:
		return u.buffer(n, c)
	}
	runtime.Gosched()
	return ""
}

// cut returns b with another length, and with the capacity that its class has.
func (u *user) cut(b []byte) []byte {
	switch u.r.IntN(4) {
	case 0:
		return b[:0]
	case 1:
		return slices.Clip(full(b))
	case 2:
		b = full(b)
		return b[:len(b):len(b)]
	}
	return b
}

// full returns b with the length of its capacity. That is its class, or more: the pool may
// have lent a slice of a larger class, or kept one that append has made.
func full(b []byte) []byte { return b[:cap(b)] }

// buffer uses a Buffer with a second owner and a reader.
func (u *user) buffer(n int, c byte) (problem string) {
	b := buffer.Get()
	b.Write(fill(make([]byte, n), c))
	s := b.Share()
	b.RefInc()
	r := bytes.NewReader(b.Bytes())
	if b.Len() == b.Cap() && checked.Current().Mode == checked.Guard {
		u.outgrown.Add(1)
	}
	b.WriteByte(c)
	first, err := r.ReadByte()
	if err != nil || first != c {
		problem = "a reader shows something else"
	}
	b.Release()
	b.Release()
	if p := check(s.Bytes(), c); p != "" {
		problem = p
	}
	s.Release()
	return problem
}

func fill(b []byte, c byte) []byte {
	for i := range b {
		b[i] = c
	}
	return b
}

func check(b []byte, c byte) (problem string) {
	for _, x := range b {
		if x != c {
			return "memory is in two hands"
		}
	}
	return ""
}
