package engine

import (
	"runtime"
	"weak"
)

// Idle memory goes back in two steps, one a collection. The first makes each
// stack the victim of its record, from which gets take once the new stack is
// empty: an item survives by being used. The second drops the victim with all
// that is still on it. A depot, which has a lock, drops what was idle since the
// collection before. So a pool that nobody uses keeps nothing after two
// collections, and one in steady use keeps what it uses.
//
// The finalizer of a sentinel does this, which the next collection finds
// unreachable. It knows the pool by a weak pointer, so that it does not keep it
// alive. A pool that keeps nothing has no sentinel.
//
// It is a finalizer because a cleanup (runtime.AddCleanup) may never run: the
// runtime queues cleanups at processors, and those of a processor that
// GOMAXPROCS takes away wait until it comes back (Go 1.25 to 1.27, p.destroy).
type sentinel struct{ pool weak.Pointer[Pool] }

// Arm makes sure that age follows the next collection. A [Companion] calls it
// after it came to keep something.
func (p *Pool) Arm() {
	if p.armed.Load() || !p.armed.CompareAndSwap(false, true) {
		return
	}
	runtime.SetFinalizer(&sentinel{weak.Make(p)}, (*sentinel).afterCollection)
}

func (s *sentinel) afterCollection() {
	if p := s.pool.Value(); p != nil {
		p.armed.Store(false) // before age looks: see put
		if p.age() {
			p.Arm()
		}
	}
}

// age drops what was idle since the call before and reports whether anything is
// left.
func (p *Pool) age() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	left := false
	for c := range p.allClasses {
		for l := range p.allRecords(c) {
			if l.retire() {
				left = true
			}
		}
		if c.depot.age() {
			left = true
		}
	}
	if o := p.objects.Load(); o != nil && o.companion.Age() {
		left = true
	}
	return left
}

// Trim drops everything that p keeps idle and returns how many bytes that was.
// What other goroutines release or get meanwhile may count or not.
func (p *Pool) Trim() (freed int64) {
	if p.size.Load() == nil {
		return 0 // a zero Pool
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.allClasses {
		freed += p.trimClass(c)
	}
	if o := p.objects.Load(); o != nil {
		freed += o.companion.Trim()
	}
	return freed
}

// trimClass is Trim for one class. The caller holds p.mu.
func (p *Pool) trimClass(c *class) (freed int64) {
	n := c.depot.trim()
	for l := range p.allRecords(c) {
		n += l.drop()
	}
	return int64(n) * int64(c.depot.capacity)
}
