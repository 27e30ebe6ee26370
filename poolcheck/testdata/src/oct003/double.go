// Package oct003 holds memory that is released twice on one path, and code
// that looks like it and is not.
package oct003

import (
	"bytes"
	"errors"
	"io"
	"log"
	"sync"

	"github.com/bytedance/gopkg/lang/mcache"
	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/compat/bytespool/buffer"

	"oct003/conn"
)

var bufPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

var errShort = errors.New("short")

// ok: the helper releases only when it succeeds.
func helperOnSuccess(w io.Writer, text string) error {
	p := append(bytespool.Make(len(text)), text...)
	err := conn.TrySend(w, p)
	if err != nil {
		bytespool.Release(p)
	}
	return err
}

// ok: one reference a recipient.
func referenceForRecipient(ws []io.Writer, text string) {
	msg := buffer.NewString(text)
	msg.RefAdd(int64(len(ws)))
	for _, w := range ws {
		msg.WriteTo(w)
		msg.Release()
	}
	msg.Release()
}

// counted is a Buffer with a count of its references.
type counted struct {
	msg  *buffer.Buffer
	more int
}

// ok: as many releases as references were added, and the last.
func countedReferences(c *counted) {
	for ; c.more > 0; c.more-- {
		c.msg.Release()
	}
	c.msg.Release()
}

// bad: a Buffer of somebody else, twice in a row.
func othersTwice(c *counted) {
	c.msg.Release()
	log.Print(c.more)
	c.msg.Release() // want "OCT003: .*c.msg.*"
}

// ok: the Buffer took the slice over and is released alone.
func adopted(w io.Writer) {
	raw := bytespool.New(64)
	msg := buffer.NewBuffer(raw)
	msg.WriteTo(w)
	msg.Release()
}

// bad: freed by the switch, and again behind it.
func switchAndAfter(kind byte, text string) {
	p := mcache.Malloc(len(text))
	copy(p, text)
	switch kind {
	case 0:
		mcache.Free(p)
	case 1:
		log.Print(string(p))
	}
	mcache.Free(p) // want "OCT003: .*p.*"
}

// ok: a declared Buffer is empty after its release, and a nil one always was.
func declaredTwice() {
	var line buffer.Buffer
	line.Release()
	line.Release()
	line.WriteString("x")
	line.Close()
	var none *buffer.Buffer
	none.Release()
	none.Put()
}
