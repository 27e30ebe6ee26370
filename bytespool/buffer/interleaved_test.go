//go:build octet_interleave && !octet_purego

package buffer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/octet-go/octet/internal/interleave"
)

// A world is one Buffer's count, and the parties that act as its owners.
type world struct {
	refs   refCount
	uses   int  // that go on
	inPool bool // only one goroutine can take it out, as from a stack
	ends   int
	err    error
}

func (w *world) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// use uses the Buffer, as an owner.
func (w *world) use() {
	w.uses++
	interleave.Step()
	if w.inPool {
		w.fail("it is in the pool while somebody uses it")
	}
	if n := state(w.refs.n.Load()); n < 0 {
		w.fail("it counts as idle while somebody uses it")
	}
	w.uses--
}

// release does what Release does with a count.
func (w *world) release() {
	if w.refs.last() && w.refs.end() {
		w.ended()
		return
	}
	switch last, none := w.refs.release(); {
	case last:
		w.ended()
	case none:
		w.fail("an owner is told that there was no reference")
	}
}

func (w *world) ended() {
	if w.uses > 0 {
		w.fail("it ended while somebody used it")
	}
	if w.inPool {
		w.fail("it is in the pool twice")
	}
	w.inPool = !w.refs.buried()
	w.ends++
}

// What an owner of one reference may do.
var owners = map[string]func(w *world){
	"release":        func(w *world) { w.release() },
	"use":            func(w *world) { w.use(); w.release() },
	"share":          func(w *world) { w.refs.add(1); w.release(); w.release() },
	"share and take": func(w *world) { w.refs.add(1); w.refs.add(-1); w.release() },
}

// TestInterleaved runs the steps of owners, and of the next owner that takes the
// Buffer from the pool, in every order.
func TestInterleaved(t *testing.T) {
	runs := 0
	for extra := range 2 {
		for _, base := range []int64{0, tracked} {
			for first, do := range owners {
				for second, does := range owners {
					if extra > 0 && (first != "release" || second != "use") {
						continue // there are too many orders
					}
					var w *world
					n, err := interleave.Explore(func() interleave.Program {
						w = new(world)
						w.refs.n.Store(base + 1 + int64(extra))
						threads := []func(){
							func() { do(w) },
							func() { does(w) },
							func() { // the next owner
								interleave.Step()
								if !w.inPool {
									return
								}
								w.inPool = false
								w.refs.acquire()
								w.ends--
								if n := w.refs.add(0); n != 0 {
									w.fail("it begins with %d references", n)
								}
								w.use()
								w.release()
							},
						}
						if extra > 0 {
							threads = append(threads, func() { w.release() })
						}
						return interleave.Program{Threads: threads, Check: func() error {
							if w.ends != 1 {
								w.fail("it ended %d times", w.ends)
							}
							if n := w.refs.n.Load(); n != ended(base) && n != pooled {
								w.fail("its count is %d in the end", n)
							}
							if w.inPool != (base == 0) {
								w.fail("it is in the pool: %v", w.inPool)
							}
							if last, none := w.refs.release(); last || !none {
								w.fail("it ended again")
							}
							return w.err
						}}
					})
					if runs += n; err != nil {
						t.Fatalf("%s beside %s, and %d more, from %d: %v", first, second, extra, base, strings.ReplaceAll(err.Error(), "\n", "\n\t"))
					}
				}
			}
		}
	}
	t.Logf("%d orders", runs)
}
