package magazine

// TakeN takes up to len(to) items, each for a request, and returns how many; it counts these
// requests. What no stack has room for it takes from the depot directly, and for the rest it
// looks as [Class.AtHand] and [Class.Stored] do.
func (c *Class) TakeN(to []Item) (n int) {
	if beyond := len(to) - c.limit; beyond > 0 && beyond >= c.limit/2 {
		n = c.depot.takeN(c.processor(), to[:beyond])
	}
	l := c.pinRestored()
	l.gets += uint64(n)
	for {
		for n < len(to) {
			x := l.Pop()
			if !x.Some() {
				break
			}
			to[n] = x
			n++
		}
		c.Unpin(l)
		if n == len(to) {
			return n
		}
		x := c.Stored(l)
		if !x.Some() {
			return n
		}
		to[n] = x
		n++
		l = c.pinRestored()
	}
}

// PutN is [Class.Put] for several items, and returns how many were kept. It puts what no stack
// has room for into the depot directly.
func (c *Class) PutN(items []Item) (kept int, surplus bool) {
	for {
		l := c.Pin()
		s := l.stack.Load()
		for len(items) > 0 && s.push(&l.top, items[0]) {
			l.puts++
			kept++
			items = items[1:]
		}
		if l.limit == 0 || s != &blocked && len(items) > 0 && len(items) >= c.limit/2 {
			l.puts += uint64(len(items))
			c.Unpin(l)
			return kept + c.depot.give(l.processor, items), surplus
		}
		c.Unpin(l)
		if len(items) == 0 {
			return kept, surplus
		}
		one, more := c.Put(items[0]) // which makes room for others
		if one {
			kept++
		}
		surplus = surplus || more
		items = items[1:]
	}
}
