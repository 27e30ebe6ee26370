package engine

import (
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/rt"
)

// How pools are checked (package check). While every slice is, or the race
// detector or ASan is to be told of each, all classes are closed to the fast
// paths. In mode sample they are closed now and then, until as many requests as
// are due were sampled. A sampled slice has a capacity that is no class's
// (check.SampledCapacity), so that its release takes the slow path, too.

func init() {
	check.RegisterPackage[Pool]()
	check.SetPools(
		func() {
			eachPool((*Pool).tick)
			served()
		},
		served)
	check.OnChange(func() { eachPool((*Pool).follow) })
}

// Name implements [check.Owner].
func (p *Pool) Name() string { return p.name }

// ID implements [check.Owner].
func (p *Pool) ID() uint64 { return p.id }

// follow opens or closes the classes after a change of the mode. What is idle is
// not tracked, or no more, and goes. Sampling begins with the requests from now on.
func (p *Pool) follow() {
	if p.size.Load() == nil {
		return // Init will see the change
	}
	p.mu.Lock()
	for c := range p.allClasses {
		c.samples.Store(0)
		c.seen = p.gets(c)
		p.open(c)
	}
	p.mu.Unlock()
	p.Trim()
}

// newChecked is newSlow while something is checked.
func (p *Pool) newChecked(size int) []byte {
	s := p.size.Load()
	if s == nil || size > s.fit {
		return p.newOutside(size)
	}
	size = max(size, 0)
	c := &p.classes[s.classOf(size)]
	var b []byte
	switch {
	case check.Strict():
		b = p.newTracked(c)
	default:
		weight := p.sample(c)
		if weight == 0 {
			return p.newUnchecked(size)
		}
		p.countMiss(c)
		b = check.NewSampled(int(c.capacity), p, weight)
	}
	b = b[:size]
	if p.clear == ClearNew {
		clear(b)
	}
	return b
}

// newTracked returns a slice of class c that package check knows.
func (p *Pool) newTracked(c *class) []byte {
	for {
		x := p.get(c)
		if !x.some() {
			return check.New(int(c.capacity), p)
		}
		if b := x.slice(int(c.capacity), c.capacity); check.Reuse(b, p) {
			return b
		}
		p.addPuts(c, 1) // it is dropped, and not in use
	}
}

// NewOwned is New for a caller that answers for the slice in what it hands out.
func (p *Pool) NewOwned(size int) []byte {
	switch {
	case check.Strict():
		b := p.newChecked(size)
		check.Own(b)
		return b
	case check.Current() == check.Sample:
		return p.newUnchecked(size)
	}
	return p.New(size)
}

// allocate returns n bytes that no class has.
func (p *Pool) allocate(n int) []byte {
	if n > 0 && check.Strict() {
		return check.New(n, p)
	}
	return rt.DirtyBytes(n)
}

// releaseChecked is releaseSlow while something is checked.
func (p *Pool) releaseChecked(buf []byte) bool {
	n := cap(buf)
	if n == 0 || !check.Sees(n) {
		return p.releaseUnchecked(buf)
	}
	taken, ok := check.Release(buf, p)
	if !taken {
		return p.releaseUnchecked(buf)
	}
	if check.Current() == check.Sample {
		n = check.ClassCapacity(n) // or a sampled slice of the largest class is too large
	}
	if !ok || !p.takes(n) {
		return false
	}
	p.addPuts(p.filed(n), 1)
	return true
}

// Abandon counts a slice of the given capacity, which p handed out, as released and
// dropped: its owner leaves it to the collector.
func (p *Pool) Abandon(capacity int) {
	if s := p.size.Load(); s != nil && s.takes(capacity) {
		p.addPuts(p.filed(capacity), 1)
	}
}

// Keep implements [check.Owner]: b, whose release was counted, is idle from now
// on.
func (p *Pool) Keep(b []byte) {
	if s := p.size.Load(); s == nil || !s.takes(cap(b)) {
		return
	}
	c := p.filed(cap(b))
	p.addPuts(c, ^uint64(0)) // put counts again
	p.put(c, itemOf(b))
}

// addPuts adds n to the releases of class c.
func (p *Pool) addPuts(c *class, n uint64) {
	l := p.pin(c)
	l.puts += n
	p.unpin(l)
}

// countMiss counts a request that is served from new memory.
func (p *Pool) countMiss(c *class) {
	l := p.pin(c)
	l.gets++
	l.empty++
	p.unpin(l)
}

// tick selects the requests to sample in mode sample. If the settings have changed
// since it looked at them, follow comes after it.
func (p *Pool) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := check.Settings(); now.Mode == check.Sample {
		p.selectSamples(uint64(now.OneIn))
	}
}

// selectSamples closes the classes that have served so many requests since the
// last tick that one in every is due. The caller holds p.mu.
func (p *Pool) selectSamples(every uint64) {
	for c := range p.allClasses {
		n := p.gets(c)
		due := (n - c.seen) / every
		if due == 0 {
			continue
		}
		c.seen += due * every
		samples := min(due, check.MaxSamples)
		c.weight.Store(every * due / samples)
		c.samples.Store(int32(samples))
		c.pinned.Store(0)
		c.striped.Store(0)
	}
}

// sample decides whether the request of class c that is being served is one to
// track, and returns how many it stands for then, and else 0.
func (p *Pool) sample(c *class) (weight int) {
	if check.Settings().OneIn == 1 {
		check.CountSampled()
		return 1
	}
	if c.samples.Load() <= 0 {
		return 0
	}
	n := c.samples.Add(-1)
	if n == 0 {
		p.mu.Lock()
		p.open(c)
		p.mu.Unlock()
	}
	if n < 0 {
		return 0
	}
	check.CountSampled()
	return int(c.weight.Load())
}

// requests returns how many requests the classes have served.
func (p *Pool) requests() (n uint64) {
	for c := range p.allClasses {
		n += p.gets(c)
	}
	return n
}
