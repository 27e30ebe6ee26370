package engine

import (
	"github.com/octet-go/octet/internal/magazine"
	"github.com/octet-go/octet/internal/rt"
)

// How what has grown is found again. Programs take what they expect to need, and append more. So
// what they release is larger than what they ask for: without more, each request would allocate,
// and releases would serve nobody.
//
// Therefore a request that finds nothing in its class takes the smallest idle item that is large
// enough: a loan. Lending never allocates, so that loans together have no more than was idle. A
// class lends once more has come back to it than was taken from it. Otherwise requests of several
// sizes would share the items of the largest, and find none of their own for ever.
//
// But a loan may be held, and with it more memory than was asked for. Up to LendFreely times the
// size is lent always. More is lent as long as all slices in use, had they what loans have on
// average, would have no more than lendBytes, or a part of the live heap. That is looked at after
// each collection, and now and then in between.

const (
	LendFreely = 8        // times the size of the request
	lendBytes  = 16 << 20 // what loans may have in all
	lendShare  = 16       // or this part of the live heap; and the part of a limit that is lent
	lookEach   = 64       // loans that are refused, between two looks
)

// lendHere takes a loan for a request of class k of r for size bytes, which it counts, from the
// stacks of processor pid. Where there is a limit, it counts what the loan has beyond the bytes that
// the caller has counted. The caller is pinned to the processor, and found nothing on the stack of its
// own class; lendHere unpins it.
func (p *Pool) lendHere(r *row, k uint32, pid, size int, counted int64) (x loan) {
	look := false
	if own := r.classes[2*k].Load(); own != nil && !own.HasStored() {
		x, look = p.lendPinned(r, k, pid, LendFreely*uintptr(size), counted)
	}
	rt.Unpin()
	if look {
		p.Look()
	}
	if !x.Some() && x.capacity > 0 {
		p.discharge(int(int64(x.capacity) - counted)) // not while pinned: it may wake somebody
	}
	return x
}

// lendPinned is lendHere for a request that gets so many bytes always. If it returns no
// item and a capacity, that was counted in vain.
func (p *Pool) lendPinned(r *row, k uint32, pid int, free uintptr, counted int64) (x loan, look bool) {
	for at := r.grown.next(int(2*k + 1)); at >= 0; at = r.grown.next(at + 1) {
		c := r.headAt(uint32(at))
		l := c.Record(pid)
		if l == nil {
			continue
		}
		y := l.Newest()
		if !y.Some() {
			continue
		}
		if c.Capacity > free && p.lending.narrow.Load() {
			break
		}
		x = r.loanOf(c, y)
		if !p.admits(int64(x.capacity) - counted) {
			break
		}
		x.item = l.Pop() // none if the stack has been retired meanwhile
		return x, x.Some() && c.Capacity > free && l.CountLoan(x.capacity)
	}
	return loan{}, false
}

// admits counts n bytes of a loan, if a limit allows it.
func (p *Pool) admits(n int64) bool {
	return p.limiter == nil || p.limiter.AdmitUpTo(n, p.limiter.Bytes()/lendShare)
}

// Narrow reports whether no more than LendFreely times the size is lent now.
func (p *Pool) Narrow() bool { return p.lending.narrow.Load() }

// lend takes a loan for r, a request of class c, from the stacks and depots that the caller may
// take from. Where there is a limit, it counts what the loan has beyond the bytes that r has counted.
func (p *Pool) lend(c *class, r *request) (x loan) {
	free := LendFreely * uintptr(r.size)
	for at := c.row.grown.next(c.at + 1); at >= 0; at = c.row.grown.next(at + 1) {
		g := c.row.classes[at].Load()
		if !g.HasIdle() {
			continue
		}
		if g.Capacity > free && p.narrow() {
			break
		}
		if x = c.row.loanOf(g.Head, g.Take()); !x.Some() {
			continue
		}
		more := max(int64(x.capacity)-r.counted, 0)
		if !p.admits(more) {
			p.put(g, x.item)
			return loan{}
		}
		r.counted += more
		if g.Capacity > free && g.CountLoan(x.capacity) {
			p.Look()
		}
		return x
	}
	return loan{}
}

// narrow reports whether a loan of more than LendFreely times the size is refused.
func (p *Pool) narrow() bool {
	l := &p.lending
	if l.narrow.Load() && l.refused.Add(1)%lookEach == 0 {
		p.Look()
	}
	return l.narrow.Load()
}

// Look looks at what is in use, and what loans have. Who counts a loan calls it when
// [Record.CountLoan] says so.
func (p *Pool) Look() {
	if p.lending.mu.TryLock() { // or somebody else does
		all := p.census()
		p.lookAt(&all)
		p.lending.mu.Unlock()
	}
}

// lookAt is Look for a caller that holds mu.
func (p *Pool) lookAt(all *census) {
	l := &p.lending
	loans, bytes := int64(0), int64(0)
	for c := range p.allClasses {
		all := c.Loans()
		n, has := all.Since(c.loans)
		c.loans = all
		loans += n
		bytes += has
		c.lookWhetherGrown()
	}
	if loans > 0 {
		l.mean = bytes / loans
	}
	n := l.use.beyond(all.inUse, all.back)
	l.narrow.Store(n*l.mean > max(lendBytes, LastPressure().Live/lendShare))
}

// A census is how many slices are in use, and how many have come back. Foreign ones that were
// released count as less than none.
type census struct {
	inUse   int64
	back    uint64
	byClass [magazine.SteppedClasses]int64 // in use of each class, alone or with objects, and odd ones with those of their class
}

func (p *Pool) census() (all census) {
	all.back = p.out.tooSmall.Load() + p.out.tooLarge.Load()
	all.inUse = int64(p.out.count.Load() - all.back)
	for c := range p.allClasses {
		if c.Capacity > 0 { // or it has objects without a slice
			n := c.slicesInUse()
			all.back += c.Puts()
			all.inUse += n
			all.byClass[c.index()] += n // what objects have was made without them
		}
	}
	return all
}
