package magazine

// How what nobody uses goes back to the collector. A step follows each collection:
//
//   - What was used since the last step, and is idle now, is retired: gets still find it.
//     Only a weak pointer leads to it, so the next collection takes it if nobody did: as a
//     sync.Pool does, and at the same collection. It is retired in whole stacks; what takes
//     one item takes back a stack.
//   - If the pool's retention allows it, and there is room in what all pools together may
//     hold (Keep), it is held for that time instead.
//   - What was retired before, and is not held any more, is dropped.

// Step is called after a collection, by one goroutine at a time, with how many items are in
// use. It reports whether c may keep something, and about how many items it dropped. The
// caller holds Shared.Mu.
func (c *Class) Step(inUse int, keep *Keep) (left bool, dropped int) {
	for l := range c.all().each {
		n := l.idle()
		if l.step(c.depot.capacity, keep) {
			left = true
		} else {
			dropped += n
		}
	}
	more, n := c.depot.step(inUse, keep)
	return left || more, dropped + n
}

// Fresh returns about how many items are idle that were used since the last step.
func (c *Class) Fresh() (n int) {
	for l := range c.all().each {
		if l.stack.Load() != &blocked {
			n += l.idle()
		}
	}
	return n + c.depot.fresh()
}

// Drop drops everything that c keeps, and returns about how many items that was. The caller
// holds Shared.Mu.
func (c *Class) Drop() (items int) {
	items = c.depot.clear()
	for l := range c.all().each {
		items += l.drop()
	}
	c.dropped[trimmed].Add(uint64(items))
	return items
}
