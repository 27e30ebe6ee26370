// Package oct011 holds what a StreamDecoder has shown of its buffer, and that is used or kept when it has read on. And
// code that looks like it and is not.
package oct011

import (
	"bytes"
	"io"

	"github.com/octet-go/octet/binary"
)

type stream = binary.StreamDecoder[binary.Big]

type pair struct{ key, value []byte }

// bad: the second overwrites the first.
func literal(d *stream) pair {
	return pair{d.Bytes16(), d.Bytes16()} // want "OCT011: .*"
}

// bad: a conversion to the other byte order makes no second decoder.
func otherOrder(d *stream) pair {
	return pair{d.Bytes16(), (*binary.StreamDecoder[binary.Little])(d).Bytes16()} // want "OCT011: .*"
}

// bad: who receives it reads it while the decoder goes on.
func sent(d *stream, out chan<- []byte) {
	for d.More() {
		out <- d.Bytes16() // want "OCT011: .*"
	}
}

// bad: the name stays in the connection when the number is read.
func (c *conn) hello() {
	c.name = c.d.Bytes8() // want "OCT011: c?.*"
	c.id = c.d.Uint32()
}

type conn struct {
	d    *stream
	name []byte
	id   uint32
}

// bad: the one of the round before is compared with that of this one.
func changed(d *stream) (n int) {
	var last []byte
	for d.More() {
		now := d.Bytes16()
		if !bytes.Equal(last, now) { // want "OCT011: .*"
			n++
		}
		last = now
	}
	return n
}

// field is a helper: what it returns is over when it is called again.
func (c *conn) field() []byte { return c.d.Bytes16() }

// bad: the same through a method.
func (c *conn) both() (string, string) {
	a, b := c.field(), c.field()
	return string(a), string(b) // want "OCT011: a .*"
}

// next returns a record with a window.
func next(d *stream) pair { return pair{value: d.Bytes16()} }

// bad: the record's value is kept.
func records(r io.Reader) (all [][]byte) {
	for d := binary.NewStreamDecoder[binary.Big](r); d.More(); {
		e := next(d)
		all = append(all, e.value) // want "OCT011: e?.*"
	}
	return all
}

type cache struct{ m map[string][]byte }

func (c *cache) add(k string, v []byte) { c.m[k] = v }

// bad: kept by a method.
func (c *cache) fill(d *stream) {
	for d.More() {
		c.add(d.String8(), d.Bytes16()) // want "OCT011: .*"
	}
}

// ok: what only looks overwrites nothing.
func looked(d *stream, w io.Writer) error {
	b := d.Bytes16()
	if err := d.Err(); err != nil {
		return err
	}
	_, err := w.Write(b)
	return err
}

// ok: append copies the bytes.
func joined(d *stream) (all []byte) {
	for d.More() {
		all = append(all, d.Bytes16()...)
	}
	return all
}

// ok: AppendBytes does, too.
func appended(d *stream) (all [][]byte) {
	for d.More() {
		all = append(all, d.AppendBytes(nil, d.Len8()))
	}
	return all
}

// ok: a window that is returned, and nothing is read behind it.
func last(d *stream) (uint32, []byte) { return d.Uint32(), d.Bytes16() }

// ok: two decoders.
func two(a, b *stream) bool { return bytes.Equal(a.Bytes16(), b.Bytes16()) }

// ok: a decoder for each reader.
func firsts(rs []io.Reader) (all [][]byte) {
	for _, r := range rs {
		d := binary.NewStreamDecoder[binary.Big](r)
		all = append(all, d.Bytes16())
	}
	return all
}

// ok: a cursor, of which each round has its own.
func (c *conn) each() (n int) {
	for c.d.More() {
		c.name = c.d.Bytes8()
		n += len(c.name)
	}
	return n
}

// ok: whoever received it has answered.
func answered(d *stream, out chan<- []byte, done <-chan bool) {
	for d.More() {
		out <- d.Bytes16()
		<-done
	}
}
