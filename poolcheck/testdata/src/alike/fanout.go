package alike

import (
	"io"

	"github.com/octet-go/octet/compat/bytespool/buffer"
)

type peer struct{ w io.Writer }

func (p *peer) write(b *buffer.Buffer) {
	p.w.Write(b.Bytes())
	b.Release()
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
