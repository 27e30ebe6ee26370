package buffer

import (
	"sync/atomic"

	"github.com/octet-go/octet/internal/engine"
)

// An idle Buffer keeps its array, whatever its capacity. How large an array Get
// returns without an explicit capacity follows recent use: one with room for what
// is usual, if such a Buffer is idle, and otherwise for DefaultBufferSize.
//
// The usual class is learnt from Buffers that Get returned so, when they are
// released. It goes up when seven uses of a Buffer in a row needed more, to the
// smallest of what they needed. It goes down at once when one needed a quarter of
// it or less, to what that needed. So a program that needs 1 MiB each time soon
// finds that much; one that needs 100 bytes after that has as little from the
// second time on; and a large use now and then changes nothing. (That a pool of
// buffers whose sizes vary pins the largest is the subject of go.dev/issue/27735.)
//
// Processors share the usual class, and must not fight for its cache line. So
// which uses came in a row is counted in the Buffers, and seven are enough: where
// half of all uses are large, in random order, one in a hundred changes the class.
//
// Worst case: large uses followed by small ones that last. Each of these may hold
// an array that is usual for large ones, but only one that was idle already:
// nothing is allocated because it is usual, and the first small use that ends
// ends it. So the memory behind small uses is at most what the large ones left
// idle.
type usage struct {
	asked atomic.Int64  // the DefaultBufferSize that usual is for: at least its class
	usual atomic.Uint32 // class

	// The contents that change nothing have least to least+span-1 bytes. These are
	// stored one by one: whoever sees some of them late learns a little late.
	least atomic.Uint32
	span  atomic.Uint32
}

// slack is how many classes below the usual one a use may need.
const slack = 1

// A streak counts the uses of a Buffer in a row that needed more than was usual:
// how many in its low bits, and the class of the smallest above these.
type streak uint8

const (
	runBits = 3
	fullRun = 1<<runBits - 1

	// explicit is the streak of a Buffer whose user said how much room is needed.
	// Nothing is learnt from it.
	explicit streak = 1<<8 - 1
)

// add adds a use that needed class k.
func (s streak) add(k uint8) streak {
	run := s & fullRun
	if run > 0 {
		k = min(k, s.class())
	}
	return streak(k)<<runBits | run + 1
}

func (s streak) full() bool { return s&fullRun == fullRun }

func (s streak) class() uint8 { return uint8(s >> runBits) }

// class returns the class of an array for n bytes.
func class(n int) uint8 { return engine.Class(n) }

// needed returns the class of the largest content that b had in this use.
func (b *Buffer) needed() uint8 { return max(b.peak, class(len(b.B))) }

// noClass is above all classes: no Buffer of it is ever idle.
const noClass = 32

// class returns the usual class if it is for a DefaultBufferSize of asked, and
// otherwise noClass.
func (u *usage) class(asked int) uint8 {
	if u.asked.Load() == int64(asked) {
		return uint8(u.usual.Load())
	}
	return noClass
}

// ask makes the usual class one for a DefaultBufferSize of asked, whose own class
// is floor, and returns it.
func (u *usage) ask(asked int, floor uint8) uint8 {
	usual := max(uint8(u.usual.Load()), floor)
	u.set(usual, floor)
	u.asked.Store(int64(asked))
	return usual
}

// set makes a class the usual one, where the least is floor.
func (u *usage) set(usual, floor uint8) {
	least := uint32(0)
	if usual > floor {
		least = 1<<(usual-slack-1) + 1
	}
	u.usual.Store(uint32(usual))
	u.least.Store(least)
	u.span.Store(1<<usual - least + 1)
}

// steady reports whether the use of b, which ends, changes nothing.
func (u *usage) steady(b *Buffer) bool {
	return b.peak == 0 && uint32(len(b.B))-u.least.Load() < u.span.Load()
}

// learn learns from b, whose use ends.
func (u *usage) learn(b *Buffer) {
	if b.streak == explicit {
		b.streak = 0
		return
	}
	floor := class(DefaultBufferSize)
	usual, needed := uint8(u.usual.Load()), max(b.needed(), floor)
	switch {
	case needed > usual:
		if b.streak = b.streak.add(needed); b.streak.full() {
			u.set(b.streak.class(), floor)
			b.streak = 0
		}
	case needed+slack < usual:
		u.set(needed, floor)
		b.streak = 0
	default:
		b.streak = 0
	}
}
