//go:build octet_interleave && !octet_purego

package engine

import (
	"fmt"
	"testing"

	"github.com/octet-go/octet/internal/interleave"
)

// A freeWorld is a pool of which the slices may be too many.
type freeWorld struct {
	free    free
	slices  interleave.Int64
	most    int64
	ended   bool // since somebody began to count
	threads []func()
}

const freeClass = 7

// look counts the slices, as grant does.
func (w *freeWorld) look() {
	w.free.count()
	w.ended = false
	w.free.set(freeClass, w.most-w.slices.Load())
}

// make makes a slice.
func (w *freeWorld) make() {
	w.slices.Add(1)
	w.free.made()
}

// end ends the lending.
func (w *freeWorld) end() {
	w.free.end()
	w.ended = true
}

func (w *freeWorld) check() error {
	state := w.free.state.Load()
	switch slices, left := w.slices.Load(), int64(uint32(state)); {
	case state>>32 == 0:
		return nil
	case w.ended:
		return fmt.Errorf("a class lends freely after the end of the lending")
	case slices+left > w.most:
		return fmt.Errorf("there are %d slices, and %d more may be made, of %d", slices, left, w.most)
	}
	return nil
}

// newFreeWorld returns a pool with so many slices, at most 5, of which none were counted.
func newFreeWorld(slices int64) *freeWorld {
	w := &freeWorld{most: 5}
	w.slices.Store(slices)
	return w
}

var freeWorlds = map[string]func() *freeWorld{
	"two slices are made beside who counts": func() *freeWorld {
		w := newFreeWorld(1)
		w.threads = []func(){w.look, w.make, w.make}
		return w
	},
	"the last ones are made beside who counts": func() *freeWorld {
		w := newFreeWorld(4)
		w.threads = []func(){w.look, w.make, w.make}
		return w
	},
	"two slices are made while a class lends freely": func() *freeWorld {
		w := newFreeWorld(1)
		w.look()
		w.threads = []func(){w.make, w.make}
		return w
	},
	"the lending ends beside who counts": func() *freeWorld {
		w := newFreeWorld(1)
		w.threads = []func(){w.look, w.make, w.end}
		return w
	},
}

func TestFreeInterleaved(t *testing.T) {
	for name, begin := range freeWorlds {
		n, err := interleave.Explore(func() interleave.Program {
			w := begin()
			return interleave.Program{Threads: w.threads, Check: w.check}
		})
		if err != nil {
			t.Fatalf("in the world %q: %v", name, err)
		}
		t.Logf("%s: %d orders", name, n)
	}
}
