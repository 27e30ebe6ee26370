package limit

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octet-go/octet/internal/testenv"
)

// Whatever many ask for, wait for, give up and give back, no more is admitted than the limit, and in
// the end nothing is in use and nobody waits.
func TestTogether(t *testing.T) {
	const limit, goroutines = 100, 12
	l := New("x", limit, 6)
	var held atomic.Int64
	var admitted, refused, gone atomic.Int64
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(g), 1))
			for range testenv.Rounds(3000) {
				n := 1 + rnd.Int64N(limit/2)
				ok := false
				switch rnd.IntN(3) {
				case 0:
					ok = l.Admit(n)
				case 1:
					switch err := l.Wait(context.Background(), n); {
					case err == nil:
						ok = true
					case !errors.Is(err, ErrLimit): // as many wait as may
						t.Error(err)
					}
				case 2:
					ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rnd.IntN(50))*time.Microsecond)
					err := l.Wait(ctx, n)
					if ok = err == nil; errors.Is(err, context.DeadlineExceeded) {
						gone.Add(1)
					}
					cancel()
				}
				if !ok {
					refused.Add(1)
					continue
				}
				admitted.Add(1)
				if n := held.Add(n); n > limit {
					t.Errorf("%d bytes are held", n)
				}
				held.Add(-n)
				l.Give(n)
			}
		})
	}
	wg.Wait()
	s := l.Stats()
	if s.InUse != 0 || s.Waiting != 0 || s.Peak > limit || admitted.Load() == 0 {
		t.Errorf("%+v; %d were admitted, %d not", s, admitted.Load(), refused.Load())
	}
	if !l.Admit(limit) {
		t.Error("there is no room in the end")
	}
}

// As many wait as may, and who is refused is told why.
func TestRefusal(t *testing.T) {
	l := New("memory", 100, 0)
	for _, c := range []struct {
		ask  func() error
		want string
	}{
		{func() error { return l.Refusal("files", 101, false) }, `bytespool: pool "files": 101 bytes asked for, 0 of 100 in use or reserved: it is more than the limit`},
		{func() error { l.Take(90); return l.Refusal("files", 20, true) }, `bytespool: pool "files": 20 bytes asked for, 90 of 100 of limit "memory" in use or reserved: there is no room`},
		{func() error { return l.Wait(t.Context(), 20) }, `bytespool: 20 bytes asked for, 90 of 100 of limit "memory" in use or reserved: there is no room, and as many wait as may`},
	} {
		if err := c.ask(); !errors.Is(err, ErrLimit) || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if s := l.Stats(); s.Rejected != 3 {
		t.Errorf("%+v", s)
	}
}
