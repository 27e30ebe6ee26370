package binary_test

import (
	"bufio"
	"bytes"
	stdbinary "encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/octet-go/octet/bytebuf"
	"github.com/octet-go/octet/compat/binary"
)

// A field is something that WriteChain and Reader can write and read, and how the model
// does that. Its value is derived from v.
type field struct {
	name  string
	write func(c *binary.WriteChain, p *plainWriter, v uint64)
	read  func(r *binary.Reader, p *plainReader, v uint64) (got, want any)
}

func number[T any](name string, of func(v uint64) T, write func(*binary.WriteChain, T) *binary.WriteChain, read func(*binary.Reader) T) field {
	return field{name,
		func(c *binary.WriteChain, p *plainWriter, v uint64) { write(c, of(v)); p.number(of(v)) },
		func(r *binary.Reader, p *plainReader, v uint64) (any, any) {
			var want T
			p.number(&want)
			return read(r), want
		}}
}

var fields = []field{
	number("Bool", func(v uint64) bool { return v&1 != 0 }, (*binary.WriteChain).Bool, (*binary.Reader).Bool),
	number("Byte", func(v uint64) byte { return byte(v) }, (*binary.WriteChain).Byte, (*binary.Reader).Byte),
	number("Uint8", func(v uint64) uint8 { return uint8(v) }, (*binary.WriteChain).Uint8, (*binary.Reader).Uint8),
	number("Uint16", func(v uint64) uint16 { return uint16(v) }, (*binary.WriteChain).Uint16, (*binary.Reader).Uint16),
	number("Uint32", func(v uint64) uint32 { return uint32(v) }, (*binary.WriteChain).Uint32, (*binary.Reader).Uint32),
	number("Uint64", func(v uint64) uint64 { return v }, (*binary.WriteChain).Uint64, (*binary.Reader).Uint64),
	number("Int8", func(v uint64) int8 { return int8(v) }, (*binary.WriteChain).Int8, (*binary.Reader).Int8),
	number("Int16", func(v uint64) int16 { return int16(v) }, (*binary.WriteChain).Int16, (*binary.Reader).Int16),
	number("Int32", func(v uint64) int32 { return int32(v) }, (*binary.WriteChain).Int32, (*binary.Reader).Int32),
	number("Int64", func(v uint64) int64 { return int64(v) }, (*binary.WriteChain).Int64, (*binary.Reader).Int64),
	number("Rune", func(v uint64) rune { return rune(v) }, (*binary.WriteChain).Rune, (*binary.Reader).Rune),
	number("Float32", float32Of, (*binary.WriteChain).Float32, (*binary.Reader).Float32),
	number("Float64", float64Of, (*binary.WriteChain).Float64, (*binary.Reader).Float64),
	number("Complex64", complex64Of, (*binary.WriteChain).Complex64, (*binary.Reader).Complex64),
	number("Complex128", complex128Of, (*binary.WriteChain).Complex128, (*binary.Reader).Complex128),
	{"ByteSlice and Read",
		func(c *binary.WriteChain, p *plainWriter, v uint64) {
			s := bytes.Repeat([]byte{byte(v)}, int(v>>8%20))
			c.ByteSlice(s)
			p.write(s)
		},
		func(r *binary.Reader, p *plainReader, v uint64) (any, any) {
			if _, ok := r.Reader.(*bufio.Reader); ok {
				return nil, nil // what one call returns depends on what is buffered
			}
			b, want := make([]byte, v%20+1), make([]byte, v%20+1)
			n, err := r.Read(b)
			got := [3]any{n, class(err), string(b[:n])}
			if p.err != nil {
				return got, [3]any{0, class(p.err), ""}
			}
			n, err = p.r.Read(want)
			if n < 0 || n > len(want) {
				n, err = 0, errImpossible
			}
			if p.n += n; err != io.EOF || n == 0 {
				p.err = err
			}
			return got, [3]any{n, class(err), string(want[:n])}
		}},
	{"String and Byte",
		func(c *binary.WriteChain, p *plainWriter, v uint64) {
			s := bytes.Repeat([]byte{byte(v)}, int(v>>8%20))
			c.String(string(s))
			p.write(s)
		},
		func(r *binary.Reader, p *plainReader, v uint64) (any, any) {
			got := r.Byte()
			if b := p.read(1); b != nil {
				return got, b[0]
			}
			return got, byte(0)
		}},
}

// Values without NaNs, which do not equal themselves.
func float32Of(v uint64) float32 { return math.Float32frombits(uint32(v) &^ (1 << 30)) }
func float64Of(v uint64) float64 { return math.Float64frombits(v &^ (1 << 62)) }
func complex64Of(v uint64) complex64 {
	return complex(float32Of(v), float32Of(v>>32))
}
func complex128Of(v uint64) complex128 { return complex(float64Of(v), float64Of(^v)) }

// class returns what can be compared of an error. For impossible counts the errors differ.
func class(err error) error {
	if err != nil && strings.Contains(err.Error(), errImpossible.Error()) {
		return errImpossible
	}
	return err
}

// program splits the fuzzer's bytes into operations and values.
type program []byte

func (p *program) next() (op int, v uint64) {
	var b [9]byte
	*p = (*p)[copy(b[:], *p):]
	return int(b[0]), stdbinary.LittleEndian.Uint64(b[1:])
}

var seeds = []string{
	"", "\x00\x01\x02", "\x00\x00\x00\x00\x04", "\x00\x00\x00\x02\x00\x00\x05", "\x01\x01\x01\x02\x02\x00\x08",
	"\x10\x12\x11\x13", "\x00\x00\x06\x00\x07\x00\x03\x03\x03",
}

// everyField returns a program that has each field once.
func everyField() []byte {
	all := make([]byte, 0, 9*len(fields))
	for i := range fields {
		all = append(all, byte(i), 1, 2, 3, 4, 5, 6, 7, byte(0x81+i))
	}
	return all
}

func FuzzWriteChain(f *testing.F) {
	all := everyField()
	for i, s := range seeds {
		f.Add(append(all, all...), []byte(s), uint8(i))
	}
	for kind := range uint8(16) { // each order to each Writer
		f.Add(all, []byte{}, kind)
	}
	f.Fuzz(func(t *testing.T, prog, s []byte, kind uint8) {
		order := orders[kind%4]
		plainW := &scriptWriter{script: s}
		plain := &plainWriter{w: plainW, order: order}
		var (
			chain = &binary.WriteChain{ByteOrder: order}
			out   func() []byte
			calls = func() int { return plainW.calls }
		)
		switch kind >> 2 % 4 {
		case 0:
			w := &scriptWriter{script: s}
			chain.Writer, out, calls = w, func() []byte { return w.out }, func() int { return w.calls }
		case 1:
			w := &scriptStringWriter{scriptWriter: scriptWriter{script: s}}
			chain.Writer, out, calls = w, func() []byte { return w.out }, func() int { return w.calls }
		case 2:
			plainW.script = nil
			w := new(bytes.Buffer)
			chain.Writer, out = w, w.Bytes
		case 3:
			plainW.script = nil
			w := new(bytebuf.Buffer)
			chain.Writer, out = w, func() []byte { return []byte(w.String()) }
		}
		for p := program(prog); len(p) > 0; {
			op, v := p.next()
			switch {
			case op == 250:
				chain.ByteOrder, plain.order = orders[v%4], orders[v%4]
			case op == 251: // a copy takes over
				clone := *chain
				chain = &clone
			case op >= 252:
				gotN, gotErr := chain.End()
				if n, err := plain.end(); gotN != n || class(gotErr) != err {
					t.Fatalf("End = %d, %v; want %d, %v", gotN, gotErr, n, err)
				}
			default:
				fields[op%len(fields)].write(chain, plain, v)
			}
			if !bytes.Equal(out(), plainW.out) {
				t.Fatalf("after %s of %#x the Writer has\n% x, want\n% x", fields[op%len(fields)].name, v, out(), plainW.out)
			}
			if calls() != plainW.calls {
				t.Fatalf("after %s the Writer was called %d times, want %d", fields[op%len(fields)].name, calls(), plainW.calls)
			}
		}
		gotN, gotErr := chain.End()
		if n, err := plain.end(); gotN != n || class(gotErr) != err {
			t.Fatalf("End = %d, %v; want %d, %v", gotN, gotErr, n, err)
		}
	})
}

func FuzzReader(f *testing.F) {
	all := everyField()
	for i, s := range seeds {
		f.Add(all, []byte(s), bytes.Repeat([]byte{1, 0x82, 3, 0xff, 0x55, 0x80}, 50-6*i), uint8(i))
	}
	for i := range fields { // each from input that is too short, or just long enough
		for n := range 17 {
			f.Add(all[9*i:9*i+9], []byte{}, bytes.Repeat([]byte{0x81}, n), uint8(n%5)<<2)
			f.Add(all[9*i:9*i+9], []byte{2, 1, 2}, bytes.Repeat([]byte{0x81}, n), uint8(1))
		}
	}
	f.Fuzz(func(t *testing.T, prog, s, data []byte, kind uint8) {
		order := orders[kind%4]
		in, left := source(kind>>2%5, s, data)
		plainIn, plainLeft := source(kind>>2%5, s, data)
		r := &binary.Reader{Reader: in, ByteOrder: order}
		plain := &plainReader{r: plainIn, order: order}
		for p := program(prog); len(p) > 0; {
			op, v := p.next()
			name := fields[op%len(fields)].name
			switch {
			case op == 250:
				r.ByteOrder, plain.order = orders[v%4], orders[v%4]
			case op == 251: // a copy takes over
				clone := *r
				r = &clone
			case op >= 252:
				gotN, gotErr := r.End()
				if n, err := plain.end(); gotN != n || class(gotErr) != err {
					t.Fatalf("End = %d, %v; want %d, %v", gotN, gotErr, n, err)
				}
			default:
				got, want := fields[op%len(fields)].read(r, plain, v)
				if got != want && fmt.Sprint(got) != fmt.Sprint(want) { // NaN != NaN
					t.Fatalf("%s = %v, want %v", name, got, want)
				}
			}
			if got, want := left(), plainLeft(); got != want {
				t.Fatalf("after %s %d bytes are left, want %d", name, got, want)
			}
			if plain.err == nil && plain.n > 0 && op < 250 {
				got, want := again(in), again(plainIn)
				if got != want {
					t.Fatalf("after %s the last byte is %v, want %v", name, got, want)
				}
			}
		}
		gotN, gotErr := r.End()
		if n, err := plain.end(); gotN != n || class(gotErr) != err {
			t.Fatalf("End = %d, %v; want %d, %v", gotN, gotErr, n, err)
		}
	})
}

// source returns a Reader of data, and a function that returns what is left of it.
func source(kind uint8, s script, data []byte) (io.Reader, func() int) {
	switch kind {
	case 0:
		in := &scriptReader{script: s, data: data}
		return in, func() int { return len(in.data) }
	case 1:
		in := bytes.NewReader(data)
		return in, in.Len
	case 2:
		in := bytes.NewBuffer(bytes.Clone(data))
		return in, in.Len
	case 3:
		in := bytebuf.NewBuffer(bytes.Clone(data))
		return in, in.Len
	default:
		behind := bytes.NewReader(data)
		in := bufio.NewReaderSize(behind, 16)
		return in, func() int { return in.Buffered() + behind.Len() }
	}
}

// again unreads the last byte and reads it again.
func again(r io.Reader) (was [3]any) {
	if r, ok := r.(io.ByteScanner); ok {
		was[0] = r.UnreadByte()
		was[1], was[2] = r.ReadByte()
	}
	return was
}
