package oct004

import (
	"errors"
	"sync"
)

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
