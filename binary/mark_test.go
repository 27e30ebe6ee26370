package binary_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/octet-go/octet/binary"
)

// A holder is an encoder or decoder, as far as marks are concerned.
type holder struct {
	name  string
	begin func(m *binary.Mark) // a method that sets a mark for End
	end   func(m *binary.Mark)
	mark  func(m *binary.Mark) // Mark and Since, which only decoders have
	since func(m *binary.Mark)
}

// holders returns an encoder or decoder of each type, at the same offset and with the
// same input, so that only the check of marks distinguishes them.
func holders() []holder {
	b := binary.BE(nil).Uint64(0)
	d := binary.DecodeBE(make([]byte, 100))
	d.Uint64()
	e := binary.NewStreamEncoder[binary.Big](io.Discard).Uint64(0)
	s := binary.NewStreamDecoder[binary.Big](bytes.NewReader(make([]byte, 100)))
	s.Uint64()
	return []holder{
		{"Appender", func(m *binary.Mark) { b.Begin8(m) }, func(m *binary.Mark) { b.Pad(4).End(m) }, nil, nil},
		{"Decoder", func(m *binary.Mark) { d.Begin(m, 0) }, d.End, d.Mark, func(m *binary.Mark) { d.Since(m) }},
		{"StreamEncoder", func(m *binary.Mark) { e.Begin8(m) }, func(m *binary.Mark) { e.End(m) }, nil, nil},
		{"StreamDecoder", func(m *binary.Mark) { s.Begin(m, 0) }, s.End, s.Mark, func(m *binary.Mark) { s.Since(m) }},
	}
}

// A mark can be used once, by the method it was set for, and only with the encoder or
// decoder that set it. Appenders and Decoders do not recognize the marks of others of
// their type.
func TestMarks(t *testing.T) {
	check := func(what string, ok bool, use func(m *binary.Mark), m *binary.Mark) {
		t.Helper()
		if use == nil {
			return
		}
		e := panicked(func() { use(m) })
		if text, _ := e.(string); ok && e != nil || !ok && !strings.HasPrefix(text, "binary: ") {
			t.Errorf("%s: %v", what, e)
		}
	}
	for i := range holders() {
		for j := range holders() {
			for _, same := range []bool{true, false} {
				if same && i != j || !same && i == j && i < 2 {
					continue
				}
				setter := holders()[i]
				user := setter
				if !same {
					user = holders()[j]
				}
				var m binary.Mark
				setter.begin(&m)
				copied := m
				check(setter.name+".Begin, "+user.name+".End", same, user.end, &m)
				check(setter.name+".Begin, "+user.name+".Since", false, user.since, &copied)
				if same {
					check(user.name+".End twice", false, user.end, &m)
				}
				if setter.mark == nil {
					continue
				}
				setter.mark(&m)
				copied = m
				check(setter.name+".Mark, "+user.name+".End", false, user.end, &copied)
				check(setter.name+".Mark, "+user.name+".Since", same, user.since, &m)
				if same {
					check(user.name+".Since twice", false, user.since, &m)
				}
			}
		}
	}
	for _, h := range holders() {
		check(h.name+".End of nothing", false, h.end, new(binary.Mark))
		check(h.name+".Since of nothing", false, h.since, new(binary.Mark))
	}
}

// The panic of a mark that cannot be used says why. FuzzDecoder compares the other messages.
func TestMarkMessage(t *testing.T) {
	var foreign binary.Mark
	binary.NewStreamDecoder[binary.Big](strings.NewReader("content")).Mark(&foreign)
	d := binary.DecodeBE(nil)
	want := "binary: Since of a mark that another encoder or decoder set, or this one before its Reset"
	if got := panicked(func() { d.Since(&foreign) }); got != want {
		t.Errorf("the panic is %q, want %q", got, want)
	}
}

// Reset invalidates the marks of a stream, even if the next input or output has a span
// at the same offset.
func TestMarksEndWithReset(t *testing.T) {
	var before, mark, now binary.Mark
	var out bytes.Buffer
	e := binary.NewStreamEncoder[binary.Big](&out).Begin8(&before)
	e.Reset(&out)
	e.Begin8(&now)
	if panicked(func() { e.End(&before) }) == nil {
		t.Error("a StreamEncoder took a mark of before its Reset")
	}
	if e.End(&now); e.Close() != nil || out.String() != "\x00" {
		t.Errorf("the span that was open meanwhile is %q, %v", out.String(), e.Err())
	}

	d := binary.NewStreamDecoder[binary.Big](strings.NewReader("\x00"))
	d.Mark(&mark)
	d.Begin8(&before)
	d.Reset(strings.NewReader("\x00"))
	d.Begin8(&now)
	if panicked(func() { d.End(&before) }) == nil || panicked(func() { d.Since(&mark) }) == nil {
		t.Error("a StreamDecoder took a mark of before its Reset")
	}
	if d.End(&now); d.Done() != nil {
		t.Errorf("the span that was open meanwhile: %v", d.Err())
	}
}
