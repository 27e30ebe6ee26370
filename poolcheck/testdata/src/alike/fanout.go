package alike

import (
	"io"

	"github.com/octet-go/octet/compat/bytespool/buffer"
)

// ok: a reference for each goroutine, added in a loop of their own.
func fanOut(conns []io.Writer) {
	b := buffer.NewString("x")
	for range conns {
		b.RefInc()
	}
	for _, c := range conns {
		go func() {
			defer b.Release()
			c.Write(b.Bytes())
		}()
	}
	b.Release()
}

// ok: the goroutines are those of a method.
func fanOutTo(conns []*peer) {
	b := buffer.NewString("x")
	for range conns {
		b.RefInc()
	}
	for _, c := range conns {
		go c.write(b)
	}
	b.Release()
}

type peer struct{ w io.Writer }

func (p *peer) write(b *buffer.Buffer) {
	p.w.Write(b.Bytes())
	b.Release()
}

// ok: a helper adds the references.
func fanOutRetained(conns []*peer) {
	b := buffer.NewString("x")
	retain(b, len(conns))
	for _, c := range conns {
		go c.write(b)
	}
	b.Release()
}

func retain(b *buffer.Buffer, n int) {
	for range n {
		b.RefInc()
	}
}

// ok: a literal adds them.
func fanOutByLiteral(conns []*peer) {
	b := buffer.NewString("x")
	keep := func() { b.RefInc() }
	for range conns {
		keep()
	}
	for _, c := range conns {
		c.write(b)
	}
	b.Release()
}

// ok: the caller's own reference goes first.
func fanOutLast(conns []io.Writer) {
	b := buffer.NewString("x")
	for range conns {
		b.RefInc()
	}
	b.Release()
	for _, c := range conns {
		c.Write(b.Bytes())
		b.Release()
	}
}
