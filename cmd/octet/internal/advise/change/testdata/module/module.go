// Package module has sites to change. The comment of a line says what comes of it.
package module

import (
	"encoding/binary"
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
		b := make([]byte, 4+len(p)) // a defer in a loop
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

func (c *conn) keep(p []byte) {
	b := make([]byte, len(p)) // elsewhere
	copy(b, p)
	c.buf = b
}
