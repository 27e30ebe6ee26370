package magazine

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/octet-go/octet/internal/rt"
)

// onBothEngines runs a test with stripes, and with processors where this build has them.
func onBothEngines(t *testing.T, f func(t *testing.T, portable bool)) {
	t.Run("portable", func(t *testing.T) { f(t, true) })
	if rt.Pinned {
		t.Run("pinned", func(t *testing.T) { f(t, false) })
	}
}

// quietly runs f on one thread and without collections, so that nothing retired is collected.
func quietly(f func()) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	f()
}

// newShared returns what the classes of a pool share that keeps so many bytes, 0 for no bound.
func newShared(portable bool, budget int64) *Shared {
	s := &Shared{Portable: portable}
	s.Budget.Init(budget, Records(portable))
	return s
}

// newClass returns an open class of s, one of so many.
func newClass(s *Shared, capacity, classes int) *Class {
	c := new(Class)
	c.Init(&Head{Capacity: uintptr(capacity)}, s, s.StackRoom(capacity, classes), capacity)
	s.Mu.Lock()
	defer s.Mu.Unlock()
	c.Open(true)
	return c
}

// oneRecord is newClass for a caller that runs on one thread: it always meets the same record.
func oneRecord(portable bool, capacity int) *Class {
	c := newClass(newShared(portable, 0), capacity, 20)
	c.extend(1)
	return c
}

// newItem returns an item of c.
func newItem(c *Class) Item { return ItemOf(make([]byte, c.Capacity)) }

// putNew puts n new items.
func putNew(c *Class, n int) {
	for range n {
		c.Put(newItem(c))
	}
}

// get does what a request does.
func get(c *Class) (x Item) {
	x, l := c.AtHand()
	if !x.Some() {
		x = c.Stored(l)
	}
	if !x.Some() {
		c.CountMiss()
	}
	return x
}

// found returns how many of n requests are served.
func found(c *Class, n int) (hits int) {
	for range n {
		if get(c).Some() {
			hits++
		}
	}
	return hits
}

// step takes a step at the given time that may hold so many bytes for so long.
func step(c *Class, now, retain time.Duration, room int64) (left bool, dropped int) {
	c.shared.Mu.Lock()
	defer c.shared.Mu.Unlock()
	return c.Step(0, &Keep{Now: now, Retain: retain, Room: &room})
}

// same reports whether a and b are the same memory.
func same(a, b Item) bool {
	return a.Some() == b.Some() && (!a.Some() || &a.Slice(1, 1)[0] == &b.Slice(1, 1)[0])
}
