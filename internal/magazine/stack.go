package magazine

// A stack is the magazine of Bonwick and Adams: the idle items of one class that a
// processor has at hand. It is plain memory: see the package comment for who may
// touch it.
//
// The index of the newest item, top, is kept beside the pointer to the stack (see
// Record), so that a processor reads both at once. Items lie from top up to a
// room, the newest first. All other places are empty, and the last one always is,
// so that a stack without items pops nothing.
type stack [slots + 1]Item

// slots is the number of items that a stack has room for. It absorbs the usual
// imbalance between gets and puts, and a stack that may use all of them shares the cost
// of a move to or from the depot among at least 31 operations. Where an item is a
// pointer of 64 bits a stack takes 512 bytes: eight cache lines, shared with no other.
const slots = 63

// noTop is the value of top where there is no stack.
const noTop = slots + 1

// A batch is what moves between a stack and the depot at once: half a stack.
type batch [slots/2 + 1]Item

// blocked takes the place of the stack of a record that has none. It has no items,
// and is never written.
var blocked stack

// newest returns the item at top, or none: noTop becomes the index of a place of
// blocked.
func (s *stack) newest(top uint32) Item { return s[top%uint32(len(s))] }

// remove removes the item at top, where there is one.
func (s *stack) remove(top *uint32) {
	i := *top
	s[i%uint32(len(s))] = Item{} // or it would keep the memory alive
	*top = i + 1
}

// push adds x and reports whether there was room.
func (s *stack) push(top *uint32, x Item) bool {
	i := *top - 1
	if i > slots || s == &blocked { // top 0 is full, and becomes the largest number
		return false
	}
	s[i] = x
	*top = i
	return true
}

// fill adds as many of the last items as there is room for, and returns how many are
// left. The first of those that it adds becomes the newest.
func (s *stack) fill(top *uint32, items []Item) (rest int) {
	if s == &blocked {
		return len(items)
	}
	n := min(*top, uint32(len(items)))
	*top -= n
	rest = len(items) - int(n)
	copy(s[*top:], items[rest:])
	return rest
}

// shift moves the older half, at least one item, of a stack full with so many items to
// batch, newest first, and returns how many it moved.
func (s *stack) shift(top *uint32, room uint32, batch *batch) int {
	keep := room / 2
	n := room - keep
	move(batch[:n], s[keep:room])
	move(s[n:room], s[:keep]) // no more than are free now
	*top = n
	return int(n)
}

// move moves items from one place to another, which do not overlap.
func move(to, from []Item) {
	if len(from) == 1 { // of large items; for so few, to copy and clear takes longest
		to[0], from[0] = from[0], Item{}
		return
	}
	copy(to, from)
	clear(from)
}
