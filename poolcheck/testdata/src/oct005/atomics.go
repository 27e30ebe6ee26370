package oct005

import (
	"sync"
	"sync/atomic"
)

type sample struct{ value float64 }

var samples = sync.Pool{New: func() any { return new(sample) }}

// A gauge has the last value.
type gauge struct{ last atomic.Pointer[sample] }

func (g *gauge) Value() float64 {
	if s := g.last.Load(); s != nil {
		return s.value
	}
	return 0
}

// bad: Value may have loaded the old one.
func (g *gauge) Set(v float64) {
	s := samples.Get().(*sample)
	s.value = v
	if old := g.last.Swap(s); old != nil {
		samples.Put(old) // want "OCT005: .*is released here while .*Value.* may still use it"
	}
}

// A total is read under the lock that Set has.
type total struct {
	mu   sync.RWMutex
	last atomic.Pointer[sample]
}

func (t *total) Value() float64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if s := t.last.Load(); s != nil {
		return s.value
	}
	return 0
}

// ok: nobody reads the old one.
func (t *total) Set(v float64) {
	s := samples.Get().(*sample)
	s.value = v
	t.mu.Lock()
	defer t.mu.Unlock()
	if old := t.last.Swap(s); old != nil {
		samples.Put(old)
	}
}

// A box is given over: who takes what is there owns it.
type box struct{ full atomic.Pointer[sample] }

func (b *box) put(v float64) {
	s := samples.Get().(*sample)
	s.value = v
	if old := b.full.Swap(s); old != nil {
		samples.Put(old)
	}
}

// ok: Swap leaves nothing behind.
func (b *box) take() (v float64) {
	if s := b.full.Swap(nil); s != nil {
		v = s.value
		samples.Put(s)
	}
	return v
}

// ok: it looks whether there is one, and not at it.
func (b *box) isFull() bool { return b.full.Load() != nil }
