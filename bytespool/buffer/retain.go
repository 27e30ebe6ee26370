package buffer

import (
	"math/bits"

	"github.com/octet-go/octet/internal/engine"
)

// An idle Buffer keeps its array, whatever its capacity. What somebody gets who
// does not say how much room it takes is decided by use and not by a constant: an
// array with room for what is usual on this processor, if such a one is idle, and
// otherwise one of DefaultBufferSize.
//
// What is usual is learnt from the Buffer that a seat lends, when it is lent
// again. It goes up when three uses in a row needed more, to the smallest of what
// they needed. It goes down at once when one needed a quarter of the array or
// less, to what that needed. The Buffer then exchanges its array: its old one goes
// to an idle Buffer of its class, or, if it is larger than the pool's largest, to
// the collector. So who needs 8 MiB each time finds them from the fourth round on
// and keeps them; who needs 100 bytes after that has as little from the second
// round on; and a large use now and then changes nothing. (That a pool of buffers
// whose sizes vary pins the largest is the subject of go.dev/issue/27735.)
//
// A pool that clears or has a budget has no seats and learns nothing: there, all
// begin with DefaultBufferSize, and what grows takes its array from the pool.
//
// Worst case: large uses followed by small ones that last. Each of these may hold
// an array that is usual for large ones, but only one that was idle already:
// nothing is allocated because it is usual, and the first small use that ends
// ends it. So the memory behind small uses is at most what the large ones left
// idle. And idle is at most, a class at a time, what was in use at once since the
// collection before the last.

// A use says what is usual at a seat, whose holder owns it.
type use struct {
	asked int // the DefaultBufferSize that floor is for
	few   int // content of this many bytes is below least; -1 if none is

	class uint8 // of the array that is usual
	floor uint8 // class does not go below this, the least that was asked for
	least uint8 // class of the smallest use that is enough for class

	up  uint8 // class of the smallest of the uses in a row that needed more
	run uint8 // how many these are
}

const (
	runToGrow = 3
	slack     = 1 // classes below class that a use may be
)

// class returns the class of an array for n bytes.
func class(n int) uint8 { return engine.Class(n) }

// floorClass returns the class that an array of the given capacity, not 0, can
// serve.
func floorClass(capacity int) uint8 { return uint8(bits.Len(uint(capacity)) - 1) }

// used returns the class of the largest content that b had since it was lent.
func (b *Buffer) used() uint8 { return max(b.peak, class(len(b.B))) }

// ask notes what is asked for, and the class of that.
func (u *use) ask(size int, floor uint8) {
	u.asked = size
	if u.floor != floor {
		u.floor = floor
		u.set(max(u.class, floor))
	}
}

// enough reports whether b was used for enough of an array of class.
func (u *use) enough(b *Buffer) bool { return len(b.B) > u.few || b.peak >= u.least }

// note adds a use.
func (u *use) note(used uint8) {
	switch {
	case used > u.class:
		if u.run == 0 || used < u.up {
			u.up = used
		}
		if u.run++; u.run == runToGrow {
			u.set(u.up)
		}
	case used < u.least:
		u.set(max(used, u.floor))
	default:
		u.run = 0
	}
}

func (u *use) set(class uint8) {
	u.class, u.run = class, 0
	u.least, u.few = 0, -1
	if class > u.floor {
		u.least = class - slack
		u.few = 1 << (u.least - 1)
	}
}
