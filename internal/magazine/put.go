package magazine

// Put keeps x and counts a release. It puts x onto the stack of the caller's record. If
// there is none, it installs one; if it is full, it makes room. If the budget allows none, x
// goes to the depot. Put reports whether x was kept; and now and then, whether the record has
// seen more releases than requests: another one may have seen those requests, but to ask all
// each time would be slow.
func (c *Class) Put(x Item) (kept, surplus bool) {
	// So many of each 512 releases in excess say so, in a row: more than fill a stack, of which
	// Put sees none.
	const often, each = 2 * slots, 512
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
		kept = true
	case s == &blocked:
		c.Unpin(l)
		kept = c.depot.give(l.processor, []Item{x}) > 0
	default:
		var batch batch
		n := s.shift(&l.top, l.limit, &batch)
		s.push(&l.top, x)
		c.Unpin(l)
		c.depot.give(l.processor, batch[:n])
		kept = true
	}
	return kept, surplus
}

// Discard counts the release of an item that is not kept.
func (c *Class) Discard(why Reason) {
	c.CountPuts(1)
	c.dropped[why].Add(1)
}

// Store keeps x in the depot, where it is found last, and counts a release.
func (c *Class) Store(x Item) (kept bool) {
	c.CountPuts(1)
	return c.depot.give(c.processor(), []Item{x}) > 0
}

// StoreOdd is Store for an item that has more than the class's capacity.
func (c *Class) StoreOdd(x Item, capacity int) (kept bool) {
	c.CountPuts(1)
	return c.depot.giveOdd(x, capacity)
}

// stackFor gives the caller's record a stack, if it has none and may have one. The
// caller has pinned l; stackFor may unpin it to pin another, and returns the record that
// is pinned in the end, with its stack.
func (c *Class) stackFor(l *Record) (*Record, *stack) {
	l, s := c.restore(l, nil, 0)
	if s != &blocked || l.limit == 0 {
		return l, s
	}
	c.Unpin(l)
	s = new(stack)             // allocates: not while the record is pinned
	s[c.limit%len(s)] = Item{} // a check for nil would read the page first: two faults in place of one
	return c.restore(c.repin(l), s, uint32(c.limit))
}
