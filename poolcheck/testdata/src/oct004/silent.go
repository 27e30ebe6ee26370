package oct004

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net"
	"sync"
)

var silentBufs = sync.Pool{New: func() any { return new(bytes.Buffer) }}

type silentConn struct {
	net.Conn
	mu     sync.Mutex
	sent   map[int]*bytes.Buffer
	closed bool
}

// bad: the caller is not told that the write has failed.
func (c *silentConn) write(buf *bytes.Buffer) {
	if _, err := c.Conn.Write(buf.Bytes()); err != nil {
		log.Print(err)
		return // want "OCT004: buf is not released where write fails here, as it is at line"
	}
	silentBufs.Put(buf)
}

// A silentPacket is given by value.
type silentPacket struct {
	buf  *bytes.Buffer
	from net.Addr
}

// bad: neither is it here.
func handleSilently(p silentPacket, out io.Writer) {
	var v any
	if err := json.Unmarshal(p.buf.Bytes(), &v); err != nil {
		log.Printf("from %s: %v", p.from, err)
		return // want "OCT004: p.buf is not released where handleSilently fails here, as it is at line"
	}
	if _, err := out.Write(p.buf.Bytes()); err != nil {
		log.Print(err)
	}
	silentBufs.Put(p.buf)
}

// bad: the goroutine is the only one that can put it back.
func (c *silentConn) writeLater(p []byte) {
	buf := silentBufs.Get().(*bytes.Buffer)
	buf.Reset()
	buf.Write(p)
	go func() {
		if _, err := c.Conn.Write(buf.Bytes()); err != nil {
			log.Print(err)
			return // want "OCT004: buf is not released where the goroutine fails here, as it is at line"
		}
		silentBufs.Put(buf)
	}()
}

// ok: the caller learns that it has failed, and still has the buffer.
func (c *silentConn) writeOrKeep(buf *bytes.Buffer) error {
	if _, err := c.Conn.Write(buf.Bytes()); err != nil {
		return err
	}
	silentBufs.Put(buf)
	return nil
}

// ok: what is not sent waits.
func (c *silentConn) writeOrWait(id int, buf *bytes.Buffer) {
	if _, err := c.Conn.Write(buf.Bytes()); err != nil {
		c.mu.Lock()
		c.sent[id] = buf
		c.mu.Unlock()
		return
	}
	silentBufs.Put(buf)
}

// ok: a buffer that is too large is left to the collector.
func putSilently(buf *bytes.Buffer) {
	if buf.Cap() > 1<<16 {
		return
	}
	silentBufs.Put(buf)
}

// ok: no call has failed where the buffer is left.
func (c *silentConn) writeUnlessClosed(buf *bytes.Buffer) {
	if c.closed {
		return
	}
	c.Conn.Write(buf.Bytes())
	silentBufs.Put(buf)
}

// ok: the receiver has it, and may write it again.
type silentWriter struct {
	out io.Writer
	buf *bytes.Buffer
}

func (w *silentWriter) flush() {
	if _, err := w.out.Write(w.buf.Bytes()); err != nil {
		log.Print(err)
		return
	}
	silentBufs.Put(w.buf)
	w.buf = nil
}

// ok: the function waits for the literal, and puts the buffer back.
func (c *silentConn) writeBeside(p []byte) {
	buf := silentBufs.Get().(*bytes.Buffer)
	defer silentBufs.Put(buf)
	buf.Reset()
	buf.Write(p)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, err := c.Conn.Write(buf.Bytes()); err != nil {
			log.Print(err)
			return
		}
		buf.Reset()
	}()
	<-done
}

// ok: the function learns that the goroutine has failed.
func (c *silentConn) writeAside(p []byte) error {
	buf := silentBufs.Get().(*bytes.Buffer)
	buf.Reset()
	buf.Write(p)
	failed := make(chan error)
	go func() {
		defer close(failed)
		if _, err := c.Conn.Write(buf.Bytes()); err != nil {
			failed <- err
			return
		}
		silentBufs.Put(buf)
	}()
	err := <-failed
	if err != nil {
		silentBufs.Put(buf)
	}
	return err
}
