package idioms

import "math/big"

// numberPool keeps the temporaries of one calculation.
type numberPool struct{ idle []*big.Int }

// ok: Get as the others have it.
func (p *numberPool) Get() *big.Int {
	last := len(p.idle) - 1
	if last < 0 {
		return new(big.Int)
	}
	n := p.idle[last]
	p.idle = p.idle[:last]
	return n
}

// ok: Put as the others have it.
func (p *numberPool) Put(n *big.Int) {
	p.idle = append(p.idle, n)
}

// point has its numbers from the pool.
type point struct{ x, y *big.Int }

func newPoint(p *numberPool) *point {
	return &point{p.Get(), p.Get()}
}

func (a *point) put(p *numberPool) {
	p.Put(a.x)
	p.Put(a.y)
}

func (a *point) set(b *point) *point {
	a.x.Set(b.x)
	a.y.Set(b.y)
	return a
}

// ok: numbers hold no bytes, and the pool ends with the calculation.
func (a *point) double(b *point, p *numberPool) bool {
	t := newPoint(p).set(b)
	if t.x.Cmp(t.y) == 0 {
		return false
	}
	a.x.Add(t.x, t.y)
	t.put(p)
	return true
}
