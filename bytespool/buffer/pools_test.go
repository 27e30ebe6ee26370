package buffer

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/testenv"
)

// Above the pool's largest size Buffers that are too small are found. Their arrays
// are not lost.
func TestTooSmallIsNotLost(t *testing.T) {
	testenv.Quietly(t)
	for _, c := range []struct{ maxSize, idle, size int }{
		{4 << 20, 4 << 20, 5 << 20},
		{10000, 8192, 12000},
	} {
		for name, ask := range map[string]func(){
			"Make":      func() { Make(c.size) },
			"Guarantee": func() { new(Buffer).Grow(c.size) },
			"share": func() {
				var b Buffer
				s := b.Share()
				s.Grow(c.size)
			},
		} {
			p := usePool(t, engine.Config{MinSize: 2, MaxSize: c.maxSize})
			b, d := Make(c.idle), Make(c.idle)
			b.Release()
			d.Release()
			before := idleBytes(p)
			ask()
			if n := inUse(p); n != 0 || idleBytes(p) != before {
				t.Errorf("%s(%d): %d arrays of the pool in use, %d bytes idle after %d", name, c.size, n, idleBytes(p), before)
			}
		}
	}
}

// Each Buffer, with what it shows, has one owner, whatever happens at the same time:
// collections, Trim, changes of GOMAXPROCS and of the bounds.
func TestNoBufferInTwoHands(t *testing.T) {
	onAllEngines(t, func(t *testing.T, p *engine.Pool) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
		stop := make(chan struct{})
		var disturb, work sync.WaitGroup
		disturb.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				case <-time.After(100 * time.Microsecond):
				}
				switch i % 8 {
				case 0, 4:
					runtime.GC()
				case 1, 2, 5:
					p.Trim()
				case 3:
					runtime.GOMAXPROCS(1 + i/8%4)
				case 6:
					p.Stats()
				case 7:
					p.Reconfigure(2, 4<<20>>(i/8%3*6))
				}
			}
		})
		rounds := manyRounds(3000)
		handed := make(chan *Buffer, 16)
		for g := range 8 {
			work.Go(func() {
				r := rand.New(rand.NewPCG(uint64(g), 3))
				mine := map[*Buffer]byte{}
				check := func(b *Buffer) {
					if want := mine[b]; len(bytes.Trim(b.B, string([]byte{want}))) > 0 || len(b.B) == 0 {
						t.Errorf("found %q, want only %q", b.B, want)
					}
				}
				for range rounds {
					c := byte('a' + r.IntN(26))
					var b *Buffer
					switch r.IntN(4) {
					case 0:
						b = Make(1 << r.IntN(12))
					case 1:
						b = newBytes(bytes.Repeat([]byte{c}, r.IntN(300)))
					default:
						b = Get()
					}
					if _, dup := mine[b]; dup || b.refs.Value() != 0 || len(bytes.Trim(b.B, string([]byte{c}))) > 0 {
						t.Error("not a fresh Buffer")
					}
					mine[b] = c
					for range 1 + r.IntN(3) {
						b.Write(bytes.Repeat([]byte{c}, 1+r.IntN(200)))
					}
					if r.IntN(3) == 0 {
						runtime.Gosched()
					}
					if r.IntN(4) > 0 {
						continue
					}
					for b, c := range mine {
						check(b)
						switch r.IntN(4) {
						case 0: // somebody else may have the last reference
							b.RefInc()
							select {
							case handed <- b:
							default:
								b.refs.n.Add(-1)
							}
						case 1:
							s := b.Share()
							s.WriteByte(c)
							s.Release()
						}
						delete(mine, b)
						b.Release()
					}
					select {
					case b := <-handed:
						if len(b.B) == 0 || len(bytes.Trim(b.B, string(b.B[:1]))) > 0 {
							t.Errorf("found %q from elsewhere", b.B)
						}
						b.Release()
					default:
					}
				}
				for b := range mine {
					check(b)
					b.Release()
				}
			})
		}
		work.Wait()
		close(stop)
		disturb.Wait()
		close(handed)
		for b := range handed {
			b.Release()
		}
	})
}

// A Buffer grows from the pools that it came from and returns to them, whatever others use.
func TestBuffersStayWithTheirPools(t *testing.T) {
	mine := bytespool.NewPool(bytespool.WithSizes(2, 1<<20))
	b := NewPool(mine).Make(100)
	b.Grow(5000)
	b.Release()
	if s := mine.Stats(); s.InUse != 0 || s.IdleBytes < 8192 {
		t.Errorf("%d in use, %d bytes idle", s.InUse, s.IdleBytes)
	}
	none := NewPool(new(bytespool.Pool)) // which keeps nothing
	for range 3 {
		b := none.Get()
		b.WriteString("abc")
		if b.String() != "abc" || b.release() {
			t.Errorf("%q, or released", b)
		}
	}
}
