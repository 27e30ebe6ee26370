package oct004

import (
	"io"
	"sync"
	"sync/atomic"
)

// A sample goes to a writer, which puts it back.
type sample struct {
	at   int64
	data [64]byte
}

var samples = sync.Pool{New: func() any { return new(sample) }}

type sampler struct {
	ch      chan *sample
	dropped atomic.Int64
	w       io.Writer
}

func (x *sampler) offer(p *sample) {
	select {
	case x.ch <- p:
	default:
		x.dropped.Add(1)
	}
}

// ok: nothing is said of a sample that the writer may have no room for.
func (x *sampler) record(at int64) {
	p := samples.Get().(*sample)
	p.at = at
	x.offer(p)
}

func (x *sampler) tell(p *sample) bool {
	select {
	case x.ch <- p:
		return true
	default:
		return false
	}
}

// ok: the caller is told, and puts it back.
func (x *sampler) recordTold(at int64) {
	p := samples.Get().(*sample)
	p.at = at
	if !x.tell(p) {
		samples.Put(p)
	}
}

// bad: the caller is told, and does nothing.
func (x *sampler) recordUntold(at int64) {
	p := samples.Get().(*sample) // want "OCT004: p is not released on every path"
	p.at = at
	if !x.tell(p) {
		x.dropped.Add(1)
	}
}
