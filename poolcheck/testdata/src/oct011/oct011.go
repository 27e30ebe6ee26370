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

// bad: the key is read when its value has come.
func inTurn(r io.Reader) map[string]int {
	d := binary.NewStreamDecoder[binary.Big](r)
	sizes := make(map[string]int)
	for d.More() {
		e := pair{d.Bytes16(), d.Bytes16()}
		sizes[string(e.key)] = len(e.value) // want "OCT011: e .*"
	}
	return sizes
}

// bad: a conversion to the other byte order makes no second decoder.
func otherOrder(d *stream) pair {
	return pair{d.Bytes16(), (*binary.StreamDecoder[binary.Little])(d).Bytes16()} // want "OCT011: .*"
}

// bad: the map has one buffer under all keys.
func mapped(d *stream) map[uint32][]byte {
	m := make(map[uint32][]byte)
	for d.More() {
		m[d.Uint32()] = d.Bytes16() // want "OCT011: .*"
	}
	return m
}

// bad: and so has the list.
func listed(d *stream) (all [][]byte) {
	for d.More() {
		all = append(all, d.Bytes16()) // want "OCT011: .*"
	}
	return all
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

// ok: copies.
func copies(d *stream) (pair, string) {
	return pair{bytes.Clone(d.Bytes16()), bytes.Clone(d.Bytes16())}, d.String8()
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

// ok: used before the next.
func used(d *stream, w io.Writer) {
	for d.More() {
		w.Write(d.Bytes8())
		w.Write(d.Bytes16())
	}
}

// ok: the map has a copy.
func mappedCopy(d *stream) map[uint32]string {
	m := make(map[uint32]string)
	for d.More() {
		m[d.Uint32()] = string(d.Bytes16())
	}
	return m
}

// ok: a key that is looked up is not kept.
func counted(d *stream) map[string]int {
	m := make(map[string]int)
	for d.More() {
		m[string(d.Bytes16())]++
	}
	return m
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

// ok: a Decoder shows the slice that it reads, which does not change.
func slice(p []byte) pair {
	d := binary.DecodeBE(p)
	return pair{d.Bytes16(), d.Bytes16()}
}

// ok: looked at, then read on.
func peeked(d *stream) (uint32, error) {
	p, err := d.Peek(4)
	if err != nil || p[0] == 0 {
		return 0, err
	}
	return d.Uint32(), nil
}

// ok: the variable has the next one by then.
func replaced(d *stream, w io.Writer) {
	b := d.Bytes8()
	w.Write(b)
	b = d.Bytes16()
	w.Write(b)
}

// ok: named reads.
func named(d *stream, w io.Writer) {
	w.Write(d.Field("key").Bytes8())
	w.Write(d.Field("value").Bytes16())
}

// ok: the struct's fields are used one after the other.
func scratch(d *stream, w io.Writer) {
	var e pair
	for d.More() {
		e.key = d.Bytes8()
		w.Write(e.key)
		e.value = d.Bytes16()
		w.Write(e.value)
	}
}
