package oct004

import (
	"bytes"
	"io"
	"sync"
)

var pilingBufs = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// bad: what the loop acquires is put back when the connection ends.
func serveForever(conn io.ReadWriter) error {
	for {
		buf := pilingBufs.Get().(*bytes.Buffer)
		defer pilingBufs.Put(buf) // want "OCT004: buf is released when the function returns, not before the loop acquires the next"
		buf.Reset()
		if _, err := io.CopyN(buf, conn, 512); err != nil {
			return err
		}
		if _, err := conn.Write(buf.Bytes()); err != nil {
			return err
		}
	}
}

// bad: the literal runs when the function returns, too.
func serveWithLiteral(conn io.ReadWriter) {
	var total int64
	for {
		buf := pilingBufs.Get().(*bytes.Buffer)
		defer func() { // want "OCT004: buf is released when the function returns, not before the loop acquires the next"
			buf.Reset()
			pilingBufs.Put(buf)
		}()
		n, err := io.CopyN(buf, conn, 512)
		if total += n; err != nil {
			return
		}
		conn.Write(buf.Bytes())
	}
}

// ok: there are as many as the list has.
func serveAll(list []io.Reader, w io.Writer) error {
	for _, r := range list {
		buf := pilingBufs.Get().(*bytes.Buffer)
		defer pilingBufs.Put(buf)
		buf.Reset()
		if _, err := buf.ReadFrom(r); err != nil {
			return err
		}
		if _, err := w.Write(buf.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// ok: the function that defers is called in each round.
func serveRounds(conn io.ReadWriter) {
	for {
		more := func() bool {
			buf := pilingBufs.Get().(*bytes.Buffer)
			defer pilingBufs.Put(buf)
			buf.Reset()
			_, err := io.CopyN(buf, conn, 512)
			conn.Write(buf.Bytes())
			return err == nil
		}()
		if !more {
			return
		}
	}
}

// ok: one buffer serves all rounds.
func serveWithOne(conn io.ReadWriter) error {
	buf := pilingBufs.Get().(*bytes.Buffer)
	defer pilingBufs.Put(buf)
	for {
		buf.Reset()
		if _, err := io.CopyN(buf, conn, 512); err != nil {
			return err
		}
		if _, err := conn.Write(buf.Bytes()); err != nil {
			return err
		}
	}
}

// ok: the round that defers is the last.
func serveUntilFound(r io.Reader, w io.Writer) error {
	var first [1]byte
	for {
		if _, err := r.Read(first[:]); err != nil {
			return err
		}
		if first[0] == 0 {
			continue
		}
		buf := pilingBufs.Get().(*bytes.Buffer)
		defer pilingBufs.Put(buf)
		buf.Reset()
		if _, err := buf.ReadFrom(r); err != nil {
			return err
		}
		_, err := w.Write(buf.Bytes())
		return err
	}
}

// ok: the first round that needs a buffer takes one for all.
func serveLazily(conn io.ReadWriter) error {
	var buf *bytes.Buffer
	var kind [1]byte
	for {
		if _, err := conn.Read(kind[:]); err != nil {
			return err
		}
		if kind[0] == 0 {
			continue
		}
		if buf == nil {
			buf = pilingBufs.Get().(*bytes.Buffer)
			defer pilingBufs.Put(buf)
		}
		buf.Reset()
		if _, err := io.CopyN(buf, conn, 512); err != nil {
			return err
		}
		if _, err := conn.Write(buf.Bytes()); err != nil {
			return err
		}
	}
}
