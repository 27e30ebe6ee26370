// Package module has sites to change. The comment of a line says what comes of it.
package module

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
)

type message []byte

type conn struct {
	buf []byte
}

// Sum reads n bytes, and returns their sum.
func Sum(r io.Reader, n uint32) (sum int, err error) {
	b := make([]byte, n) // changed
	if _, err := io.ReadFull(r, b); err != nil {
		return 0, err
	}
	for _, c := range b {
		sum += int(c)
	}
	return sum, nil
}

// Header writes a header whose last bytes are zero.
func Header(w io.Writer, first bool) error {
	h := make([]byte, 8) // changed: with clear
	if first {
		h[0] |= 0x10
	}
	_, err := w.Write(h)
	return err
}

// Join writes the parts.
func Join(w io.Writer, parts [][]byte) error {
	b := make([]byte, 0, 8) // appends to it
	for _, p := range parts {
		b = append(b, p...)
	}
	_, err := w.Write(b)
	return err
}

// Check returns the checksum of a text.
func Check(text string) uint32 {
	b := []byte(text) // changed
	return crc32.ChecksumIEEE(b)
}

// Clone copies p before it changes it.
func Clone(w io.Writer, p []byte) error {
	b := append([]byte(nil), p...) // changed
	b[0]++
	_, err := w.Write(b)
	return err
}

// Cut writes all but the front.
func Cut(w io.Writer, p []byte) error {
	b := make([]byte, len(p)) // changed: the whole is released
	copy(b, p)
	b = b[1:]
	_, err := w.Write(b)
	return err
}

// Each writes every part with its length.
func Each(w io.Writer, parts [][]byte) {
	for _, p := range parts {
		b := make([]byte, 4+len(p)) // a defer in a loop
		binary.BigEndian.PutUint32(b, uint32(len(p)))
		copy(b[4:], p)
		w.Write(b)
	}
}

// Either is one of two.
func Either(w io.Writer, n int) {
	b := make([]byte, 4) // changed
	if n > 4 {
		b = make([]byte, n) // changed
	}
	w.Write(b)
}

// Message has a type of its own.
func Message(w io.Writer) {
	m := make(message, 4) // it is no []byte
	w.Write(m)
}

// Given has no variable.
func Given(w io.Writer) {
	w.Write(make([]byte, 4)) // a variable of its own
}

// Longer lengthens.
func Longer(w io.Writer) {
	var c []byte
	c = append(c, make([]byte, 4)...) // more than one expression
	w.Write(c)
}

// Called copies what a call returns.
func Called(w io.Writer, next func() string) {
	b := []byte(next()) // a variable of its own first
	w.Write(b)
}

// Named is about another clear.
func Named(w io.Writer) {
	clear := func() {}
	b := make([]byte, 4) // clear is the name of something else
	w.Write(b)
	clear()
}

// Replace writes p, or zeros.
func Replace(w io.Writer, p []byte) {
	b := make([]byte, 2) // changed: and p is not released
	if len(p) > 2 {
		b = p
	}
	w.Write(b)
}

func (c *conn) keep(p []byte) {
	b := make([]byte, len(p)) // elsewhere
	copy(b, p)
	c.buf = b
}

// Encode writes a value as JSON and its length.
func Encode(w io.Writer, v any) error {
	var buf bytes.Buffer // changed
	if err := json.NewEncoder(&buf).Encode(v); err != nil {
		return err
	}
	fmt.Fprintf(&buf, "%d", buf.Len())
	_, err := w.Write(buf.Bytes())
	return err
}

// Drain writes it in one.
func Drain(w io.Writer, n int) {
	buf := bytes.NewBuffer(make([]byte, 0, n)) // changed
	buf.WriteString("drained")
	w.Write(buf.Bytes())
}

// Typed asks for the type.
func Typed(w io.Writer) {
	var buf bytes.Buffer // uses it as a bytes.Buffer
	typed(&buf)
	w.Write(buf.Bytes())
}

func typed(buf *bytes.Buffer) { buf.WriteByte('t') }

// Drains writes it twice.
func Drains(w io.Writer) {
	buf := new(bytes.Buffer) // uses it as a bytes.Buffer
	buf.WriteTo(w)
	w.Write(buf.Bytes())
}

// Nothing tells nil.
func Nothing(w io.Writer) {
	var buf bytes.Buffer // may ask whether it is nil
	if b := buf.Bytes(); b == nil {
		io.WriteString(w, "nil")
	}
}

// Stale has what the Buffer was.
func Stale(w io.Writer, p []byte) {
	var buf bytes.Buffer // has its content, which a later use may move
	buf.Write(p)
	old := buf.Bytes()
	buf.Write(p)
	w.Write(old)
}

// All counts what it reads.
func All(w io.Writer, r io.Reader) error {
	b, err := io.ReadAll(r) // changed
	if err != nil {
		return err
	}
	b = append(b, '!')
	_, err = w.Write(b[1:])
	return err
}

// AllOf reads the body alone.
func AllOf(r io.Reader) (n int) {
	b, _ := io.ReadAll(r) // changed
	return len(b)
}

// AllInHead has no statement of its own.
func AllInHead(r io.Reader) (n int) {
	if b, err := io.ReadAll(r); err == nil { // a statement of its own
		n = len(b)
	}
	return n
}

// AllKept keeps it.
func (c *conn) AllKept(r io.Reader) (err error) {
	c.buf, err = io.ReadAll(r) // more than one
	return err
}
