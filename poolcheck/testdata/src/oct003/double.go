// Package oct003 holds memory that is released twice on one path, and code
// that looks like it and is not.
package oct003

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"sync"

	"github.com/bytedance/gopkg/lang/mcache"
	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	"github.com/valyala/bytebufferpool"

	"oct003/conn"
)

var bufPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

var errShort = errors.New("short")

// bad: the error path releases by hand what the defer releases again.
func deferAndByHand(r io.Reader) error {
	head := bytespool.Get(16)
	defer bytespool.Release(head) // want "OCT003: .*head.*"
	if _, err := io.ReadFull(r, head); err != nil {
		bytespool.Release(head)
		return err
	}
	return nil
}

// ok: the error path leaves the release to the defer.
func deferOnly(r io.Reader) error {
	head := bytespool.Get(16)
	defer bytespool.Release(head)
	if _, err := io.ReadFull(r, head); err != nil {
		return err
	}
	return nil
}

// ok: the release by hand comes before the defer is registered.
func byHandBeforeDefer(r io.Reader) error {
	head := bytespool.Get(16)
	if _, err := io.ReadFull(r, head); err != nil {
		bytespool.Release(head)
		return err
	}
	defer bytespool.Release(head)
	if head[0] != 'O' {
		return errShort
	}
	return nil
}

// bad: the deferred literal puts what the handler has put.
func literalAndByHand(w http.ResponseWriter, v any) {
	buf := bufPool.Get().(*bytes.Buffer)
	buf.Reset()
	defer func() {
		bufPool.Put(buf) // want "OCT003: .*buf.*"
	}()
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		bufPool.Put(buf)
		http.Error(w, "encode", http.StatusInternalServerError)
		return
	}
	buf.WriteTo(w)
}

// ok: the deferred literal puts only what is still there.
func literalChecksNil(w http.ResponseWriter, v any) {
	buf := bufPool.Get().(*bytes.Buffer)
	buf.Reset()
	defer func() {
		if buf != nil {
			bufPool.Put(buf)
		}
	}()
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		bufPool.Put(buf)
		buf = nil
		http.Error(w, "encode", http.StatusInternalServerError)
		return
	}
	buf.WriteTo(w)
}

// ok: the flag says whether the literal still has to.
func literalChecksFlag(r io.Reader, out chan<- []byte) error {
	msg := bytespool.Get(64)
	sent := false
	defer func() {
		if !sent {
			bytespool.Release(msg)
		}
	}()
	if _, err := io.ReadFull(r, msg); err != nil {
		return err
	}
	out <- msg
	sent = true
	return nil
}

// bad: two branches that can both run.
func twoBranches(w io.Writer, r io.Reader) {
	msg := bytespool.Get(64)
	n, err := r.Read(msg)
	if err != nil {
		log.Print(err)
		bytespool.Release(msg)
	}
	if n == 0 {
		bytespool.Release(msg) // want "OCT003: .*msg.*"
		return
	}
	if err == nil {
		bytespool.Release(msg)
	}
}

// ok: two branches that exclude each other by the error.
func exclusiveBranches(w io.Writer, r io.Reader) {
	msg := bytespool.Get(64)
	n, err := r.Read(msg)
	if err != nil {
		bytespool.Release(msg)
	}
	if err == nil {
		w.Write(msg[:n])
		bytespool.Release(msg)
	}
}

// ok: the arms of an if and its else.
func ifElse(w io.Writer, r io.Reader) {
	msg := bytespool.Get(64)
	if n, err := r.Read(msg); err != nil {
		bytespool.Release(msg)
	} else {
		w.Write(msg[:n])
		bytespool.Release(msg)
	}
}

// bad: the error path falls through to the release at the end.
func fallsThrough(r io.Reader) (n int) {
	msg := bytespool.Get(64)
	n, err := r.Read(msg)
	if err != nil {
		log.Print(err)
		bytespool.Release(msg)
	}
	bytespool.Release(msg) // want "OCT003: .*msg.*"
	return n
}

// bad: the helper of another package has already released.
func helperAndByHand(w io.Writer, text string) {
	p := bytespool.NewString(text)
	if err := conn.Send(w, p); err != nil {
		log.Print(err)
	}
	bytespool.Release(p) // want "OCT003: .*p.*"
}

// ok: the helper borrows.
func borrowAndByHand(w io.Writer, text string) {
	p := bytespool.NewString(text)
	if err := conn.Write(w, p); err != nil {
		log.Print(err)
	}
	bytespool.Release(p)
}

// bad: the defer stands from before the helper that releases.
func helperAndDefer(w io.Writer, text string) error {
	p := bytespool.NewString(text)
	defer bytespool.Release(p) // want "OCT003: .*p.*"
	return conn.Send(w, p)
}

// ok: the helper releases only when it succeeds.
func helperOnSuccess(w io.Writer, text string) error {
	p := bytespool.NewString(text)
	err := conn.TrySend(w, p)
	if err != nil {
		bytespool.Release(p)
	}
	return err
}

// ok: Free may be called twice.
func freeTwice(pk *conn.Packet) {
	defer pk.Free()
	if len(pk.B) == 0 {
		pk.Free()
		return
	}
	pk.B[0] = 1
}

// bad: the inner loop's release is repeated after the loop.
func breakThenRelease(r io.Reader, want byte) {
	b := bytespool.Get(1)
	for {
		if _, err := r.Read(b); err != nil {
			bytespool.Release(b)
			break
		}
		if b[0] == want {
			break
		}
	}
	bytespool.Release(b) // want "OCT003: .*b.*"
}

// ok: the inner loop returns after its release.
func returnFromLoop(r io.Reader, want byte) {
	b := bytespool.Get(1)
	for {
		if _, err := r.Read(b); err != nil {
			bytespool.Release(b)
			return
		}
		if b[0] == want {
			break
		}
	}
	bytespool.Release(b)
}

// bad: every attempt releases, and there may be a second one.
func oncePerAttempt(send func() error, text string) {
	msg := bytespool.NewString(text)
	for {
		err := send()
		bytespool.Release(msg) // want "OCT003: .*msg.*"
		if err == nil {
			return
		}
	}
}

// ok: every recipient has memory of its own.
func cloneForRecipient(ws []io.Writer, text string) {
	for _, w := range ws {
		msg := bytespool.NewString(text)
		w.Write(msg)
		bytespool.Release(msg)
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

// bad: a Buffer without extra references is released twice.
func bufferTwice(w io.Writer) {
	msg := buffer.NewString("x")
	msg.WriteTo(w)
	msg.Release()
	msg.Release() // want "OCT003: .*msg.*"
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
	raw := bytespool.Get(64)
	msg := buffer.NewBuffer(raw)
	msg.WriteTo(w)
	msg.Release()
}

// bad: the slice and its alias are released.
func aliasReleased(r io.Reader) {
	whole := bytespool.Get(64)
	n, _ := r.Read(whole)
	part := whole[:n]
	bytespool.Release(part)
	bytespool.Release(whole) // want "OCT003: .*(whole|part).*"
}

// ok: b[:n] keeps the capacity, so the part stands for the whole.
func prefixReleased(r io.Reader) {
	whole := bytespool.Get(64)
	n, _ := r.Read(whole)
	whole = whole[:n]
	bytespool.Release(whole)
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

// ok: every arm frees, none twice.
func switchAllArms(kind byte, text string) {
	p := mcache.Malloc(len(text))
	copy(p, text)
	switch kind {
	case 0:
		mcache.Free(p)
	case 1:
		log.Print(string(p))
		mcache.Free(p)
	default:
		mcache.Free(p)
	}
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

// ok: the arms put, and nothing follows.
func selectArms(ctx context.Context, done <-chan struct{}) {
	page := bytebufferpool.Get()
	page.WriteString("x")
	select {
	case <-ctx.Done():
		bytebufferpool.Put(page)
	case <-done:
		bytebufferpool.Put(page)
	}
}

// ok: a declared Buffer is empty after its release, and a nil one always was.
func declaredTwice() {
	var line buffer.Buffer
	line.Release()
	line.Release()
	line.WriteString("x")
	buffer.Release(&line)
	line.Close()
	var none *buffer.Buffer
	none.Release()
	none.Put()
}

// bad: a pointer to a declared struct does not make its Buffer the struct's own.
func pointedTwice() {
	var m struct{ text *buffer.Buffer }
	m.text = buffer.NewString("x")
	m.text.Release()
	m.text.Release() // want "OCT003: .*text.*"
}

type rowBatch struct{ rows [][]byte }

func (b *rowBatch) release() {
	for _, row := range b.rows {
		bytespool.Release(row)
	}
}

func (b *rowBatch) flush(w io.Writer) error {
	for _, row := range b.rows {
		if _, err := w.Write(row); err != nil {
			b.release()
			return err
		}
	}
	b.release()
	return nil
}


func (b *rowBatch) empty() {
	b.release()
	b.rows = b.rows[:0]
}

// ok: the second time there are none.
func emptyTwice(w io.Writer, b *rowBatch) {
	defer b.empty()
	b.empty()
}

// bad: what releases it the second time reads it first.
func wipedTwice(w io.Writer, n int) {
	p := bytespool.New(n)
	clear(p)
	w.Write(p)
	conn.Wipe(p)
	conn.Wipe(p) // want "OCT003: p is released twice"
}

// ok: the second is another one.
func wipedBoth(w io.Writer, n int) {
	p, q := bytespool.New(n), bytespool.New(n)
	clear(p)
	clear(q)
	w.Write(p)
	w.Write(q)
	conn.Wipe(p)
	conn.Wipe(q)
}
