package bytespool

import (
	"iter"
	"weak"

	"github.com/octet-go/octet/bytespool/stats"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/engine"
)

// A Pool hands out byte slices, and keeps those that are released, in a class for each power of two between two bounds.
// Make one with [NewPool]. The zero value keeps nothing: it allocates every slice and rejects every release.
//
// All methods are safe for concurrent use. A Pool must not be copied.
type Pool struct {
	//lint:ignore U1000 it makes a *Pool what engine.Of takes
	mark
	pool engine.Pool
}

type mark = engine.Mark

// NewPool returns a Pool for slices of 2 bytes to 64 MiB, or as [WithSizes] says. By default it has no name, no budget and
// one class a doubling, keeps what was used within a second, and does not clear.
//
// The result takes a few kilobytes; what it keeps per processor comes with use.
func NewPool(opts ...Option) *Pool {
	p := new(Pool)
	c := engine.Config{
		MinSize: defaultMinSize, MaxSize: defaultMaxSize, Options: stats.Options{Retain: defaultRetain}, Waiters: waiters,
		Handle: weak.Make(p),
	}
	for _, o := range opts {
		o.apply(&c)
	}
	if c.Shared != nil && c.Limit > 0 {
		panic("bytespool: WithLimit and WithSharedLimit: pools have one limit; leave one of the two out")
	}
	p.pool.Init(c)
	return p
}

// New returns a slice of length size, which belongs to the caller until it is
// released. It may hold old bytes. Its capacity is that of its class, or size where it
// has none; or more, where none of its class is idle, and a larger one is.
// A negative size counts as 0. New never returns nil; it panics if size is
// larger than any slice can be.
func (p *Pool) New(size int) []byte { return p.pool.New(size) }

// Make is [Pool.New] with length 0: the slice has room for at least
// capacity bytes.
func (p *Pool) Make(capacity int) []byte { return p.pool.New(capacity)[:0] }

// Append appends elems to buf as the built-in append does. If buf has no room, the
// content moves to a slice of the pool, and buf is released: it must not be used
// any more, and neither must other slices of the same memory. elems may be part of
// buf.
func (p *Pool) Append(buf []byte, elems ...byte) []byte {
	n := len(buf) + len(elems)
	if uint(n) <= uint(cap(buf)) {
		return append(buf, elems...)
	}
	b := p.grow(buf, n)
	b = append(b, elems...) // before the release: elems may be in buf
	p.pool.Outgrown(buf, cap(b))
	return b
}

// grow returns a copy of buf with room for at least n bytes. Above the largest
// class it makes room for more, so that appending costs a constant a byte.
func (p *Pool) grow(buf []byte, n int) []byte {
	if n < 0 {
		panic("bytespool: Append: the result is larger than any slice can be")
	}
	if _, most := p.pool.Sizes(); n > most {
		n = max(n, cap(buf)+cap(buf)/4)
	}
	return append(p.pool.New(n)[:0], buf...)
}

// Release gives the memory of buf, up to its capacity, to the pool. The
// caller must not use the memory any more. The length does not matter.
//
// The pool keeps slices whose capacity is within its classes, whoever made them,
// with all that they have. It rejects all others. A
// capacity above the largest size is accepted only if it is that of the largest
// class: New allocates such sizes outside the classes. The pool also drops slices for which its budget has no room, and those in excess
// of what was requested lately.
//
// A slice whose front was cut off, such as b[4:] of b, is dropped, and [stats.Dropped]
// counts it (FrontCut): release b itself. That is found where what is left does not have the capacity of
// a class, and where the runtime is asked (not with the tag octet_purego); package
// [github.com/octet-go/octet/checked] finds it everywhere. To pass on a slice without its
// front, and release it later, keep b, or wrap it in a Buffer and read the front
// ([github.com/octet-go/octet/bytespool/buffer.Buffer.Next]).
func (p *Pool) Release(buf []byte) { p.pool.Release(buf) }

// Abandon says that buf, a slice of the pool, goes to the collector: the caller keeps it for
// good, or gives it to code that does, and nobody releases it. It counts as released and
// dropped, in Stats and against a limit, and package
// [github.com/octet-go/octet/checked] does not report it as lost. The slice is an ordinary
// one from then on. The length does not matter; the capacity must be as it was handed out.
func (p *Pool) Abandon(buf []byte) {
	check.Abandon(buf)
	p.pool.Abandon(cap(buf))
}

// Trim drops everything that the pool keeps idle, so that the next collection
// frees it, and returns how many bytes that was. Slices in use are not affected.
// What other goroutines release or request at the same time may or may not count.
func (p *Pool) Trim() (freed int64) { return p.pool.Trim() }

// Pools returns all pools, in the order in which they were made: those that the program
// refers to, and others until a collection finds that it does not. It is safe for
// concurrent use. Pools that are made at the same time may be left out.
func Pools() iter.Seq[*Pool] {
	return func(yield func(*Pool) bool) {
		for e := range engine.Pools {
			w, _ := e.Handle().(weak.Pointer[Pool])
			if p := w.Value(); p != nil && !yield(p) {
				return
			}
		}
	}
}

func init() {
	check.RegisterPackage()
	engine.Of = func(pools engine.Marked) *engine.Pool { return &pools.(*Pool).pool }
}
