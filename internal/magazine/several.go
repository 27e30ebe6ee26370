package magazine

// TakeN takes up to len(to) items, each for a request, and returns how many; it counts these
// requests. It looks as [Class.AtHand] and [Class.Stored] do, but takes what is more than they
// move at once from the depot directly.
func (c *Class) TakeN(to []Item) (n int) {
	for {
		l := c.pinRestored()
		for n < len(to) {
			x := l.Pop()
			if !x.Some() {
				break
			}
			to[n] = x
			n++
		}
		c.Unpin(l)
		rest := to[n:]
		if len(rest) == 0 {
			return n
		}
		if len(rest) >= c.limit/2 {
			if m := c.depot.takeN(rest); m > 0 {
				l = c.repin(l)
				l.gets += uint64(m)
				l.empty++ // the depot says that it served one
				c.Unpin(l)
				n += m
				continue
			}
		}
		x := c.Stored(l)
		if !x.Some() {
			return n
		}
		to[n] = x
		n++
	}
}

// PutN is [Class.Put] for several items, and returns how many were kept.
func (c *Class) PutN(items []Item) (kept int, surplus bool) {
	for {
		l := c.Pin()
		s, none := l.stack.Load(), l.limit == 0
		for len(items) > 0 && s.push(&l.top, items[0]) {
			l.puts++
			kept++
			items = items[1:]
		}
		c.Unpin(l)
		switch {
		case len(items) == 0:
			return kept, surplus
		case none || s != &blocked && len(items) >= c.limit/2:
			c.CountPuts(len(items))
			return kept + c.depot.giveN(items), surplus
		}
		one, more := c.Put(items[0]) // which makes room for others
		if one {
			kept++
		}
		surplus = surplus || more
		items = items[1:]
	}
}
