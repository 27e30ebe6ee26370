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
	begin map[string]func(m *binary.Mark) // methods that set a mark for End
	mark  func(m *binary.Mark)            // Mark
	end   func(m *binary.Mark)
	take  map[string]func(m *binary.Mark) // methods that use a mark from Mark
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
	type marks = map[string]func(m *binary.Mark)
	return []holder{
		{
			"Appender",
			marks{
				"Begin8":      func(m *binary.Mark) { b.Begin8(m) },
				"BeginCRC32C": func(m *binary.Mark) { b.BeginCRC32C(m) },
			},
			func(m *binary.Mark) { b.Mark(m) },
			func(m *binary.Mark) { b.Pad(4).End(m) },
			marks{"CRC32C": func(m *binary.Mark) { b.CRC32C(m) }},
		},
		{
			"Decoder",
			marks{
				"Begin":       func(m *binary.Mark) { d.Begin(m, 0) },
				"BeginCRC32C": func(m *binary.Mark) { d.BeginCRC32C(m) },
			},
			func(m *binary.Mark) { d.Mark(m) },
			func(m *binary.Mark) { d.End(m) },
			marks{
				"CRC32C": func(m *binary.Mark) { d.CRC32C(m) },
				"Since":  func(m *binary.Mark) { d.Since(m) },
			},
		},
		{
			"StreamEncoder",
			marks{
				"Begin8":      func(m *binary.Mark) { e.Begin8(m) },
				"BeginCRC32C": func(m *binary.Mark) { e.BeginCRC32C(m) },
			},
			func(m *binary.Mark) { e.Mark(m) },
			func(m *binary.Mark) { e.End(m) },
			marks{"CRC32C": func(m *binary.Mark) { e.CRC32C(m) }},
		},
		{
			"StreamDecoder",
			marks{
				"Begin":       func(m *binary.Mark) { s.Begin(m, 0) },
				"BeginCRC32C": func(m *binary.Mark) { s.BeginCRC32C(m) },
			},
			func(m *binary.Mark) { s.Mark(m) },
			func(m *binary.Mark) { s.End(m) },
			marks{
				"CRC32C": func(m *binary.Mark) { s.CRC32C(m) },
				"Since":  func(m *binary.Mark) { s.Since(m) },
			},
		},
	}
}

// A mark can be used once, by the method it was set for, and only with the encoder or
// decoder that set it. Appenders and Decoders do not recognize the marks of others of
// their type.
func TestMarks(t *testing.T) {
	check := func(what string, ok bool, use func(m *binary.Mark), m *binary.Mark) {
		t.Helper()
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
				for name, begin := range setter.begin {
					var m binary.Mark
					begin(&m)
					copied := m
					check(setter.name+"."+name+", "+user.name+".End", same, user.end, &m)
					if same {
						check(user.name+".End twice", false, user.end, &m)
						continue
					}
					for taker, take := range user.take {
						check(setter.name+"."+name+", "+user.name+"."+taker, false, take, &copied)
					}
				}
				for taker, take := range user.take {
					var m binary.Mark
					setter.mark(&m)
					copied := m
					check(setter.name+".Mark, "+user.name+".End", false, user.end, &copied)
					check(setter.name+".Mark, "+user.name+"."+taker, same, take, &m)
					if same {
						check(user.name+"."+taker+" twice", false, take, &m)
					}
				}
			}
		}
	}
	for _, h := range holders() {
		for name, begin := range h.begin {
			for taker, take := range h.take {
				var m binary.Mark
				begin(&m)
				check(h.name+"."+name+", "+taker, false, take, &m)
			}
		}
		check(h.name+".End of nothing", false, h.end, new(binary.Mark))
		for taker, take := range h.take {
			check(h.name+"."+taker+" of nothing", false, take, new(binary.Mark))
		}
	}
}

// Reset invalidates the marks of a stream, even if the next input or output has a span
// at the same offset.
func TestMarksEndWithReset(t *testing.T) {
	var before, mark, now binary.Mark
	var out bytes.Buffer
	e := binary.NewStreamEncoder[binary.Big](&out).Mark(&mark).Begin8(&before)
	e.Reset(&out)
	e.Begin8(&now)
	if panicked(func() { e.End(&before) }) == nil || panicked(func() { e.CRC32C(&mark) }) == nil {
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

// The panic of a mark that cannot be used says why.
func TestMarkMessages(t *testing.T) {
	var unset, begun, place, foreign binary.Mark
	b := binary.BE(nil).Begin8(&begun).Mark(&place)
	binary.NewStreamEncoder[binary.Big](io.Discard).Mark(&foreign)
	for want, f := range map[string]func(){
		"binary: End of a mark that is not set":                                                      func() { b.End(&unset) },
		"binary: End of a mark that Mark set, not a Begin":                                           func() { b.End(&place) },
		"binary: CRC32C of a mark that is not set":                                                   func() { b.CRC32C(&unset) },
		"binary: CRC32C of a mark that a Begin set, not Mark":                                        func() { b.CRC32C(&begun) },
		"binary: CRC32C of a mark that another encoder or decoder set, or this one before its Reset": func() { b.CRC32C(&foreign) },
		"binary: Since of a copy of a mark that was used": func() {
			d := binary.NewStreamDecoder[binary.Big](strings.NewReader("content"))
			var m binary.Mark
			d.Mark(&m)
			copied := m
			d.Skip(3)
			d.Since(&m)
			d.Since(&copied)
		},
	} {
		if got := panicked(f); got != want {
			t.Errorf("the panic is %q, want %q", got, want)
		}
	}
}
