package oct002

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"sync"
)

// A state embeds its buffer.
type state struct {
	bytes.Buffer
	scratch [64]byte
}

var states = sync.Pool{New: func() any { return new(state) }}

// bad: the buffer is embedded.
func embedded(v any) []byte {
	e := states.Get().(*state)
	defer states.Put(e)
	e.Reset()
	json.NewEncoder(e).Encode(v)
	return e.Bytes() // want "OCT002: e outlives its release"
}

// bad: so it is here, and goes back by a call.
func embeddedNamed(s string) []byte {
	e := states.Get().(*state)
	e.Buffer.Reset()
	e.Buffer.WriteString(s)
	b := e.Buffer.Bytes()
	states.Put(e)
	return b // want "OCT002: e outlives its release"
}

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

// ok: the content is copied.
func embeddedCopied(v any) []byte {
	e := states.Get().(*state)
	defer states.Put(e)
	e.Reset()
	json.NewEncoder(e).Encode(v)
	return append([]byte(nil), e.Bytes()...)
}

// ok: a string is a copy.
func embeddedString(s string) string {
	e := takeState()
	defer giveState(e)
	e.WriteString(strings.ToUpper(s))
	return e.String()
}

// ok: the state is given another buffer before it goes back.
func embeddedReplaced(s string) []byte {
	e := takeState()
	e.WriteString(s)
	b := e.Bytes()
	e.Buffer = bytes.Buffer{}
	states.Put(e)
	return b
}

// A report has its buffer by value.
type report struct {
	n   int
	buf bytes.Buffer
}

var reports = sync.Pool{New: func() any { return new(report) }}

// bad: the buffer is a field.
func inField(s string) []byte {
	r := reports.Get().(*report)
	defer reports.Put(r)
	r.buf.Reset()
	r.buf.WriteString(s)
	return r.buf.Bytes() // want "OCT002: r outlives its release"
}

// bad: a variable has its address.
func inFieldByAddress(s string) []byte {
	r := reports.Get().(*report)
	defer reports.Put(r)
	b := &r.buf
	b.Reset()
	b.WriteString(s)
	return b.Bytes() // want "OCT002: r outlives its release"
}

// bad: a part of it is returned.
func inFieldPart(s string) []byte {
	r := reports.Get().(*report)
	defer reports.Put(r)
	r.buf.Reset()
	r.buf.WriteString(s)
	return r.buf.Bytes()[1:] // want "OCT002: r outlives its release"
}

// ok: what is returned is the length.
func inFieldLength(s string) int {
	r := reports.Get().(*report)
	defer reports.Put(r)
	r.buf.Reset()
	r.buf.WriteString(s)
	return len(r.buf.Bytes())
}

// ok: it is written before the report goes back.
func inFieldWritten(w io.Writer, s string) error {
	r := reports.Get().(*report)
	defer reports.Put(r)
	r.buf.Reset()
	r.buf.WriteString(s)
	_, err := w.Write(r.buf.Bytes())
	return err
}

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

// ok: the encoder gives its buffer away and gets a new one.
func behindReplaced(s string) []byte {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.out.Reset()
	e.out.WriteString(s)
	b := e.out.Bytes()
	e.out = new(bytes.Buffer)
	return b
}
