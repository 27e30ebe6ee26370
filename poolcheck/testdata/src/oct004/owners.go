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

type coin interface {
	Len() int
	Release()
}

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

func (g *gold) Len() int { return len(g.data) }

func (g *gold) Release() {
	if g.refs.Add(-1) == 0 {
		g.from.free(g.data)
		g.data = nil
	}
}

func weightOf(c coin) int { return 19 * c.Len() }

// ok: it is given back.
func weighedAndReleased(v *vault) int {
	g := newGold(v, 8)
	defer g.Release()
	return weightOf(g)
}

var errNoGold = errors.New("no gold")

func dig(v *vault, n int) (*gold, error) {
	if n > 7 {
		return nil, errNoGold
	}
	return newGold(v, n), nil
}

// ok: it is given back.
func digAllOrNone(v *vault, depths []int) ([]*gold, error) {
	var out []*gold
	for _, n := range depths {
		g, err := dig(v, n)
		if err != nil {
			for _, g := range out {
				g.Release()
			}
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}

// ok: the slices of the list that is left go back.
func shovels(v *vault, n int) ([][]byte, error) {
	var out [][]byte
	for i := range n {
		if i > 7 {
			for _, p := range out {
				v.free(p)
			}
			return nil, errNoGold
		}
		out = append(out, v.allocate(64))
	}
	return out, nil
}

// ok: the slice goes over the channel, and its box with it.
func hoist(v *vault, up chan []byte, closed chan struct{}) {
	p := v.allocate(64)
	select {
	case up <- p:
	case <-closed:
		v.free(p)
	}
}

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

type mint struct{ by map[string]*purse }

// ok: what was in the map is released where it was there.
func (m *mint) strike(name string) {
	if p, ok := m.by[name]; ok {
		p.Release()
	}
	delete(m.by, name)
}

func (m *mint) issue(name string) {
	if _, ok := m.by[name]; !ok {
		m.by[name] = newPurse()
	}
}

type consignment struct {
	what any
	from *vault
}

// ship is done when somebody has the consignment.
func ship(to chan consignment, closed chan struct{}, what any) error {
	p := consignment{what: what}
	select {
	case <-closed:
		return errNoGold
	case to <- p:
	}
	return nil
}

// bad: a consignment that was not sent is lost.
func shipPurse(to chan consignment, closed chan struct{}) error {
	p := safes.Get().(*[]byte) // want "OCT004: p is not released.*returns without a release"
	if err := ship(to, closed, p); err != nil {
		return err
	}
	return nil // and one that was sent is not
}

// ok: each of them is.
func countEach(purses chan *purse) (sum int) {
	for p := range purses {
		sum += len(p.data)
		p.Release()
	}
	return sum
}

// ok: a box whose slice is too small is not worth putting back.
func takeMoney(n int) []byte {
	p := safes.Get().(*[]byte)
	if cap(*p) < n {
		*p = make([]byte, n)
	}
	return (*p)[:n]
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

// ok: each is given back, and forgotten.
func meltEach(v *vault) {
	all, err := digUntil(v, []int{1, 2})
	if err != nil {
		return
	}
	for i, g := range all {
		g.Release()
		all[i] = nil
	}
}
