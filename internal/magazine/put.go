package magazine

// Put keeps x, counts a release, and reports whether x was kept. It puts x onto the stack of
// the caller's record. If there is none, it installs one; if it is full, it makes room. If the
// budget allows no stack, x goes to the depot. Put also reports, now and then, whether the record
// has seen more releases than requests: another one may have seen those requests, but to ask all
// each time would be slow.
func (c *Class) Put(x Item) (kept, surplus bool) {
	const often, each = 64, 256 // so many of each so many releases in excess say so
	l := c.Pin()
	s := l.stack.Load()
	first := s == &blocked
	if first {
		l, s = c.stackFor(l)
	}
	l.puts++
	n := int64(l.puts - l.gets)
	surplus = n > 0 && (first || n%each < often)
	switch {
	case s.push(&l.top, x):
		c.Unpin(l)
	case s == &blocked:
		c.Unpin(l)
		return c.depot.give(l.processor, []Item{x}) > 0, surplus
	default:
		var batch batch
		n := s.shift(&l.top, l.room, &batch)
		s.push(&l.top, x)
		c.Unpin(l)
		c.depot.give(l.processor, batch[:n])
	}
	return true, surplus
}

// Discard counts the release of an item that is not kept.
func (c *Class) Discard(why Reason) {
	c.CountPuts(1)
	c.dropped[why].Add(1)
}

// stackFor gives the caller's record a stack, if it has none and may have one. The
// caller has pinned l; stackFor may unpin it to pin another, and returns the record that
// is pinned in the end, with its stack.
func (c *Class) stackFor(l *Record) (*Record, *stack) {
	l, s := c.restore(l, nil, 0)
	if s != &blocked || l.room == 0 {
		return l, s
	}
	c.Unpin(l)
	s = new(stack)            // allocates: not while the record is pinned
	s[c.room%len(s)] = Item{} // a check for nil would read the page first: two faults in place of one
	return c.restore(c.repin(l), s, uint32(c.room))
}
