package engine

// slots is the room of a stack: one place stays empty, so that it holds 62
// items. They absorb the usual imbalance between gets and puts, and a move to or
// from the depot is paid by 31 operations. With its two numbers a stack fills
// eight cache lines and shares none.
const slots = 63

// A batch is what moves between a stack and the depot at once: half a stack.
type batch [slots/2 + 1]item

// A stack holds idle items, the newest at top, growing towards 0. It is plain
// memory: see the package comment for who may touch it.
//
// The place behind the oldest item, items[limit], is always empty. So an empty
// stack, and the zero stack, pop nothing; a full one, and the zero stack, have
// top 0 and push nothing.
type stack struct {
	top   uint32 // at most limit
	limit uint32 // items that fit, below slots
	items [slots]item
}

// blocked stands where a record has no stack. Nothing is ever written to it.
var blocked stack

func newStack(limit int) *stack {
	return &stack{top: uint32(limit), limit: uint32(limit)}
}

// push adds x and reports whether there was room.
func (s *stack) push(x item) bool {
	i := s.top - 1
	if i >= slots {
		return false
	}
	s.items[i] = x
	s.top = i
	return true
}

// pop removes the newest item. It returns none if there is none.
func (s *stack) pop() item {
	if i := s.top; i < slots && s.items[i].some() {
		return s.remove(i)
	}
	return item{}
}

// remove is pop where the stack has an item at i, which is top and below slots.
func (s *stack) remove(i uint32) item {
	x := s.items[i]
	s.items[i] = item{} // or the collector would think it in use
	s.top = i + 1
	return x
}

// len returns the number of items.
func (s *stack) len() int { return int(s.limit - s.top) }

// fill pushes as many of the items as there is room for, the last ones, and
// returns how many are left.
func (s *stack) fill(items []item) int {
	n := min(uint32(len(items)), s.top, slots)
	if n == 0 {
		return len(items) // nothing is written to a blocked stack
	}
	s.top -= n
	return len(items) - copy(s.items[s.top:], items[len(items)-int(n):])
}

// shift moves the older half of a full stack, at least one item, to batch and
// returns how many it moved.
func (s *stack) shift(batch *batch) int {
	keep := s.limit / 2
	n := copy(batch[:], s.items[keep:s.limit])
	s.top = uint32(n)
	copy(s.items[n:], s.items[:keep])
	clear(s.items[:n])
	return n
}
