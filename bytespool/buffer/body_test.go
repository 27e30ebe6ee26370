package buffer

import (
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/octet-go/octet/checked/finding"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/testenv"
)

// bodyOf reads all of r and closes it.
func bodyOf(t *testing.T, r io.ReadCloser) string {
	t.Helper()
	p, err := io.ReadAll(r)
	if err != nil {
		t.Error(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	return string(p)
}

func TestBody(t *testing.T) {
	onAllEngines(t, func(t *testing.T, p *engine.Pool) {
		b := newString("xhello")
		b.ReadByte()
		r := b.Body()
		if r.Size() != 5 || b.refs.Value() != 0 || b.String() != "hello" {
			t.Errorf("Size %d, count %d, content %q", r.Size(), b.refs.Value(), b)
		}
		if err := iotest.TestReader(r, []byte("hello")); err != nil {
			t.Error(err)
		}
		if r.Size() != 5 {
			t.Errorf("read: Size %d", r.Size())
		}
		for range 3 {
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
		if n, err := r.Read(make([]byte, 1)); n != 0 || err == nil || err == io.EOF {
			t.Errorf("Read after Close: %d, %v", n, err)
		}
		if again, err := r.GetBody(); err != nil || bodyOf(t, again) != "hello" {
			t.Errorf("a second body while the Buffer is there: %v", err)
		}
		unread, err := r.GetBody()
		if err != nil {
			t.Error(err)
		}
		if !b.release() {
			t.Error("the array did not go back with the Buffer")
		}
		if _, err := r.GetBody(); err != errBodyGone {
			t.Errorf("a second body after everything was released: %v", err)
		}
		if n, err := unread.Read(make([]byte, 1)); n != 0 || err != errBodyGone {
			t.Errorf("a second body that was not read before: %d, %v", n, err)
		}
		unread.Close()
		if n := inUse(p); n != 0 {
			t.Errorf("%d arrays in use", n)
		}
	})
}

// A body may be closed while another goroutine reads it, which then fails: its memory is
// not another owner's before.
func TestCloseWhileBodyIsRead(t *testing.T) {
	p := usePool(t, engine.Config{})
	for range manyRounds(200) {
		b := newString(strings.Repeat("a", 1000))
		r := b.Body()
		b.Release()
		var wg sync.WaitGroup
		wg.Go(func() {
			var c [10]byte
			for {
				n, err := r.Read(c[:])
				if strings.Trim(string(c[:n]), "a") != "" {
					t.Errorf("read %q", c[:n])
				}
				if err != nil {
					return
				}
			}
		})
		for range 2 {
			wg.Go(func() { r.Close() })
		}
		wg.Go(func() {
			runtime.Gosched()
			newString(strings.Repeat("b", 1000)).Release()
		})
		wg.Wait()
		r.Close()
	}
	if n := inUse(p); n != 0 {
		t.Errorf("%d arrays in use", n)
	}
}

func TestBodyIsCheckedForLeaks(t *testing.T) {
	for _, mode := range checkedModes {
		if mode.Mode == check.Sample {
			continue // what samples a Buffer need not sample its bodies
		}
		t.Run(mode.Mode.String(), func(t *testing.T) {
			found := checking(t, mode)
			b := newString("hello")
			r := b.Body()
			b.Release()
			bodyOf(t, r)
			r.Close()
			runtime.GC()
			if list := found(); len(list) > 0 {
				t.Fatalf("found %+v", list)
			}
			func() {
				b := newString("hello")
				b.Body()
				b.Release()
			}()
			testenv.Eventually(t, "the lost body is reported", func() bool {
				runtime.GC()
				return len(found()) > 0
			})
			if list := found(); len(list) != 1 || list[0].Code != finding.Leak || list[0].Object != "Buffer" {
				t.Errorf("found %+v", list)
			}
		})
	}
}
