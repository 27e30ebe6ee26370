package oct004

import "sync"

type dish struct{ data [64]byte }

var dishes = sync.Pool{New: func() any { return new(dish) }}

// A ledge is a list of dishes, of which it knows nothing.
type ledge struct{ items []*dish }

func (s *ledge) PushBack(d *dish) { s.items = append(s.items, d) }

func (s *ledge) PopFront() *dish {
	d := s.items[0]
	s.items = s.items[1:]
	return d
}

func (s *ledge) Len() int { return len(s.items) }

// ok: who calls it sees to what is there.
func (s *ledge) Clear() {
	clear(s.items)
	s.items = s.items[:0]
}

type cupboard struct{ ledge ledge }

func (c *cupboard) add(first byte) {
	d := dishes.Get().(*dish)
	d.data[0] = first
	c.ledge.PushBack(d)
}

func (c *cupboard) take() byte {
	d := c.ledge.PopFront()
	defer dishes.Put(d)
	return d.data[0]
}

// bad: the dishes that are left are lost.
func (c *cupboard) tidy() {
	c.ledge.Clear() // want "OCT004: what is in items is dropped here and not released"
}

// ok: they go back before.
func (c *cupboard) empty() {
	for c.ledge.Len() > 0 {
		dishes.Put(c.ledge.PopFront())
	}
	c.ledge.Clear()
}

type drainer struct{ wet []*dish }

func (r *drainer) add() { r.wet = append(r.wet, dishes.Get().(*dish)) }

func (r *drainer) dry() *dish {
	d := r.wet[0]
	r.wet = r.wet[1:]
	return d
}

func wipe(r *drainer) {
	d := r.dry()
	d.data[0] = 0
	dishes.Put(d)
}

// bad: what is wet is lost.
func (r *drainer) reset() {
	r.wet = r.wet[:0] // want "OCT004: what is in wet is dropped here and not released"
}

// ok: it goes to somebody else.
func (r *drainer) discardTo(all []*dish) []*dish {
	all = append(all, r.wet...)
	r.wet = r.wet[:0]
	return all
}
