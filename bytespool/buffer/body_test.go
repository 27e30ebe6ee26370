package buffer

import (
	"fmt"
	"io"
	"maps"
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

// Whatever is done with the Buffer, its bodies show what they showed, the Buffer what it
// should, and nothing is left in the end.
func TestBodyDoesNotChange(t *testing.T) {
	onAllEngines(t, func(t *testing.T, p *engine.Pool) {
		all := changes(p)
		maps.Copy(all, map[string]func(b *Buffer) string{
			"nothing":          func(b *Buffer) string { return "hello" },
			"Reset twice":      func(b *Buffer) string { b.Reset(); b.WriteString("H"); b.Reset(); b.WriteString("J"); return "J" },
			"replace B":        func(b *Buffer) string { b.Reset(); b.B = []byte("HELLO"); return "HELLO" },
			"Body":             func(b *Buffer) string { r := b.Body(); r.Close(); return "hello" },
			"Body after Reset": func(b *Buffer) string { b.Reset(); b.Body().Close(); return "" },
			"Body after Write": func(b *Buffer) string {
				b.Write([]byte("!"))
				r := b.Body()
				b.Reset()
				b.WriteString("HELLO?")
				if got := bodyOf(t, r); got != "hello!" {
					t.Errorf("the later body shows %q", got)
				}
				return "HELLO?"
			},
			"much": func(b *Buffer) string { b.lengthen(10 << 20); clear(b.B); b.Reset(); return "" },
		})
		for name, f := range all {
			for of, mk := range map[string]func() (b, owner *Buffer){
				"a Buffer": func() (b, owner *Buffer) {
					b = Make(100)
					b.WriteString("hello")
					return b, nil
				},
				"a Buffer that was read": func() (b, owner *Buffer) {
					b = newString("xyhello")
					b.Next(2)
					return b, nil
				},
				"a zero Buffer": func() (b, owner *Buffer) {
					b = new(Buffer)
					b.WriteString("hello")
					return b, nil
				},
				"a share": func() (b, owner *Buffer) {
					owner = newString("hello, world")
					owner.Truncate(5)
					return owner.Share(), owner
				},
			} {
				for i := range 4 {
					b, owner := mk()
					bodyFirst, readers := i%2 == 0, i/2
					b.refs.n.Add(int64(readers))
					r := b.Body()
					what := fmt.Sprintf("%s of %s, the body first: %v, %d readers", name, of, bodyFirst, readers)
					if want := f(b); b.String() != want {
						t.Errorf("%s: the Buffer has %q, want %q", what, b, want)
					}
					read := func() {
						other := newString("OTHER")
						if got := bodyOf(t, r); got != "hello" {
							t.Errorf("%s: the body shows %q", what, got)
						}
						other.Release()
					}
					if bodyFirst {
						read()
					}
					for range 1 + readers {
						b.Release()
					}
					if !bodyFirst {
						read()
					}
					if owner != nil && (owner.refs.Value() != 0 || !owner.release()) {
						t.Errorf("%s: the owner still has references", what)
					}
					if n := inUse(p); n != 0 {
						t.Fatalf("%s: %d arrays in use", what, n)
					}
				}
			}
		}
	})
}

// What earlier bodies have shown goes to the collector, whatever references and shares the
// Buffer has meanwhile, and however often it is filled and sent again.
func TestBodiesDoNotPileUp(t *testing.T) {
	onAllEngines(t, func(t *testing.T, p *engine.Pool) {
		for name, mk := range map[string]func() (b *Buffer, release func()){
			"a Buffer": func() (*Buffer, func()) { return withContent(), func() {} },
			"with another owner": func() (*Buffer, func()) {
				b := withContent()
				b.RefInc()
				return b, func() { b.Release() }
			},
			"with a share": func() (*Buffer, func()) {
				b := withContent()
				s := b.Share()
				return b, func() { s.Release() }
			},
			"a share": func() (*Buffer, func()) {
				o := withContent()
				return o.Share(), func() { o.Release() }
			},
			"a share that has left, with another owner": func() (*Buffer, func()) {
				o := withContent()
				b := o.Share()
				b.RefInc()
				b.WriteByte('x')
				return b, func() { b.Release(); o.Release() }
			},
			"a share that others share in turn": func() (*Buffer, func()) {
				o := withContent()
				b := o.Share()
				for range 100 {
					next := b.Share()
					b.Release()
					next.RefInc()
					next.WriteByte('x') // while somebody looks at it
					next.Release()
					b = next
				}
				return b, func() { o.Release() }
			},
		} {
			b, release := mk()
			for range 100 {
				b.Reset()
				b.Grow(1000)
				b.Body().Close()
				n := 0
				for o := b.owner; o != nil; o = o.owner {
					n++
				}
				if n > 3 {
					t.Fatalf("%s: %d Buffers stand behind it", name, n)
				}
			}
			release()
			b.Release()
			if n := inUse(p); n != 0 {
				t.Fatalf("%s: %d arrays in use", name, n)
			}
		}
	})
}

// Owners that share a Buffer may make bodies and shares of it at the same time.
func TestBodiesOfManyOwners(t *testing.T) {
	p := usePool(t, engine.Config{})
	for range manyRounds(200) {
		b := newString("hello")
		var wg sync.WaitGroup
		for range 8 {
			b.RefInc()
			wg.Go(func() {
				r, s := b.Body(), b.Share()
				again, err := r.GetBody()
				if err != nil || bodyOf(t, again) != "hello" {
					t.Error("another content", err)
				}
				b.Release()
				if bodyOf(t, r) != "hello" || s.String() != "hello" {
					t.Error("another content")
				}
				s.Release()
			})
		}
		b.Release()
		wg.Wait()
	}
	if n := inUse(p); n != 0 {
		t.Errorf("%d arrays in use", n)
	}
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
