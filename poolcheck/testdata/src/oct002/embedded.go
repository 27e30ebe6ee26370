package oct002

import (
	"bufio"
	"bytes"
	"io"
	"sync"
)

// A state embeds its buffer.
type state struct {
	bytes.Buffer
	scratch [64]byte
}

var states = sync.Pool{New: func() any { return new(state) }}

// bad: helpers of the package take it and put it back.
func embeddedHelped(s string) []byte {
	e := takeState()
	defer giveState(e)
	e.WriteString(s)
	return bytes.TrimSpace(e.Bytes()) // want "OCT002: e outlives its release"
}

func takeState() *state {
	e := states.Get().(*state)
	e.Reset()
	return e
}

func giveState(e *state) { states.Put(e) }

// An encoder points to its buffer.
type encoder struct {
	out   *bytes.Buffer
	lines *bufio.Reader
	to    *bytes.Buffer
}

var encoders = sync.Pool{New: func() any {
	return &encoder{out: new(bytes.Buffer), lines: bufio.NewReader(nil)}
}}

// bad: the buffer behind the pointer is the encoder's.
func behindPointer(s string) []byte {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.out.Reset()
	e.out.WriteString(s)
	return e.out.Bytes() // want "OCT002: e outlives its release"
}

// bad: a variable has the pointer.
func behindVariable(s string) []byte {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	out := e.out
	out.Reset()
	out.WriteString(s)
	return out.Bytes() // want "OCT002: e outlives its release"
}

// bad: what a bufio.Reader shows is the encoder's, too.
func behindReader(r io.Reader) ([]byte, error) {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.lines.Reset(r)
	return e.lines.Peek(4) // want "OCT002: e outlives its release"
}

func encoderTo(b *bytes.Buffer) *encoder {
	e := encoders.Get().(*encoder)
	e.to = b
	return e
}

// ok: the buffer is the caller's, and the encoder only writes to it.
func behindBorrowed(b *bytes.Buffer, s string) []byte {
	e := encoderTo(b)
	defer encoders.Put(e)
	e.to.WriteString(s)
	return e.to.Bytes()
}
