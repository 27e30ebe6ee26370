// Package defers shows the fix that inserts a deferred release. It is offered
// only where nothing else releases or takes the memory.
package defers

import (
	"io"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

// bad: never released: the fix is certain.
func peek(r io.Reader) (byte, error) {
	head := bytespool.New(16) // want "OCT004: .*head.*"
	if _, err := io.ReadFull(r, head); err != nil {
		return 0, err
	}
	return head[0], nil
}

// bad: a Buffer is released by its method.
func render(name string) string {
	page := buffer.Get() // want "OCT004: .*page.*"
	page.WriteString(name)
	return page.String()
}

// bad: a pool of one's own releases by its method.
func own(p *bytespool.Pool, r io.Reader) int {
	in := p.New(512) // want "OCT004: .*in.*"
	n, _ := r.Read(in)
	return n
}

// bad: one path releases already; a defer on top would release twice: no fix.
func partly(r io.Reader) error {
	head := bytespool.New(16) // want "OCT004: .*head.*"
	if _, err := io.ReadFull(r, head); err != nil {
		return err
	}
	bytespool.Release(head)
	return nil
}

// bad: in a loop a defer would pile up: no fix.
func loop(w io.Writer, lines []string) {
	for _, l := range lines {
		msg := append(bytespool.Make(len(l)), l...) // want "OCT004: .*msg.*"
		w.Write(msg)
	}
}
