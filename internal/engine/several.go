package engine

import (
	"context"
	"math"
	"math/bits"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/magazine"
	"github.com/octet-go/octet/internal/sanitize"
)

// TryNewN fills bufs with slices of the given size, if the limit allows for all of them, and
// otherwise returns ErrLimit. AcquireN waits for that. They ask once.
func (p *Pool) TryNewN(bufs [][]byte, size int) error {
	n := p.times(size, len(bufs))
	if err := p.ask(n); err != nil {
		return err
	}
	p.fill(bufs, size, n)
	return nil
}

func (p *Pool) AcquireN(ctx context.Context, bufs [][]byte, size int) error {
	n := p.times(size, len(bufs))
	if err := p.wait(ctx, n); err != nil {
		return err
	}
	p.fill(bufs, size, n)
	return nil
}

// WaitN is Wait for several slices, which it waits for together.
func (p *Pool) WaitN(bufs [][]byte, size int) {
	n := p.times(size, len(bufs))
	if p.limiter != nil {
		n = p.limiter.waitAlways(n)
	}
	p.fill(bufs, size, n)
}

// times returns what n slices of the given size count.
func (p *Pool) times(size, n int) int64 {
	hi, lo := bits.Mul64(uint64(p.CapacityOf(size)), uint64(n))
	if hi > 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}

// several is how many items are moved at once.
const several = 16

// fill fills bufs with slices of the given size, for which n bytes were counted.
func (p *Pool) fill(bufs [][]byte, size int, n int64) {
	taken, got := p.takeN(bufs, size)
	if taken == len(bufs) {
		p.Settle(n, got)
		return
	}
	defer func() { p.Settle(n, got) }() // deferred: newSlow may panic
	each := p.CapacityOf(size)
	for i := taken; i < len(bufs); i++ {
		if p.limiter != nil {
			if bufs[i] = p.largerAdmitted(size, int64(each), true); bufs[i] != nil {
				got += each // what it has beyond that was counted
				continue
			}
		}
		bufs[i] = p.newSlow(size)
		got += cap(bufs[i])
	}
}

// takeN fills the first of bufs with slices of the given size that are idle, and returns how
// many it filled, and what they have together.
func (p *Pool) takeN(bufs [][]byte, size int) (n, bytes int) {
	s := p.size.Load()
	if s == nil || !s.serves(size) || check.Current() != check.Off {
		return 0, 0
	}
	size = max(size, 0)
	c := p.class(&p.row, s.classOf(size))
	for n < len(bufs) {
		var items [several]item
		wanted := min(several, len(bufs)-n)
		got := c.TakeN(items[:wanted])
		for _, x := range items[:got] {
			bufs[n] = p.sliceOf(c, loan{x, c.Capacity}, size)
			n++
		}
		if got < wanted {
			break
		}
	}
	p.arm() // age may have looked while the rest of a stack was nowhere
	return n, n * int(c.Capacity)
}

// ReleaseN releases bufs, and subtracts once what they count.
func (p *Pool) ReleaseN(bufs [][]byte) (kept int) {
	bytes := 0
	for len(bufs) > 0 {
		n, k := p.putN(bufs)
		bytes += n * cap(bufs[0])
		kept += k
		if n == 0 {
			if p.Release(bufs[0]) {
				kept++
			}
			n = 1
		}
		bufs = bufs[n:]
	}
	if bytes > 0 {
		p.discharge(bytes) // last: who is served finds them idle
	}
	return kept
}

// putN is Release for the first n of bufs, if these have the capacity of one class and are
// nothing out of the ordinary, and for a caller that subtracts what they count.
func (p *Pool) putN(bufs [][]byte) (n, kept int) {
	s, capacity := p.size.Load(), cap(bufs[0])
	if s == nil || !s.takes(capacity) || p.clear == ClearOnRelease || sanitize.Enabled || check.Current() != check.Off {
		return 0, 0
	}
	c := p.filed(capacity)
	if c.Capacity != uintptr(capacity) {
		return 0, 0
	}
	var items [several]item
	for n < min(several, len(bufs)) && cap(bufs[n]) == capacity && check.Displaced(bufs[n]) == 0 {
		items[n] = magazine.ItemOf(bufs[n])
		n++
	}
	kept, surplus := c.PutN(items[:n])
	p.hasPut(c, surplus)
	return n, kept
}
