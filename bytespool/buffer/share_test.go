package buffer

import (
	"strings"
	"sync"
	"testing"

	"github.com/octet-go/octet/internal/engine"
)

func TestShare(t *testing.T) {
	onAllEngines(t, func(t *testing.T, p *engine.Pool) {
		for _, order := range []string{"b first", "s first"} {
			b := newString("xhello")
			b.Next(1)
			s := b.Share()
			if s.String() != "hello" || &s.B[0] != &b.B[1] || b.refs.Value() != 1 || s.refs.Value() != 0 {
				t.Errorf("%q in %p, counts %d and %d", s, s.B, b.refs.Value(), s.refs.Value())
			}
			first, last := b, s
			if order == "s first" {
				first, last = s, b
			}
			if first.release() {
				t.Errorf("%s: the first release returned true", order)
			}
			if last.String() != "hello" {
				t.Errorf("%s: the other one has %q", order, last)
			}
			if !last.release() {
				t.Errorf("%s: the last release returned false", order)
			}
			if n := inUse(p); n != 0 {
				t.Errorf("%s: %d arrays leaked", order, n)
			}
		}
	})
}

// Nothing that is done to a share changes the Buffer that it was made of.
func TestShareIsNotWritten(t *testing.T) {
	onAllEngines(t, func(t *testing.T, p *engine.Pool) {
		for name, f := range changes(p) {
			for _, readers := range []int{0, 1} {
				b := newString("hello")
				b.WriteString(", world")
				b.Truncate(5)
				s := b.Share()
				for range readers {
					s.RefInc()
				}
				b.WriteString(", WORLD") // what follows the share is b's
				if want := f(s); s.String() != want {
					t.Errorf("%s: the share has %q, want %q", name, s, want)
				}
				if b.String() != "hello, WORLD" {
					t.Errorf("%s: the owner has %q", name, b)
				}
				if readers > 0 && s.release() {
					t.Errorf("%s: released while a reader is out", name)
				}
				s.Release()
				if b.refs.Value() != 0 || !b.release() {
					t.Errorf("%s: the owner still has references", name)
				}
				if n := inUse(p); n != 0 {
					t.Fatalf("%s: %d arrays leaked", name, n)
				}
			}
		}
	})
}

// What readers of a share see stays, even if the share has left it and its owner
// is released.
func TestReaderOfShare(t *testing.T) {
	onAllEngines(t, func(t *testing.T, p *engine.Pool) {
		b := newString("hello")
		s := b.Share()
		r := s.reader()
		b.Release()
		for range 3 { // of these, none but the first leaves what is shared
			s.WriteString(strings.Repeat("x", 1000))
		}
		if b.refs.Value() != 0 {
			t.Error("the owner went to the pool while there is a reader")
		}
		if s.putReader(r) || b.refs.Value() != 0 {
			t.Error("released with the reader")
		}
		if !s.release() || b.refs.Value() >= 0 {
			t.Error("not released")
		}
		if n := inUse(p); n != 0 {
			t.Errorf("%d arrays leaked", n)
		}
	})
}

func TestManyShares(t *testing.T) {
	onAllEngines(t, func(t *testing.T, p *engine.Pool) {
		text := strings.Repeat("shared ", 100)
		for range 100 {
			b := newString(text)
			var wg sync.WaitGroup
			for i := range 8 {
				s := b.Share()
				wg.Go(func() {
					u := s.Share()
					s.Release()
					if u.String() != text {
						t.Error("content changed")
					}
					if i%2 == 0 {
						u.WriteString("more")
					}
					u.Release()
				})
			}
			b.Release()
			wg.Wait()
		}
		if n := inUse(p); n != 0 {
			t.Errorf("%d arrays leaked", n)
		}
	})
}

func TestDetach(t *testing.T) {
	onAllEngines(t, func(t *testing.T, p *engine.Pool) {
		b := newString("xhello")
		array := &b.B[0]
		b.Next(1)
		d := b.Detach()
		if string(d) != "hello" || &d[0] != array || cap(d) != 8 {
			t.Errorf("detached %q of capacity %d", d, cap(d))
		}
		if b.Len() != 0 || b.Cap() != 0 || b.B != nil {
			t.Error("the buffer is not empty")
		}
		b.WriteString("again")
		if string(d) != "hello" || b.String() != "again" {
			t.Errorf("%q, %q", d, b)
		}
		p.Release(d)
		if !b.release() {
			t.Error("not released")
		}
		b = newString("hello")
		p.Release(b.Detach())
		if b.release() {
			t.Error("a Buffer without an array had one to release")
		}

		b = newString("hello")
		r := b.reader()
		d = b.Detach()
		d[0] = 'J'
		if c, _ := r.ReadByte(); c != 'h' || b.Len() != 0 {
			t.Errorf("the reader sees %q", c)
		}
		p.Release(d)
		b.putReader(r)
		b.Release()
		if n := inUse(p); n != 0 {
			t.Errorf("%d arrays leaked", n)
		}

		var z Buffer
		if d := z.Detach(); len(d) != 0 {
			t.Errorf("detached %q", d)
		}
	})
}

// Share raises the count that it says it raises, also of a Buffer that has had a body, and
// the release of the share lowers it.
func TestShareCounts(t *testing.T) {
	onAllEngines(t, func(t *testing.T, p *engine.Pool) {
		for name, before := range map[string]func(b *Buffer) (after func()){
			"nothing": func(b *Buffer) func() { return func() {} },
			"a body":  func(b *Buffer) func() { r := b.Body(); return func() { r.Close() } },
			"a body that was closed": func(b *Buffer) func() {
				b.Body().Close()
				return func() {}
			},
			"a body, and written": func(b *Buffer) func() {
				r := b.Body()
				b.WriteString("more")
				return func() { r.Close() }
			},
			"a share": func(b *Buffer) func() { s := b.Share(); return func() { s.Release() } },
		} {
			b := newString("content")
			after := before(b)
			n := b.refs.Value()
			s := b.Share()
			if b.refs.Value() != n+1 {
				t.Errorf("after %s: the count is %d with a share, was %d", name, b.refs.Value(), n)
			}
			u := s.Share() // counts where the array is
			if b.refs.Value() != n+2 || s.refs.Value() != 0 {
				t.Errorf("after %s: the counts are %d and %d with a share of a share, want %d and 0", name, b.refs.Value(), s.refs.Value(), n+2)
			}
			r := s.Body()
			v := s.Share()
			if b.refs.Value() != n+3 || s.refs.Value() != 0 {
				t.Errorf("after %s: the counts are %d and %d with a share of a share that has a body, want %d and 0", name, b.refs.Value(), s.refs.Value(), n+3)
			}
			r.Close()
			s.Release()
			u.Release()
			v.Release()
			if b.refs.Value() != n {
				t.Errorf("after %s: the count is %d without shares, was %d", name, b.refs.Value(), n)
			}
			after()
			if !b.release() || inUse(p) != 0 {
				t.Errorf("after %s: not released, %d arrays in use", name, inUse(p))
			}
		}
	})
}
