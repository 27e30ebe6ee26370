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
