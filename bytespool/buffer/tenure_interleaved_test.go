//go:build octet_interleave && !octet_purego

package buffer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/interleave"
)

const shown = "contents" // as much as an array has

// A tenureWorld is a Buffer b with several owners, each of them a thread. The pool clears
// what it gets, so that who looks at an array too late sees that.
type tenureWorld struct {
	b    *Buffer
	view []byte // the content, as owners have it who have looked at it
	body *Body  // of the content
	err  error
}

func (w *tenureWorld) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

func (w *tenureWorld) want(who string, got []byte, want string) {
	interleave.Step()
	if string(got) != want {
		w.fail("%s sees %q, want %q", who, got, want)
	}
}

func (w *tenureWorld) read(r *Body, want string) {
	w.want("a body", r.content, want)
	r.Close()
	r.Close()
}

// renew gives b other content, in another array.
func (w *tenureWorld) renew(c string) string {
	w.b.Reset()
	w.b.WriteString(strings.Repeat(c, len(shown)))
	return strings.Repeat(c, len(shown))
}

// bounded fails if more than most owners stand behind b.
func (w *tenureWorld) bounded(b *Buffer, most int) {
	n := 0
	for o := b.owner; o != nil; o = o.owner {
		n++
	}
	if n > most {
		w.fail("%d owners stand behind a Buffer, want at most %d", n, most)
	}
}

// What the owner does that writes. It has a reference to b, and releases it.
var holders = map[string]func(w *tenureWorld){
	"append": func(w *tenureWorld) {
		w.b.WriteString("more")
		w.want("the writer", w.b.B, shown+"more")
	},
	"body": func(w *tenureWorld) {
		r := w.b.Body()
		w.renew("x")
		w.read(r, shown)
	},
	"bodies": func(w *tenureWorld) {
		for _, c := range []string{"x", "y"} {
			was := string(w.b.B)
			r := w.b.Body()
			w.renew(c)
			w.read(r, was)
		}
		w.bounded(w.b, 1)
		w.want("the writer", w.b.B, "yyyyyyyy")
	},
	"share": func(w *tenureWorld) {
		s := w.b.Share()
		w.b.WriteString("more")
		w.want("a share", s.B, shown)
		s.Release()
	},
	"body and share": func(w *tenureWorld) {
		r := w.b.Body()
		s := w.b.Share()
		w.renew("x")
		w.read(r, shown)
		w.want("a share", s.B, shown)
		s.Release()
	},
	"share with a body": func(w *tenureWorld) {
		s := w.b.Share()
		r := s.Body()
		u := s.Share()
		s.WriteString("more")
		w.bounded(u, 3)
		w.want("a share of a share", u.B, shown)
		u.Release()
		s.Release()
		w.read(r, shown)
	},
	"shares in turn": func(w *tenureWorld) {
		s := w.b.Share()
		for range 3 {
			t := s.Share()
			s.Release()
			t.RefInc() // somebody looks at it
			t.WriteString("more")
			t.Release()
			t.Reset()
			t.WriteString(shown)
			s = t
		}
		w.bounded(s, 3)
		w.want("the last share", s.B, shown)
		s.Release()
	},
}

// What other owners do meanwhile: they look at what they saw before.
func (w *tenureWorld) look() {
	w.want("an owner", w.view, shown)
	w.b.Release()
}

// What owners may do at the same time if nobody writes.
var sharers = map[string]func(w *tenureWorld){
	"body": func(w *tenureWorld) {
		r := w.b.Body()
		w.b.Release()
		w.read(r, shown)
	},
	"share": func(w *tenureWorld) {
		s := w.b.Share()
		w.b.Release()
		w.want("a share", s.B, shown)
		s.Release()
	},
	"look": (*tenureWorld).look,
}

func zero[T any](x *T) { *x = *new(T) }

// TestTenureInterleaved runs the steps of owners in every order.
func TestTenureInterleaved(t *testing.T) {
	before := shared
	defer func() { shared = before }()
	runs := 0
	explore := func(name string, share, body bool, threads ...func(w *tenureWorld)) {
		var w *tenureWorld
		n, err := interleave.Explore(func() interleave.Program {
			w = new(tenureWorld)
			p := new(engine.Pool) // a new one, because the run before may have been abandoned
			p.Init(engine.Config{MinSize: 2, MaxSize: 64, Clear: engine.ClearOnRelease})
			shared = newSource(p)
			zero(&lending)
			w.b = newString(shown)
			if share {
				of := w.b
				w.b = of.Share()
				of.Release() // w.b has the last reference
			}
			w.view = w.b.B
			w.b.refs.n.Add(int64(len(threads) - 1))
			var program interleave.Program
			for _, f := range threads {
				program.Threads = append(program.Threads, func() { f(w) })
			}
			if body {
				w.body = w.b.Body()
				program.Threads = append(program.Threads, func() { w.read(w.body, shown) })
			}
			program.Check = func() error {
				if n := inUse(p); n != 0 {
					w.fail("%d arrays are in use in the end", n)
				}
				return w.err
			}
			return program
		})
		if runs += n; err != nil {
			t.Fatalf("in the program %s, of a share: %v, with a body: %v: %v", name, share, body, err)
		}
	}
	for _, share := range []bool{false, true} {
		for _, name := range slices.Sorted(maps.Keys(holders)) {
			write := func(w *tenureWorld) {
				holders[name](w)
				w.b.Release()
			}
			explore(name, share, true, write)
			if !strings.Contains(name, "shar") || share && name == "share" { // or there are too many orders
				explore(name+" and look", share, false, write, (*tenureWorld).look)
			}
		}
		for _, first := range slices.Sorted(maps.Keys(sharers)) {
			for _, second := range slices.Sorted(maps.Keys(sharers)) {
				if first <= second && second != "share" && !share || share && first+second == "bodyshare" {
					explore(first+" and "+second, share, false, sharers[first], sharers[second])
				}
			}
		}
	}
	t.Logf("%d orders", runs)
}
