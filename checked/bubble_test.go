package checked_test

import (
	"context"
	"io"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/checked"
	compatbuffer "github.com/octet-go/octet/compat/bytespool/buffer"
	"github.com/octet-go/octet/compat/bytespool/readerpool"
	"github.com/octet-go/octet/poolz"
)

// TestBubble walks through what octet has in bubbles of testing/synctest, in each mode: a
// bubble ends, no clock is confused, and what was begun in one goes on outside.
func TestBubble(t *testing.T) {
	shared := bytespool.NewPool(bytespool.WithSizes(64, 64<<10), bytespool.WithLimit(1<<20), bytespool.WithName("shared"))
	for mode := checked.Off; mode <= checked.Guard; mode++ {
		t.Run(mode.String(), func(t *testing.T) {
			var stop func()
			synctest.Test(t, func(t *testing.T) {
				var err error
				if stop, err = checked.Start(checked.Options{Mode: mode, OneIn: 100}); err != nil {
					t.Fatal(err)
				}
				own := bytespool.NewPool(bytespool.WithSizes(64, 64<<10), bytespool.WithLimit(256<<10))
				usePools(t, own)
				usePools(t, shared)
				useBuffers(t)
				// In a bubble time passes only where somebody sleeps, as who waits for a stripe may.
				since := time.Now().Round(0).Sub(own.Stats().LastDrop.Round(0))
				if (since < 0 || since > time.Second) && mode < checked.Full { // which keep little idle
					t.Errorf("Trim dropped at %v, and it is %v", own.Stats().LastDrop, time.Now())
				}
				w := httptest.NewRecorder()
				poolz.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
				if w.Code != 200 {
					t.Errorf("the page has status %d", w.Code)
				}
				if err := checked.WriteProfile(io.Discard, 0); err != nil || checked.Current().Mode > mode {
					t.Errorf("the profile: %v, the status: %+v", err, checked.Current())
				}
				time.Sleep(time.Hour)
				usePools(t, own)
			})
			usePools(t, shared)
			useBuffers(t)
			stop()
			usePools(t, shared)
			if n := shared.Stats().Limit.InUse; n != 0 {
				t.Errorf("%d bytes are in use", n)
			}
		})
	}
}

func usePools(t *testing.T, p *bytespool.Pool) {
	t.Helper()
	for n := range 300 {
		p.Release(p.New(100 * n))
	}
	held := p.New(64 << 10)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	b, err := p.Acquire(ctx, 1000)
	if err != nil {
		t.Fatal(err)
	}
	p.Release(b)
	if b, err = p.TryNew(1000); err != nil {
		t.Fatal(err)
	}
	p.Release(b)
	r, err := p.TryReserve(1000)
	if err != nil {
		t.Fatal(err)
	}
	r.Release()
	released := make(chan bool)
	go func() {
		p.Release(held)
		close(released)
	}()
	if b, err = p.Acquire(ctx, 64<<10); err != nil {
		t.Fatal(err)
	}
	p.Release(b)
	<-released
	pointers := bytespool.NewPointerPool(p)
	pointers.Put(pointers.Get(1000))
	p.Trim()
}

func useBuffers(t *testing.T) {
	t.Helper()
	b := compatbuffer.NewString("content")
	r := b.GetReader()
	if text, err := io.ReadAll(r); string(text) != "content" || err != nil {
		t.Errorf("read %q, %v", text, err)
	}
	b.PutReader(r)
	b.Release()
	readerpool.Release(readerpool.New([]byte("content")))
}

// TestSampleFromABubble sees that mode sample, begun in a bubble, samples what goes on
// outside of it.
func TestSampleFromABubble(t *testing.T) {
	var stop func()
	synctest.Test(t, func(t *testing.T) {
		stop, _ = checked.Start(checked.Options{Mode: checked.Sample, OneIn: 10})
	})
	defer stop()
	p := bytespool.NewPool(bytespool.WithSizes(64, 4096))
	for end := time.Now().Add(time.Minute); checked.Current().Probability == 0; {
		if p.Release(p.New(100)); time.Now().After(end) {
			t.Fatal("nothing is sampled")
		}
	}
}

// TestReportFromABubble sees that a report has no age where that would be the time since
// the clock of bubbles begins.
func TestReportFromABubble(t *testing.T) {
	var latest atomic.Pointer[checked.Report]
	defer checked.Handle(func(r *checked.Report) { latest.Store(r) })()
	stop, err := checked.Start(checked.Options{Mode: checked.Full})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	p := bytespool.NewPool(bytespool.WithSizes(64, 4096))
	var b []byte
	synctest.Test(t, func(t *testing.T) { b = p.New(100) })
	p.Release(b[10:]) //poolcheck:ignore OCT006 it is the fault
	if r := latest.Load(); r == nil || r.Age != 0 {
		t.Errorf("the report is %v", r)
	}
	synctest.Test(t, func(t *testing.T) {
		b := p.New(100)
		time.Sleep(time.Hour)
		p.Release(b[20:]) //poolcheck:ignore OCT006 it is the fault
	})
	if r := latest.Load(); r.Age != time.Hour {
		t.Errorf("the age is %v, want an hour", r.Age)
	}
}
