// Package module has sites to change. The comment of a line says what comes of it.
package module

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
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

// Join writes the parts, and what they are.
func Join(w io.Writer, parts [][]byte, name string) error {
	b := make([]byte, 0, 8) // changed: what it has grown to is released
	for i, p := range parts {
		b = strconv.AppendInt(b, int64(i), 10)
		b = append(b, p...)
		b = append(b, ':')
	}
	b = append(b, name...)
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
		b := make([]byte, 4+len(p)) // changed: released in each turn
		binary.BigEndian.PutUint32(b, uint32(len(p)))
		copy(b[4:], p)
		w.Write(b)
	}
}

// Both writes two messages that begin alike.
func Both(w io.Writer, p []byte) {
	b := make([]byte, len(p)) // keeps both
	copy(b, p)
	one := append(b, '1')
	two := append(b, '2')
	w.Write(one)
	w.Write(two)
}

// Either is one of two.
func Either(w io.Writer, n int) {
	b := make([]byte, 4) // changed
	if n > 4 {
		b = make([]byte, n) // changed: each is released by itself
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

// Append appends to either of two.
func Append(w io.Writer, p []byte, n int) {
	b := make([]byte, 0, 4) // gives the variable other memory
	b = append(b, p...)
	if n > 4 {
		b = make([]byte, n) // gives the variable other memory
	}
	w.Write(b)
}

// Replace writes p, or zeros.
func Replace(w io.Writer, p []byte) {
	b := make([]byte, 2) // changed: and p is not released
	if len(p) > 2 {
		b = p
	}
	w.Write(b)
}

// Until writes parts until one is empty, or cannot be written.
func Until(w io.Writer, parts [][]byte) error {
	for i, p := range parts {
		b := make([]byte, 1, 8) // changed: released before each statement that leaves
		b = append(b, p...)
		b[0] = byte(i)
		if i > 2 {
			continue
		}
		switch len(p) {
		case 0:
			return nil
		case 1:
			break
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		io.WriteString(w, ";")
	}
	return nil
}

// Last returns a byte of the last part.
func Last(parts [][]byte) byte {
	for _, p := range parts {
		b := make([]byte, len(p)) // a defer in a loop
		copy(b, p)
		if len(b) > 0 {
			return b[0]
		}
	}
	return 0
}

// Turns has the memory of the turn before.
func Turns(w io.Writer, n int) {
	var b []byte
	for i := range n {
		if i%2 == 0 {
			b = make([]byte, 2) // a defer in a loop
		}
		w.Write(b)
	}
}

// Leaves goes to the next part of the list.
func Leaves(w io.Writer, lists [][][]byte) {
list:
	for _, parts := range lists {
		for _, p := range parts {
			b := make([]byte, len(p)) // a defer in a loop
			copy(b, p)
			if len(p) > 3 {
				continue list
			}
			w.Write(b)
		}
	}
}

// Defers writes the parts at its end.
func Defers(w io.Writer, parts [][]byte) {
	for _, p := range parts {
		b := append([]byte(nil), p...) // a defer in a loop
		defer crc32.ChecksumIEEE(b)
	}
}

// Front writes all but the front of each.
func Front(w io.Writer, parts [][]byte) {
	for _, p := range parts {
		b := append([]byte(nil), p...) // loses its front
		b = b[1:]
		w.Write(b)
	}
}

// Calls writes by a closure.
func Calls(w io.Writer, parts [][]byte) {
	for _, p := range parts {
		b := append([]byte(nil), p...) // a defer in a loop
		write := func() { w.Write(b) }
		write()
	}
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
	tail(&buf)
	_, err := w.Write(buf.Bytes())
	return err
}

func tail(w io.Writer) { io.WriteString(w, ".") }

// Drain writes it in one.
func Drain(w io.Writer, n int) {
	buf := bytes.NewBuffer(make([]byte, 0, n)) // changed
	buf.WriteString("drained")
	buf.WriteTo(w)
}

// Fresh begins with nothing.
func Fresh(w io.Writer) {
	buf := bytes.NewBuffer(nil) // changed
	buf.WriteString("f")
	w.Write(buf.Bytes())
}

// DrainTwice writes nothing the second time.
func DrainTwice(w io.Writer) {
	buf := new(bytes.Buffer) // uses it as a bytes.Buffer
	buf.WriteString("once")
	buf.WriteTo(w)
	buf.WriteTo(w)
}

// Begins has content.
func Begins(w io.Writer) {
	buf := bytes.NewBuffer(make([]byte, 2)) // begins with content
	buf.WriteString("x")
	w.Write(buf.Bytes())
}

// Typed asks for the type.
func Typed(w io.Writer) {
	var buf bytes.Buffer // uses it as a bytes.Buffer
	typed(&buf)
	w.Write(buf.Bytes())
}

func typed(buf *bytes.Buffer) { buf.WriteByte('t') }

// Asserted asks for the type.
func Asserted(w io.Writer) {
	var buf bytes.Buffer // its memory ends: unknown
	asserted(&buf)
	w.Write(buf.Bytes())
}

func asserted(w io.Writer) { w.(*bytes.Buffer).WriteByte('a') }

// Reads needs a reader.
func Reads(w io.Writer) {
	var buf bytes.Buffer // uses it as a bytes.Buffer
	buf.WriteString("r")
	io.Copy(w, &buf)
}

// Nothing tells nil.
func Nothing(w io.Writer) {
	var buf bytes.Buffer // may ask whether the content is nil
	if b := buf.Bytes(); b == nil {
		io.WriteString(w, "nil")
	}
	nothing(w, buf.Bytes())
}

func nothing(w io.Writer, p []byte) {
	if p == nil {
		io.WriteString(w, "nil")
	}
}

// Empty tells nil elsewhere.
func Empty(w io.Writer) {
	var buf bytes.Buffer // may ask whether the content is nil
	nothing(w, buf.Bytes())
}

// Stale has what the Buffer was.
func Stale(w io.Writer, p []byte) {
	var buf bytes.Buffer // has its content, which a later use may move
	buf.Write(p)
	old := buf.Bytes()
	buf.Write(p)
	w.Write(old)
}

// StaleTurn has what the Buffer was in the turn before.
func StaleTurn(w io.Writer, parts [][]byte) {
	var buf bytes.Buffer // has its content, which a later use may move
	var old []byte
	for _, p := range parts {
		buf.Write(p)
		w.Write(old)
		old = bytes.TrimSpace(buf.Bytes())
	}
}

// Values copies it.
func Values(w io.Writer) {
	var buf bytes.Buffer // uses it as a bytes.Buffer
	buf.WriteString("v")
	two := buf
	w.Write(two.Bytes())
}

// Lines has a Buffer in each turn.
func Lines(w io.Writer, parts [][]byte) error {
	for _, p := range parts {
		var buf bytes.Buffer // changed
		buf.Write(p)
		buf.WriteByte('\n')
		if _, err := w.Write(buf.Bytes()); err != nil {
			return err
		}
	}
	return nil
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
	if b, err := io.ReadAll(r); err == nil { // read in a statement of its own
		n = len(b)
	}
	return n
}

// AllKept keeps it.
func (c *conn) AllKept(r io.Reader) (err error) {
	c.buf, err = io.ReadAll(r) // more than one
	return err
}
