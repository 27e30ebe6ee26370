package magazine

// AtHand takes an item from the stack of the caller's record, and counts a request. If
// there is none it returns none, and counts nothing. It also returns the record, for
// Stored.
func (c *Class) AtHand() (Item, *Record) {
	l := c.Pin()
	x := l.Pop()
	if !x.Some() && l.retired.Load() != nil {
		l, _ = c.restore(l, nil, 0)
		x = l.Pop()
	}
	c.Unpin(l)
	return x, l
}

// restore gives the caller's record a stack if it has retired one, or else s, if that is
// not nil. The caller has pinned l; restore may unpin it to pin another, and returns the
// record that is pinned in the end, with its stack.
func (c *Class) restore(l *Record, s *stack, top uint32) (*Record, *stack) {
	for {
		own, r, its := l.restore()
		switch {
		case r != nil:
			c.Unpin(l)
			if old := r.take(); old != nil {
				c.spill(l, s, top) // which only a record that was pinned before has had
				s, top = old, its
			}
			l = c.repin(l)
			continue
		case s == nil:
			return l, own
		case own == &blocked && l.room > 0:
			l.install(s, top)
			return l, s
		}
		c.Unpin(l)
		c.spill(l, s, top)
		s = nil
		l = c.repin(l)
	}
}

// spill moves the items of s, which may be nil, to the depot, for the processor of l. The
// caller owns s and holds nothing.
func (c *Class) spill(l *Record, s *stack, top uint32) {
	if s != nil && top < uint32(c.room) {
		c.depot.give(l.processor, s[top:c.room])
	}
}

// Stored takes an item from the depot, or in the portable engine from another stripe, and
// counts a request. It leaves more of the depot's on the stack of the caller's record, unless
// they are large. If there is none, it counts nothing. The caller has just unpinned l.
func (c *Class) Stored(l *Record) (x Item) {
	if c.room/2 <= 1 { // large items, that move one by one
		if x = c.one(l); x.Some() {
			c.countGet()
		}
		return x
	}
	var batch batch
	n := c.depot.take(l.processor, batch[:c.room/2])
	if n == 0 {
		if x = c.steal(); x.Some() {
			c.countGet()
		}
		return x
	}
	n--
	x = batch[n]
	if l = c.repin(l); n > 0 {
		var s *stack
		l, s = c.stackFor(l) // or every get would move a batch to and fro
		n = s.fill(&l.top, batch[:n])
	}
	l.gets++
	c.Unpin(l)
	if n > 0 {
		c.depot.give(l.processor, batch[:n])
	}
	return x
}

// one is Stored for a single item, and counts nothing.
func (c *Class) one(l *Record) (x Item) {
	var one [1]Item
	c.depot.take(l.processor, one[:])
	if x = one[0]; !x.Some() {
		x = c.steal()
	}
	return x
}

// steal takes an item from whichever stripe has one that is not locked: a
// goroutine whose stack is deep, or moved, does not find its own stripe again.
// It serves the portable engine only.
func (c *Class) steal() (x Item) {
	if !c.shared.Portable {
		return Item{}
	}
	for i := range c.n.Load() {
		l := c.records.at(i)
		if !l.mu.TryLock() {
			continue
		}
		l, _ = c.restore(l, nil, 0)
		if x = l.Pop(); x.Some() {
			l.gets-- // the caller counts it
		}
		l.mu.Unlock()
		if x.Some() {
			break
		}
	}
	return x
}

// HasStored reports whether the depot has an item.
func (c *Class) HasStored() bool { return c.depot.len() > 0 }

// HasIdle reports whether Take may find an item. Other processors' stacks it does not see.
func (c *Class) HasIdle() bool {
	if c.HasStored() || c.shared.Portable {
		return true
	}
	l := c.Pin()
	defer c.Unpin(l)
	return l.idle() > 0
}

// Take is AtHand and Stored.
func (c *Class) Take() Item {
	x, l := c.AtHand()
	if !x.Some() && (c.HasStored() || c.shared.Portable) {
		x = c.Stored(l)
	}
	return x
}

// CountLoan is [Record.CountLoan].
func (c *Class) CountLoan(capacity uintptr) (look bool) {
	l := c.Pin()
	defer c.Unpin(l)
	return l.CountLoan(capacity)
}
