package bytebuf_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/octet-go/octet/bytebuf"
)

// api is the method set that both buffers have.
type api interface {
	Available() int
	AvailableBuffer() []byte
	Bytes() []byte
	Cap() int
	Grow(int)
	Len() int
	Next(int) []byte
	Peek(int) ([]byte, error)
	Read([]byte) (int, error)
	ReadByte() (byte, error)
	ReadBytes(byte) ([]byte, error)
	ReadFrom(io.Reader) (int64, error)
	ReadRune() (rune, int, error)
	ReadString(byte) (string, error)
	Reset()
	String() string
	Truncate(int)
	UnreadByte() error
	UnreadRune() error
	Write([]byte) (int, error)
	WriteByte(byte) error
	WriteRune(rune) (int, error)
	WriteString(string) (int, error)
	WriteTo(io.Writer) (int64, error)
}

// A pair is a Buffer and a bytes.Buffer on which the same methods were called.
type pair struct {
	ours *bytebuf.Buffer
	std  *bytes.Buffer
}

// A save is a copy of both structs.
type save struct {
	ours bytebuf.Buffer
	std  bytes.Buffer
	good bool // whether its contents are unchanged
}

// A machine calls random methods of a pair, compares what bytes.Buffer promises, and
// checks that no string changes.
type machine struct {
	t     testing.TB
	in    []byte // says what to do
	pair  pair
	read  bool // whether bytes were read since the contents were last empty
	saves []save

	strings []string // from ours
	copies  []string // copies of them
	slices  [][]byte // all slices from ours
	valid   int      // how many of the last slices are still valid
	stdOut  [][]byte // the corresponding slices from std
}

func (m *machine) byte() byte {
	if len(m.in) == 0 {
		return 0
	}
	c := m.in[0]
	m.in = m.in[1:]
	return c
}

// size returns a length, usually a small one.
func (m *machine) size() int {
	switch c := int(m.byte()); {
	case c < 200:
		return c / 4
	case c < 250:
		return c
	default:
		return 4096/(256-c) + c
	}
}

// data returns n bytes, some of which are parts of runes.
func (m *machine) data(n int) []byte {
	seed, p := m.byte(), make([]byte, n)
	for i := range p {
		p[i] = "aé\n☺bx"[(i+int(seed))%9] + seed/64
	}
	return p
}

// equal fails unless both strings are equal, and reports where they differ.
func (m *machine) equal(name, ours, want string) {
	m.t.Helper()
	if ours == want {
		return
	}
	i := 0
	for i < min(len(ours), len(want)) && ours[i] == want[i] {
		i++
	}
	m.t.Fatalf("%s: byte %d of %d is %.100q, want of %d %.100q", name, i, len(ours), ours[i:], len(want), want[i:])
}

// do calls f with both buffers and compares the results or panics.
func (m *machine) do(name string, f func(b api) string) {
	m.t.Helper()
	call := func(b api) (result string) {
		defer func() {
			switch e := recover().(type) {
			case nil:
			case runtime.Error: // of bytes.Buffer; ours says what is wrong
				if _, ours := b.(*bytebuf.Buffer); ours {
					result = e.Error()
					return
				}
				result = "panic"
			default:
				result = "panic"
			}
		}()
		return f(b)
	}
	ours, std := call(m.pair.ours), call(m.pair.std)
	m.equal(name, ours, std)
	if ours, std := m.pair.ours.Len(), m.pair.std.Len(); ours != std {
		m.t.Fatalf("after %s: Len %d, bytes.Buffer has %d", name, ours, std)
	}
}

// look compares a string of ours and keeps it, to check that it does not change.
func (m *machine) look() {
	s := m.pair.ours.String()
	m.equal("String", s, m.pair.std.String())
	m.strings = append(m.strings, s)
	m.copies = append(m.copies, strings.Clone(s))
}

// watch keeps a slice of each buffer. They must be equal.
func (m *machine) watch(ours, std []byte) {
	m.slices = append(m.slices, ours[:cap(ours)])
	m.stdOut = append(m.stdOut, std)
	m.valid++
	m.equal("slice", string(ours), string(std))
}

// changed notes that the buffers are about to be modified, so slices are invalid.
func (m *machine) changed() { m.valid, m.stdOut = 0, nil }

func (m *machine) checkStrings() {
	for i, s := range m.strings {
		m.equal("String later", s, m.copies[i])
	}
}

// scribble writes to all memory that slices of ours ever gave access to. It may change
// the contents, but must not change strings.
func (m *machine) scribble() {
	for _, p := range m.slices {
		for i := range p {
			p[i] = '!'
		}
	}
	m.checkStrings()
	m.saves = nil
	m.reset()
}

func (m *machine) reset() {
	m.changed()
	m.read = false
	m.pair.ours.Reset()
	m.pair.std.Reset()
}

func (m *machine) fresh(kind byte) {
	m.changed()
	m.saves, m.read = nil, false
	switch kind % 5 {
	case 0:
		b := bytebuf.New()
		m.pair = pair{&b, new(bytes.Buffer)}
	case 1:
		m.pair = pair{bytebuf.NewPointer(), new(bytes.Buffer)}
	case 2:
		m.pair = pair{new(bytebuf.Buffer), new(bytes.Buffer)}
	case 3:
		p := m.data(m.size())
		array := bytes.Clone(p)
		m.slices = append(m.slices, array[:cap(array)]) // the caller may go on to change it
		m.pair = pair{bytebuf.NewBuffer(array), bytes.NewBuffer(p)}
	case 4:
		p := string(m.data(m.size()))
		m.pair = pair{bytebuf.NewBufferString(p), bytes.NewBufferString(p)}
	}
}

// forget notes that the contents of saves may be overwritten.
func (m *machine) forget() {
	for i := range m.saves {
		m.saves[i].good = false
	}
}

// A reader returns data in pieces for which there is always room, and calls methods of
// the buffer.
type reader struct {
	b    api
	data []byte
	err  error
	// write is called before p is filled, because p may be the memory that it writes to,
	// and look after that.
	write, look func(b api)
}

func (r *reader) Read(p []byte) (int, error) {
	if r.write != nil {
		r.write(r.b)
	}
	n := copy(p, r.data[:min(len(r.data), 1+len(r.data)/2, bytebuf.MinRead)])
	r.data = r.data[n:]
	if r.look != nil {
		r.look(r.b)
	}
	if len(r.data) == 0 {
		return n, r.err
	}
	return n, nil
}

// A writer takes at most n bytes, or returns a count that is too large.
type writer struct {
	bytes.Buffer
	n   int
	err error
}

func (w *writer) Write(p []byte) (int, error) {
	w.Buffer.Write(p[:min(len(p), w.n)])
	return min(len(p)+1, w.n), w.err
}

var errTest = errors.New("test")

func (m *machine) step() {
	op := m.byte() % 32
	switch op {
	case 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10: // append, which does not change saves unless bytes were read
		m.changed()
		if m.read {
			m.forget()
		}
	case 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21:
		m.changed()
		m.forget()
		m.read = true
	}
	switch op {
	case 0, 1:
		p := m.data(m.size())
		m.do("Write", func(b api) string { return fmt.Sprint(b.Write(p)) })
	case 2, 3:
		s := string(m.data(m.size()))
		m.do("WriteString", func(b api) string { return fmt.Sprint(b.WriteString(s)) })
	case 4:
		c := m.byte()
		m.do("WriteByte", func(b api) string { return fmt.Sprint(b.WriteByte(c)) })
	case 5:
		r := []rune{'a', 'é', '☺', '🙂', -1, 0xd800, 0x110000}[m.byte()%7]
		m.do("WriteRune", func(b api) string { return fmt.Sprint(b.WriteRune(r)) })
	case 6: // Grow between writes, because its effect on UnreadByte depends on the capacity
		m.do("WriteByte", func(b api) string { return fmt.Sprint(b.WriteByte('G')) })
		n := []int{m.size(), 0, -1, math.MaxInt}[max(int(m.byte())-250, 0)%4]
		m.do("Grow", func(b api) string { b.Grow(n); return fmt.Sprint(b.Available() >= n) })
		m.do("WriteByte", func(b api) string { return fmt.Sprint(b.WriteByte('g')) })
	case 7:
		p, between := m.data(m.size()), m.byte()
		ours, std := append(m.pair.ours.AvailableBuffer(), p...), append(m.pair.std.AvailableBuffer(), p...)
		m.slices = append(m.slices, m.pair.ours.AvailableBuffer()[:m.pair.ours.Available()])
		if between%2 == 0 {
			m.look()
		}
		m.pair.ours.Write(ours)
		m.pair.std.Write(std)
	case 8, 9:
		var write func(b api)
		w := m.data(m.size() % 40)
		switch m.byte() % 4 {
		case 1:
			write = func(b api) { b.Write(w) }
		case 2:
			write = func(b api) { b.Write(w); b.Bytes() }
		}
		data, err := m.data(m.size()), []error{io.EOF, errTest}[m.byte()%2]
		if m.byte() == 255 {
			m.do("ReadFrom of a negative count", func(b api) string { return fmt.Sprint(b.ReadFrom(negative{})) })
		}
		m.do("ReadFrom", func(b api) string {
			r := &reader{b: b, data: data, err: err, write: write}
			if ours, ok := b.(*bytebuf.Buffer); ok {
				r.look = func(b api) {
					s := ours.String()
					m.strings, m.copies = append(m.strings, s), append(m.copies, strings.Clone(s))
					m.slices = append(m.slices, ours.AvailableBuffer()[:ours.Available()])
				}
				if len(data)%3 == 0 { // String only
					r.look = func(b api) {
						s := ours.String()
						m.strings, m.copies = append(m.strings, s), append(m.copies, strings.Clone(s))
					}
				}
			}
			return fmt.Sprint(b.ReadFrom(r))
		})
	case 10:
		m.do("Write of itself", func(b api) string { return fmt.Sprint(b.Write([]byte(b.String()))) })
	case 11:
		n := m.size()
		m.do("Read", func(b api) string {
			p := make([]byte, n)
			k, err := b.Read(p)
			return fmt.Sprint(string(p[:k]), err)
		})
	case 12:
		m.do("ReadByte", func(b api) string { return fmt.Sprint(b.ReadByte()) })
	case 13:
		m.do("ReadRune", func(b api) string { return fmt.Sprint(b.ReadRune()) })
	case 14:
		d := "a\nbx~"[m.byte()%5]
		m.do("ReadBytes", func(b api) string { p, err := b.ReadBytes(d); return fmt.Sprint(string(p), err) })
	case 15:
		d := "a\nbx~"[m.byte()%5]
		m.do("ReadString", func(b api) string { return fmt.Sprint(b.ReadString(d)) })
	case 16, 17:
		n := m.size() - 1
		m.do("Next", func(b api) string {
			p := b.Next(n)
			if b == api(m.pair.ours) {
				m.slices = append(m.slices, p[:cap(p)])
			}
			return string(p)
		})
	case 18:
		w := writer{n: m.size(), err: []error{nil, errTest}[m.byte()%2]}
		m.do("WriteTo", func(b api) string {
			w := w
			n, err := b.WriteTo(&w)
			return fmt.Sprint(n, err, w.String())
		})
	case 19:
		n := m.size() - 1
		m.do("Truncate", func(b api) string { b.Truncate(n); return "" })
	case 20, 21:
		m.reset()
	case 22:
		m.changed()
		m.do("UnreadByte", func(b api) string { return fmt.Sprint(b.UnreadByte() == nil) })
	case 23:
		m.changed()
		m.do("UnreadRune", func(b api) string { return fmt.Sprint(b.UnreadRune() == nil) })
	case 24, 25:
		m.look()
	case 26: // a change to a slice is a change to the contents
		ours, std := m.pair.ours.Bytes(), m.pair.std.Bytes()
		m.watch(ours, std)
		if i := int(m.byte()); i < len(std) {
			ours[i] ^= 1
			std[i] ^= 1
			m.forget()
		}
		m.look()
	case 27:
		n := m.size() - 1
		m.do("Peek", func(b api) string { p, err := b.Peek(n); return fmt.Sprint(string(p), err) })
		if n > 0 {
			ours, _ := m.pair.ours.Peek(n)
			std, _ := m.pair.std.Peek(n)
			m.watch(ours, std)
		}
	case 28: // the same to all slices that are valid
		m.forget()
		for i, std := range m.stdOut {
			ours := m.slices[len(m.slices)-m.valid+i]
			for j := range std {
				std[j] ^= 2
			}
			for j := range std {
				ours[j] ^= 2
			}
		}
		m.look()
	case 29:
		m.saves = append(m.saves, save{*m.pair.ours, *m.pair.std, !m.read})
	case 30:
		if i := len(m.saves) - 1; i >= 0 {
			s := m.saves[i]
			m.changed()
			*m.pair.ours, *m.pair.std = s.ours, s.std
			if s.good {
				// The others are older, or their contents are overwritten now.
				m.look()
			}
			m.forget()
			m.reset()
		}
	case 31:
		switch c := m.byte(); {
		case c < 60:
			m.scribble()
		case c < 120:
			m.fresh(c)
		}
	}
}

type negative struct{}

func (negative) Read([]byte) (int, error) { return -1, nil }

// FuzzBuffer compares a Buffer with a bytes.Buffer.
func FuzzBuffer(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	n := 300
	if testing.Short() {
		n = 50
	}
	for range n {
		in := make([]byte, 40+r.IntN(400))
		for i := range in {
			in[i] = byte(r.Uint32())
		}
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		m := &machine{t: t, in: in}
		m.fresh(m.byte())
		for len(m.in) > 0 {
			m.step()
		}
		m.look()
		m.checkStrings()
		m.scribble()
	})
}
