package engine

import (
	"sync"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/rt"
)

// How pools are checked (package check). While every slice is checked, or reported to
// the race detector or ASan, all classes are closed to the fast paths. In mode sample
// those of a pool are closed now and then, while its sampler is on. A sampled slice begins
// where no other of its class does (check.Displaced), so that its release takes the slow
// path, too.

func init() {
	check.RegisterPackage()
	check.SetPools(
		func() {
			for p := range pools.all {
				p.tick()
			}
			served()
		},
		served)
	check.OnChange(func() {
		for p := range pools.all {
			p.follow()
		}
	})
}

// total is how many requests all pools have served.
var total struct {
	sync.Mutex
	requests uint64
}

// served returns how many requests all pools have served. A pool that was collected counts
// with what it had served at the last call before.
func served() uint64 {
	total.Lock()
	defer total.Unlock()
	for p := range pools.all {
		n := p.requests()
		total.requests += n - p.counted
		p.counted = n
	}
	return total.requests
}

// requests returns how many requests the classes have served.
func (p *Pool) requests() (n uint64) {
	for c := range p.allClasses {
		n += c.Gets()
	}
	return n
}

// Name implements [check.Owner].
func (p *Pool) Name() string { return p.name }

// ID implements [check.Owner].
func (p *Pool) ID() uint64 { return p.id }

// follow opens or closes the classes after a change of the mode. Idle slices were not
// tracked, or not in this mode, and are dropped. Sampling counts requests from now on.
func (p *Pool) follow() {
	if p.size.Load() == nil {
		return // Init will see the change
	}
	p.shared.Mu.Lock()
	p.sampler.Begin(p.requests())
	p.openAll()
	p.shared.Mu.Unlock()
	p.Trim()
}

// newChecked is serve while something is checked.
func (p *Pool) newChecked(r *request) []byte {
	s := p.size.Load()
	if s == nil || !s.serves(r.size) {
		return p.newOutside(r.size)
	}
	size := max(r.size, 0)
	c := p.class(&p.row, s.classOf(size))
	var b []byte
	if check.Strict() {
		b = p.newTracked(c)
	} else if weight := p.sample(); weight > 0 {
		c.CountMiss()
		b = check.NewSampled(int(c.Capacity), p, weight)
	} else {
		return p.newUnchecked(r)
	}
	b = b[:size]
	if p.clear == ClearOnGet {
		clear(b)
	}
	return b
}

// newTracked returns a slice of class c that package check knows.
func (p *Pool) newTracked(c *class) []byte {
	if x := p.take(c, new(request)); x.Some() {
		if b := x.Slice(int(c.Capacity), c.Capacity); check.Reuse(b, p) {
			return b
		}
		// It is dropped, and a new one takes its place.
	}
	return check.New(int(c.Capacity), p)
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
	if n == 0 {
		return p.releaseUnchecked(buf)
	}
	return p.releaseBy(check.Release, buf)
}

// ReleaseOwned is Release for a caller that answers for the slice, wherever it is from:
// that is no misuse.
func (p *Pool) ReleaseOwned(buf []byte) bool {
	if cap(buf) > 0 && check.Sees(buf) {
		return p.releaseBy(check.ReleaseAny, buf)
	}
	return p.Release(buf)
}

// releaseBy releases buf, if that is seen, by a function of package check.
func (p *Pool) releaseBy(release func([]byte, check.Owner) (taken, ok bool), buf []byte) bool {
	taken, ok := release(buf, p)
	if !taken {
		return p.releaseUnchecked(buf)
	}
	if !ok {
		return false
	}
	n := cap(buf)
	takes := p.takes(n)
	if takes {
		p.filed(n).CountPuts(1)
	}
	p.discharge(n)
	return takes
}

// Keep implements [check.Owner]: b, whose release was counted, is idle from now
// on.
func (p *Pool) Keep(b []byte) {
	s := p.size.Load()
	if s == nil || !s.takes(cap(b)) {
		return
	}
	p.filed(cap(b)).CountPuts(-1) // file counts again
	p.file(b)
}

// tick selects the requests to sample in mode sample. If the settings have changed
// since it looked at them, follow comes after it.
func (p *Pool) tick() {
	p.shared.Mu.Lock()
	defer p.shared.Mu.Unlock()
	if p.sampler.Select(p.requests()) {
		p.openAll()
	}
}

// sample decides whether to track the request that is being served. If so,
// it returns how many requests this one stands for, and otherwise 0.
func (p *Pool) sample() int {
	weight, off := p.sampler.Take()
	if off {
		p.shared.Mu.Lock()
		p.openAll()
		p.shared.Mu.Unlock()
	}
	return weight
}
