package buffer_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	"github.com/octet-go/octet/internal/testenv"
)

// A slowBody is a body whose bytes come in chunks.
type slowBody struct{ left int }

func (r *slowBody) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	time.Sleep(6 * time.Millisecond)
	n := min(len(p), r.left, 64<<10)
	r.left -= n
	return n, nil
}

// A service that reads bodies of unknown length, 2 MiB on average, keeps to its limit when
// four times as many come as it has room for, and serves no fewer of them. Whenever nobody is
// at work, what is in use exceeds the limit only by the slices in which ReadFrom sees
// whether more comes. While a Buffer grows, it may exceed the limit by more.
func TestOverload(t *testing.T) {
	testenv.Long(t)
	const limit, room, small = 16 << 20, 40, 4 << 10 // room for so many requests a second
	const duration = 20 * time.Second
	serve := func(t *testing.T, load int) (served, bytes int) {
		synctest.Test(t, func(t *testing.T) {
			pools := bytespool.NewPool(bytespool.WithSizes(small, 8<<20), bytespool.WithLimit(limit))
			p := buffer.NewPool(pools)
			var wg sync.WaitGroup
			var mu sync.Mutex
			add := func(to *int, n int) {
				mu.Lock()
				defer mu.Unlock()
				*to += n
			}
			r := rand.New(rand.NewPCG(1, 2))
			asked, running := 0, 0
			for end := time.Now().Add(duration); time.Now().Before(end); asked++ {
				time.Sleep(time.Duration(float64(time.Second) / room / float64(load) * r.ExpFloat64()))
				synctest.Wait()
				mu.Lock()
				if n := pools.Stats().Limit.InUse; n > limit+int64(running)*small {
					t.Errorf("%d bytes are in use, %d above the limit, by %d requests", n, n-limit, running)
				}
				mu.Unlock()
				size := r.IntN(4 << 20)
				wg.Go(func() {
					b, err := p.TryGet(64 << 10)
					if err == nil {
						defer b.Release()
						add(&running, 1)
						_, err = b.ReadFrom(&slowBody{size})
						add(&running, -1)
					}
					if err != nil {
						if !errors.Is(err, bytespool.ErrLimit) {
							t.Error(err)
						}
						return
					}
					if b.Len() != size {
						t.Errorf("%d of %d bytes were read", b.Len(), size)
					}
					add(&served, 1)
					add(&bytes, size)
				})
			}
			wg.Wait()
			s := pools.Stats().Limit
			t.Logf("at %d times what there is room for: %d of %d were served, %d MiB; the peak is %.2f of the limit", load, served, asked, bytes>>20, float64(s.Peak)/limit)
			if s.InUse != 0 {
				t.Errorf("%d bytes are in use in the end", s.InUse)
			}
		})
		return served, bytes
	}
	few, some := serve(t, 1)
	many, most := serve(t, 4)
	if many < few*9/10 || most < some*3/4 {
		t.Errorf("%d requests and %d bytes are served in place of %d and %d", many, most, few, some)
	}
}
