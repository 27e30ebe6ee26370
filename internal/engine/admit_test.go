package engine

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/octet-go/octet/bytespool/stats"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/check/checktest"
	"github.com/octet-go/octet/internal/limit"
)

// A request above the limit never waits, and the error says why.
func TestErrLimit(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		c.Name = "uploads"
		p := limited(c, 8)
		ctx := context.Background()
		_, tried := p.TryNew(32769)
		_, acquired := p.Acquire(ctx, 32769)
		_, tryReserved := tryReserve(p, math.MaxInt)
		_, reserved := reserve(p, ctx, 40000)
		for _, err := range []error{tried, acquired, tryReserved, reserved} {
			if !errors.Is(err, limit.ErrLimit) {
				t.Fatalf("error %v", err)
			}
			for _, want := range []string{`"uploads"`, " 0 of 32768 ", "more than the limit"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not contain %q", err, want)
				}
			}
		}
		if !strings.Contains(tried.Error(), "65536 bytes") || !strings.Contains(acquired.Error(), "65536 bytes") {
			t.Errorf("%q and %q do not say how many bytes", tried, acquired)
		}
		for range 8 {
			admitted(t, p)
		}
		_, err := p.TryNew(100)
		if want := `bytespool: pool "uploads": 128 bytes asked for, 32768 of 32768 in use or reserved: there is no room`; err == nil || err.Error() != want {
			t.Errorf("error %q, want %q", err, want)
		}
		if s := p.LimitStats(); s.Rejected != 5 || s.Bytes != 32768 {
			t.Errorf("%+v", s)
		}
	})
}

// Without a limit everything is admitted, by the zero Pool too.
func TestNoLimit(t *testing.T) {
	ctx := context.Background()
	for _, p := range []*Pool{newPool(Config{}), new(Pool)} {
		for _, size := range []int{0, 1, 5000, 5 << 20} {
			tried, err := p.TryNew(size)
			acquired, err2 := p.Acquire(ctx, size)
			r, err3 := tryReserve(p, size)
			r2, err4 := reserve(p, ctx, math.MaxInt)
			if err := errors.Join(err, err2, err3, err4); err != nil {
				t.Fatal(err)
			}
			reserved, err := r.New(size)
			beyond, err2 := r2.New(size)
			if err := errors.Join(err, err2); err != nil {
				t.Fatal(err)
			}
			for _, b := range [][]byte{tried, acquired, reserved, beyond} {
				if len(b) != size || cap(b) != p.CapacityOf(size) {
					t.Errorf("size %d: length %d, capacity %d", size, len(b), cap(b))
				}
			}
			r.Release()
			r2.Release()
		}
		canceled, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := p.Acquire(canceled, 1); err != context.Canceled {
			t.Errorf("Acquire: %v", err)
		}
		if _, err := reserve(p, canceled, 1); err != context.Canceled {
			t.Errorf("Reserve: %v", err)
		}
		if s := p.LimitStats(); s != (stats.Limit{}) {
			t.Errorf("%+v", s)
		}
	}
}

// A lost reservation is reported, and counts.
func TestLostReservation(t *testing.T) {
	checktest.Start(t, check.Config{Mode: check.Full})
	p := limited(Config{Name: "lossy"}, 8)
	scope := check.NewScope()
	defer scope.End()
	used, _ := tryReserve(p, 4096)
	b, _ := used.New(4096) // nothing is left to lose
	p.Release(b)
	done, _ := tryReserve(p, 4096)
	done.Release()
	done.Release()
	if out := scope.Outstanding(); len(out) != 0 {
		t.Errorf("outstanding: %v", out)
	}
	lost, _ := tryReserve(p, 4096, 8192)
	out := scope.Outstanding()
	if len(out) != 1 || !strings.Contains(out[0].Error(), "Reservation of 12288 bytes from pool \"lossy\"") || !strings.Contains(out[0].Error(), "TestLostReservation") {
		t.Errorf("outstanding: %v", out)
	}
	if s := p.LimitStats(); s.InUse != 0 || s.Reserved != 12288 {
		t.Errorf("lost: %+v", s)
	}
	lost.Release() // late
	if s := p.LimitStats(); s.InUse != 0 || s.Reserved != 0 {
		t.Errorf("in the end: %+v", s)
	}
}
