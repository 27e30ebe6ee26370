package engine

// A stack is the magazine of Bonwick and Adams: the idle items of one class that a
// processor has at hand. It is plain memory: see the package comment for who may
// touch it.
//
// The number of the newest item, top, is kept beside the pointer to the stack (see
// record), so that a processor reads both at once. Items lie from top up to a
// limit, the newest first; all other places are empty, and the last one always is.
// So a stack without items pops nothing.
type stack [slots + 1]item

// slots is how many items a stack has room for. That absorbs the usual imbalance
// between gets and puts, and a move to or from the depot is paid by 31 operations.
// A stack takes 512 bytes: eight cache lines, and no part of another stack's.
const slots = 63

// noTop is the top of no stack.
const noTop = slots + 1

// A batch is what moves between a stack and the depot at once: half a stack.
type batch [slots/2 + 1]item

// blocked stands where a record has no stack. It has no items, and nothing is
// ever written to it.
var blocked stack

// pop removes the newest item. It returns none if there is none.
func (s *stack) pop(top *uint32) item {
	if i := *top; s.has(i) {
		return s.remove(i, top)
	}
	return item{}
}

// has reports whether there is an item at i.
func (s *stack) has(i uint32) bool { return i <= slots && s[i].some() }

// remove is pop where s has an item at i, which is top.
func (s *stack) remove(i uint32, top *uint32) item {
	x := s[i%uint32(len(s))]
	s[i%uint32(len(s))] = item{} // or the collector would think it in use
	*top = i + 1
	return x
}

// push adds x and reports whether there was room.
func (s *stack) push(top *uint32, x item) bool {
	i := *top - 1
	if i > slots || s == &blocked {
		return false
	}
	s[i] = x
	*top = i
	return true
}

// fill pushes the last of items, as many as there is room for, and returns how
// many are left. The first one pushed becomes the newest.
func (s *stack) fill(top *uint32, items []item) (rest int) {
	if s == &blocked {
		return len(items)
	}
	n := min(*top, uint32(len(items)))
	*top -= n
	rest = len(items) - int(n)
	copy(s[*top:], items[rest:])
	return rest
}

// shift moves the older half of a full stack of limit items, at least one, to
// batch, newest first, and returns how many it moved.
func (s *stack) shift(top *uint32, limit uint32, batch *batch) int {
	keep := limit / 2
	n := copy(batch[:], s[keep:limit])
	*top = uint32(n)
	copy(s[n:], s[:keep])
	clear(s[:n])
	return n
}
