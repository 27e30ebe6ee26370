package engine

import (
	"sync/atomic"
	"time"
)

// Stats is what a pool's counters say. The counters are read one by one while
// operations go on; once these have stopped, they are exact.
type Stats struct {
	Classes []ClassStats // smallest first

	OutCount, OutBytes uint64 // requests that no class served, and their sizes
	TooSmall, TooLarge uint64 // releases that no class had room for

	LastDrop time.Time // when idle items were dropped last; zero if never
}

// ClassStats are the counters of one class.
type ClassStats struct {
	Capacity int    // bytes an item
	Gets     uint64 // requests
	Misses   uint64 // requests that had to allocate
	Puts     uint64 // releases
	Idle     uint64 // items kept now

	Dropped Dropped
}

// Dropped counts items that were not kept, by reason.
type Dropped struct {
	OverBudget uint64 // the budget had no room for them
	OverBound  uint64 // they exceeded what was used lately
	Aged       uint64 // they were not used for too long
	Pressure   uint64 // the program was short of memory
	Trimmed    uint64 // Trim, or the pool has changed
}

func (d *Dropped) add(x Dropped) {
	d.OverBudget += x.OverBudget
	d.OverBound += x.OverBound
	d.Aged += x.Aged
	d.Pressure += x.Pressure
	d.Trimmed += x.Trimmed
}

// Hits returns the requests that were served from idle items.
func (s ClassStats) Hits() uint64 { return less(s.Gets, s.Misses) }

// InUse returns how many items were handed out and not released. It is negative
// where foreign ones were released.
func (s ClassStats) InUse() int64 { return int64(s.Gets) - int64(s.Puts) }

// traffic returns the number of operations.
func (s ClassStats) traffic() uint64 { return s.Gets + s.Puts }

// Stats returns the classes that p has now or had, if they saw any traffic.
func (p *Pool) Stats() Stats {
	s := Stats{
		OutCount: p.out.count.Load(),
		OutBytes: p.out.bytes.Load(),
		TooSmall: p.out.tooSmall.Load(),
		TooLarge: p.out.tooLarge.Load(),
	}
	if d := p.lastDrop.Load(); d != 0 { // negative by the clock of a synctest bubble
		s.LastDrop = started.Add(time.Duration(d))
	}
	for k := firstClass; k < len(p.classes); k++ {
		cs := p.classStats(&p.classes[k])
		for _, o := range p.allObjects() {
			o.addTo(k, &cs)
		}
		if cs.Gets+cs.Puts > 0 {
			s.Classes = append(s.Classes, cs)
		}
	}
	return s
}

func (p *Pool) classStats(c *class) ClassStats {
	d := &c.depot
	if c.tables.Load() == nil { // c was never used
		return ClassStats{Capacity: d.capacity}
	}
	d.mu.Lock()
	s := ClassStats{Capacity: d.capacity, Idle: uint64(len(d.items))}
	s.Dropped.OverBudget, s.Dropped.OverBound = d.overBudget, d.overBound
	served := d.taken + c.stolen.Load()
	d.mu.Unlock()
	for l := range p.allRecords(c).each {
		s.Gets += p.load(&l.gets)
		s.Puts += p.load(&l.puts)
		s.Misses += p.load(&l.empty)
		s.Idle += uint64(l.idle())
	}
	// Operations that are under way show on one side only.
	s.Misses = less(s.Misses, served)
	// What is on a stack that is taken away is not counted then, but estimated for
	// pressure and Trim, while the stack's holder may be at work. Age is the rest.
	dropped := less(s.Puts, s.Hits()+s.Idle+s.Dropped.OverBudget+s.Dropped.OverBound)
	s.Dropped.Pressure = min(c.pressed.Load(), dropped)
	s.Dropped.Trimmed = min(c.trimmed.Load(), dropped-s.Dropped.Pressure)
	s.Dropped.Aged = dropped - s.Dropped.Pressure - s.Dropped.Trimmed
	return s
}

// inUse returns how many slices of class k were handed out and not released, with and
// without objects. It is negative where foreign ones were released.
func (p *Pool) inUse(k int) int64 {
	n := p.classStats(&p.classes[k]).InUse()
	for _, o := range p.allObjects() { // an object that was not there was not handed out
		s := p.classStats(&o.classes[k])
		n += int64(s.Hits()) - int64(s.Puts)
	}
	return n
}

// idleItems returns how many items class c keeps.
func (p *Pool) idleItems(c *class) (n int64) {
	n = int64(c.depot.len())
	for l := range p.allRecords(c).each {
		n += int64(l.idle())
	}
	return n
}

// gets returns how many requests class c has served.
func (p *Pool) gets(c *class) (n uint64) {
	for l := range p.allRecords(c).each {
		n += p.load(&l.gets)
	}
	return n
}

// puts returns how many releases class c has seen. Read before gets, it counts none whose
// request that does not count.
func (p *Pool) puts(c *class) (n uint64) {
	for l := range p.allRecords(c).each {
		n += p.load(&l.puts)
	}
	return n
}

// Abandon counts a slice of the given capacity, which p handed out, as released and
// dropped: its owner leaves it to the collector.
func (p *Pool) Abandon(capacity int) {
	if s := p.size.Load(); s != nil && (s.takes(capacity) || p.takesBack(capacity)) {
		p.addPuts(p.filed(capacity), 1)
	}
	p.discharge(capacity)
}

// addPuts adds n to the releases of class c.
func (p *Pool) addPuts(c *class, n uint64) {
	p.count(c, func(r *Record) { r.puts += n })
}

// countMiss counts a request that is served from new memory.
func (p *Pool) countMiss(c *class) {
	p.count(c, func(r *Record) {
		r.gets++
		r.empty++
	})
}

// count changes the counters of the caller's record.
func (p *Pool) count(c *class, f func(*Record)) {
	r := p.pin(c)
	f(r)
	p.unpin(r)
}

// requests returns how many requests the classes have served.
func (p *Pool) requests() (n uint64) {
	for c := range p.allClasses {
		n += p.gets(c)
	}
	return n
}

// load reads a counter of a record: in the portable engine the caller holds it;
// in the pinned one its holder may be at work.
func (p *Pool) load(n *uint64) uint64 {
	if p.portable {
		return *n // atomic access would need alignment on 32-bit machines
	}
	return atomic.LoadUint64(n)
}

// less returns a - b, or 0 if that is negative.
func less(a, b uint64) uint64 { return a - min(a, b) }
