package buffer

import (
	"sync/atomic"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/internal/engine"
)

// A source is where Buffers come from.
type source struct {
	engine  *engine.Pool
	objects engine.Objects[Buffer] // of engine: the idle Buffers

	_      [64]byte                    // those that change what follows slow down nobody who reads the rest
	recent atomic.Pointer[engine.Head] // the class of the Buffer that was released last, or of one before; nil at first
}

// shared is where the functions of the package and declared Buffers take memory from: the
// default pools. Tests replace it.
var shared = newSource(engine.Of(bytespool.Default()))

func newSource(p *engine.Pool) *source {
	return &source{engine: p, objects: engine.ObjectsOf[Buffer](p)}
}

// source returns where the memory of b comes from.
func (b *Buffer) source() *source {
	if b.home == nil {
		return shared
	}
	return b.home
}
