package engine

import (
	"math"
	"time"
)

// Trim drops everything that p keeps idle and returns how many bytes that was.
// What other goroutines release or get at the same time may or may not count.
func (p *Pool) Trim() (freed int64) {
	if p.size.Load() == nil {
		return 0 // a zero Pool
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.allClasses {
		freed += p.trimClass(c)
	}
	return freed
}

// trimClass is Trim for one class. The caller holds p.mu.
func (p *Pool) trimClass(c *class) (freed int64) {
	n := p.dropClass(c)
	c.trimmed.Add(uint64(n))
	return n * int64(c.capacity)
}

// dropClass drops everything that class c keeps and returns how many items that
// was. The caller holds p.mu.
func (p *Pool) dropClass(c *class) (items int64) {
	items = int64(c.depot.press(math.MaxInt))
	for l := range p.allRecords(c).each {
		items += int64(l.drop())
	}
	p.noteDrop(items)
	return items
}

// noteDrop notes when p dropped idle items last, if it did.
func (p *Pool) noteDrop(items int64) {
	if items > 0 {
		p.lastDrop.Store(int64(time.Since(started)))
	}
}
