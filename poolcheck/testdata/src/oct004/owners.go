package oct004

import (
	"errors"
	"sync"
	"sync/atomic"
)

// A vault hands out memory as long as there is some that is large enough.
type vault struct{ pool sync.Pool }

func (v *vault) allocate(n int) []byte {
	if p, ok := v.pool.Get().(*[]byte); ok && cap(*p) >= n {
		return (*p)[:n]
	}
	return make([]byte, n)
}

func (v *vault) free(p []byte) { v.pool.Put(&p) }

// A gold has memory of a vault until its last reference is given back.
type gold struct {
	refs atomic.Int64
	from *vault
	data []byte
}

func newGold(v *vault, n int) *gold {
	g := &gold{from: v, data: v.allocate(n)}
	g.refs.Store(1)
	return g
}

func (g *gold) Release() {
	if g.refs.Add(-1) == 0 {
		g.from.free(g.data)
		g.data = nil
	}
}

var errNoGold = errors.New("no gold")

var safes = sync.Pool{New: func() any {
	p := make([]byte, 512)
	return &p
}}

type purse struct{ data []byte }

func newPurse() *purse { return &purse{data: *safes.Get().(*[]byte)} }

func (p *purse) Release() {
	if p.data == nil {
		return
	}
	data := p.data
	p.data = nil
	safes.Put(&data)
}

// ok: a purse that has nothing has nothing to give back.
func countMoney() int {
	p := newPurse()
	defer p.Release()
	return len(p.data)
}

// ok: what was dug is handed out, and nothing was if the list is empty.
func digUntil(v *vault, depths []int) ([]*gold, error) {
	var out []*gold
	for _, n := range depths {
		g := newGold(v, n)
		if n > 7 {
			g.Release()
			if len(out) > 0 {
				return out, nil
			}
			return nil, errNoGold
		}
		out = append(out, g)
	}
	return out, nil
}

type satchel struct{ p *[]byte }

func newSatchel() *satchel { return &satchel{safes.Get().(*[]byte)} }

func (s *satchel) Release() { safes.Put(s.p) }

// bad: a satchel has what it must give back, and does not where there is no gold.
func payOrKeep(n int) (int, error) {
	s := newSatchel() // want "OCT004: s is not released on every path .*returns without a release"
	if n > len(*s.p) {
		return 0, errNoGold
	}
	n = copy(*s.p, "coins")
	s.Release()
	return n, nil
}
