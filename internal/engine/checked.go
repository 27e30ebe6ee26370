package engine

import (
	"math/bits"
	"slices"
	"sync"
	"weak"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/rt"
)

// How pools are checked (package check). While every slice is, or the race
// detector or ASan is to be told of each, all classes are closed to the fast
// paths. In mode sample they are closed now and then, until as many requests as
// are due were picked. A slice that was picked has a capacity that is no class's
// (check.SampledCapacity), so that its release takes the slow path, too.

// pools are all that there are.
var pools struct {
	sync.Mutex
	list   []member
	next   int    // length at which those that are gone are looked for
	served uint64 // requests that were counted, also those of pools that are gone
}

// A member is one of the pools.
type member struct {
	pool    weak.Pointer[Pool]
	counted uint64 // its part of pools.served
}

func init() {
	check.RegisterPackage[Pool]()
	check.SetPools(
		func() {
			eachPool((*Pool).beat)
			served()
		},
		served)
	check.OnChange(func() { eachPool((*Pool).follow) })
}

// register adds p to the pools.
func register(p *Pool) {
	pools.Lock()
	defer pools.Unlock()
	if len(pools.list) >= pools.next {
		pools.list = slices.DeleteFunc(pools.list, func(m member) bool { return m.pool.Value() == nil })
		pools.next = 2*len(pools.list) + 16
	}
	pools.list = append(pools.list, member{pool: weak.Make(p)})
}

// served returns how many requests all pools have served, but for what those that
// are gone did after the call before.
func served() uint64 {
	pools.Lock()
	defer pools.Unlock()
	for i := range pools.list {
		m := &pools.list[i]
		if p := m.pool.Value(); p != nil {
			n := p.requests()
			pools.served += n - m.counted
			m.counted = n
		}
	}
	return pools.served
}

// eachPool calls f for every pool.
func eachPool(f func(*Pool)) {
	pools.Lock()
	list := slices.Clone(pools.list)
	pools.Unlock()
	for _, m := range list {
		if p := m.pool.Value(); p != nil {
			f(p)
		}
	}
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
	if o := p.objects.Load(); o != nil {
		o.sampled = o.requests()
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
	k := s.classOf(size)
	c := &p.classes[k]
	var b []byte
	switch {
	case check.Strict():
		b = p.newTracked(c, k)
	default:
		weight := p.pick(c)
		if weight == 0 {
			return p.newUnchecked(size)
		}
		p.countPick(c)
		b = check.NewSampled(1<<k, p, weight)
	}
	b = b[:size]
	if p.clear == ClearNew {
		clear(b)
	}
	return b
}

// newTracked returns a slice of class c, which is k, that package check knows.
func (p *Pool) newTracked(c *class, k int) []byte {
	for {
		x := p.get(c)
		if !x.some() {
			return check.New(1<<k, p)
		}
		if b := x.slice(1<<k, k); check.Reuse(b, p) {
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
	if !ok || !p.takes(n) {
		return false
	}
	p.addPuts(&p.classes[bits.Len(uint(n))-1], 1)
	return true
}

// Keep implements [check.Owner]: b, whose release was counted, is idle from now
// on.
func (p *Pool) Keep(b []byte) {
	if s := p.size.Load(); s == nil || cap(b) < 1<<s.minClass || cap(b) > 1<<s.maxClass {
		return
	}
	c := &p.classes[bits.Len(uint(cap(b)))-1]
	p.addPuts(c, ^uint64(0)) // put counts again
	p.put(c, itemOf(b))
}

// addPuts adds n to the releases of class c.
func (p *Pool) addPuts(c *class, n uint64) {
	l := p.pin(c)
	l.puts += n
	p.unpin(l)
}

// countPick counts a request that is served from new memory.
func (p *Pool) countPick(c *class) {
	l := p.pin(c)
	l.gets++
	l.empty++
	p.unpin(l)
}

// beat has requests be picked in mode sample. Settings that have changed since it
// looked at them do no harm: follow comes after it then.
func (p *Pool) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := check.Settings(); now.Mode == check.Sample {
		p.sample(now.OneIn)
	}
}

// sample closes the classes of which a request in so many is to be picked and that
// served as many since the last call. The caller holds p.mu.
func (p *Pool) sample(every int) {
	for k := range p.classes {
		c := &p.classes[k]
		n := p.gets(c)
		due := (n - c.seen) / uint64(every)
		if due == 0 {
			continue
		}
		c.seen += due * uint64(every)
		picks := min(due, check.MaxSamples)
		c.weight.Store(uint64(every) * due / picks)
		c.samples.Store(int32(picks))
		c.pinned.Store(0)
		c.striped.Store(0)
	}
	if o := p.objects.Load(); o != nil {
		if due := (o.requests() - o.sampled) / uint64(every); due > 0 {
			o.sampled += due * uint64(every)
			o.companion.Sample(int(min(due, check.MaxSamples)))
		}
	}
}

// pick decides whether the request of class c that is served is one of those to be
// tracked, and returns how many it stands for then, and else 0.
func (p *Pool) pick(c *class) (weight int) {
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
	for k := range p.classes {
		n += p.gets(&p.classes[k])
	}
	if o := p.objects.Load(); o != nil {
		n += o.requests()
	}
	return n
}

// requests returns how many objects were asked for.
func (o *objects) requests() (n uint64) {
	for k := range o.classes {
		gets, _, _ := o.companion.Traffic(k)
		n += gets + o.pool.gets(&o.classes[k])
	}
	return n
}
