// Package oct003 holds memory that is released twice on one path, and code
// that looks like it and is not.
package oct003

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"sync"

	"github.com/bytedance/gopkg/lang/mcache"
	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/compat/bytespool/buffer"
	"github.com/valyala/bytebufferpool"

	"oct003/conn"
)

var bufPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

var errShort = errors.New("short")

// bad: the error path releases by hand what the defer releases again.
func deferAndByHand(r io.Reader) error {
	head := bytespool.New(16)
	defer bytespool.Release(head) // want "OCT003: .*head.*"
	if _, err := io.ReadFull(r, head); err != nil {
		bytespool.Release(head)
		return err
	}
	return nil
}

// bad: the helper of another package has already released.
func helperAndByHand(w io.Writer, text string) {
	p := append(bytespool.Make(len(text)), text...)
	if err := conn.Send(w, p); err != nil {
		log.Print(err)
	}
	bytespool.Release(p) // want "OCT003: .*p.*"
}

// ok: the helper releases only when it succeeds.
func helperOnSuccess(w io.Writer, text string) error {
	p := append(bytespool.Make(len(text)), text...)
	err := conn.TrySend(w, p)
	if err != nil {
		bytespool.Release(p)
	}
	return err
}

// bad: every attempt releases, and there may be a second one.
func oncePerAttempt(send func() error, text string) {
	msg := append(bytespool.Make(len(text)), text...)
	for {
		err := send()
		bytespool.Release(msg) // want "OCT003: .*msg.*"
		if err == nil {
			return
		}
	}
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

// ok: RefInc and two releases.
func bufferPair(w io.Writer) {
	msg := buffer.NewString("x")
	msg.RefInc()
	msg.WriteTo(w)
	msg.Release()
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

// bad: a Buffer of the function's own, in a loop that adds no reference.
func ownInLoop(n int) {
	msg := buffer.Get()
	for range n {
		msg.Release() // want "OCT003: .*msg.*"
	}
}

// bad: a Buffer of somebody else, twice in a row.
func othersTwice(c *counted) {
	c.msg.Release()
	log.Print(c.more)
	c.msg.Release() // want "OCT003: .*c.msg.*"
}

// bad: RefInc once, three releases.
func bufferThrice(w io.Writer) {
	msg := buffer.NewString("x")
	msg.RefInc()
	msg.Release()
	msg.WriteTo(w)
	msg.Release()
	msg.Release() // want "OCT003: .*msg.*"
}

// ok: GetReader takes a reference, PutReader gives it back.
func bufferReader(w io.Writer) {
	msg := buffer.NewString("x")
	rd := msg.GetReader()
	io.Copy(w, rd)
	msg.PutReader(rd)
	msg.Release()
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

// bad: the timeout's arm puts, and so does the code that follows.
func selectAndAfter(ctx context.Context, done <-chan struct{}) {
	page := bytebufferpool.Get()
	page.WriteString("x")
	select {
	case <-ctx.Done():
		bytebufferpool.Put(page)
	case <-done:
	}
	bytebufferpool.Put(page) // want "OCT003: .*page.*"
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

type rowBatch struct{ rows [][]byte }

func (b *rowBatch) release() {
	for _, row := range b.rows {
		bytespool.Release(row)
	}
}

func (b *rowBatch) empty() {
	b.release()
	b.rows = b.rows[:0]
}

// bad: each round has a Buffer of its own, and adds one reference to it.
func ownInEachRound(n int) {
	for range n {
		msg := buffer.Get()
		msg.RefInc()
		msg.Release()
		msg.Release()
		msg.Release() // want "OCT003: .*msg.*"
	}
}
