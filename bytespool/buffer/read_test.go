package buffer

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/octet-go/octet/internal/engine"
)

// methods are those that a Buffer has in common with a bytes.Buffer.
type methods interface {
	io.Writer
	io.ByteScanner
	io.RuneScanner
	io.StringWriter
	io.ByteWriter
	io.ReaderFrom
	io.WriterTo
	WriteRune(r rune) (int, error)
	ReadBytes(delim byte) ([]byte, error)
	ReadString(delim byte) (string, error)
	Next(n int) []byte
	Peek(n int) ([]byte, error)
	Truncate(n int)
	Reset()
	Grow(n int)
	AvailableBuffer() []byte
	Bytes() []byte
	String() string
	Len() int
}

// program runs the operations that data encodes on a Buffer and on a
// bytes.Buffer, and returns how they differ, or "".
func program(data []byte) string {
	b, m := Get(), new(bytes.Buffer)
	defer b.Release()
	var all []byte // all that was written since the Buffer was last emptied
	next := func(n int) int {
		if len(data) == 0 {
			return 0
		}
		c := int(data[0])
		data = data[1:]
		return c % n
	}
	text := []byte("grün 😀 \xff\n\x00 and so on, and so on, until it is long enough")
	for step := 0; len(data) > 0; step++ {
		before := string(b.B)
		var do func(x methods) string // and says what x returns
		op := next(19)
		switch op {
		case 0:
			s := text[:1+next(len(text))]
			do = func(x methods) string { return fmt.Sprint(x.Write(s)) }
			all = append(all, s...)
		case 1:
			s := string(text[:1+next(len(text))])
			do = func(x methods) string { return fmt.Sprint(x.WriteString(s)) }
			all = append(all, s...)
		case 2:
			c := byte(next(256))
			do = func(x methods) string { return fmt.Sprint(x.WriteByte(c)) }
			all = append(all, c)
		case 3:
			r := rune(next(256)) << next(14)
			do = func(x methods) string { return fmt.Sprint(x.WriteRune(r)) }
			all = append(all, string(r)...)
		case 4:
			s := text[:1+next(9)]
			do = func(x methods) string { return fmt.Sprint(x.Write(append(x.AvailableBuffer(), s...))) }
			all = append(all, s...)
		case 5:
			n := next(20)
			do = func(x methods) string { return fmt.Sprint(x.Next(n)) }
		case 6:
			do = func(x methods) string { return fmt.Sprint(x.ReadByte()) }
		case 7:
			do = func(x methods) string { return fmt.Sprint(x.ReadRune()) }
		case 8:
			do = func(x methods) string { return fmt.Sprint(x.UnreadByte() == nil) }
		case 9:
			do = func(x methods) string { return fmt.Sprint(x.UnreadRune() == nil) }
		case 10, 11:
			if m.Len() == 0 {
				continue // a bytes.Buffer lets UnreadByte succeed then
			}
			do = func(x methods) string { return fmt.Sprint(x.ReadBytes('\n')) }
			if op == 11 {
				do = func(x methods) string { return fmt.Sprint(x.ReadString(' ')) }
			}
		case 12:
			n := next(b.Len() + 1)
			do = func(x methods) string { x.Truncate(n); return "" }
			all = append(all[:0], b.B[:len(b.B)-b.Len()+n]...)
		case 13:
			if next(8) > 0 {
				continue
			}
			do = func(x methods) string { x.Reset(); return "" }
			all = all[:0]
		case 14:
			n := next(20)
			do = func(x methods) string { return fmt.Sprint(x.Peek(n)) }
		case 15, 16:
			s := text[:next(len(text))]
			do = func(x methods) string { return fmt.Sprint(x.ReadFrom(bytes.NewReader(s))) }
			all = append(all, s...)
		case 17:
			// Both may make Unread… fail, but not in the same cases.
			n := next(100)
			do = func(x methods) string { x.Grow(n); x.Truncate(x.Len()); return "" }
		case 18:
			var w bytes.Buffer
			if n, err := b.WriteTo(&w); w.String() != m.String() || int(n) != m.Len() || err != nil {
				return fmt.Sprintf("step %d: WriteTo: %q, %d, %v", step, &w, n, err)
			}
			continue // a bytes.Buffer would be empty now
		}
		if got, want := do(b), do(m); got != want {
			return fmt.Sprintf("step %d: %s, want %s", step, got, want)
		}
		if !bytes.Equal(b.Bytes(), m.Bytes()) || b.String() != m.String() || b.Len() != m.Len() {
			return fmt.Sprintf("step %d: content %q, want %q", step, b, m)
		}
		if reads := op > 4 && op < 12 || op == 14; reads && string(b.B) != before || !bytes.HasSuffix(all, b.B) || !bytes.HasSuffix(b.B, m.Bytes()) {
			return fmt.Sprintf("step %d: B is %q, after %q", step, b.B, all)
		}
	}
	return ""
}

func FuzzAgainstBytesBuffer(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3 {
		data := make([]byte, 500)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if diff := program(data); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAgainstBytesBuffer(t *testing.T) {
	onAllEngines(t, func(t *testing.T, p *engine.Pool) {
		r := rand.New(rand.NewPCG(3, 4))
		for range 300 {
			data := make([]byte, r.IntN(800))
			for i := range data {
				data[i] = byte(r.Uint32())
			}
			if diff := program(data); diff != "" {
				t.Fatal(diff)
			}
		}
		if n := inUse(p); n != 0 {
			t.Errorf("%d arrays leaked", n)
		}
	})
}

// B may be made shorter than what was read.
func TestCutOff(t *testing.T) {
	b := newString("hello, world")
	b.Next(7)
	b.B = b.B[:2]
	b.Next(1)
	b.B = b.B[:0]
	if _, err := b.ReadByte(); b.Len() != 0 || b.String() != "" || err != io.EOF {
		t.Errorf("Len %d, String %q, %v", b.Len(), b, err)
	}
}

// A Buffer that is written and read in turn must not grow with all that ever
// went through it, and must not move its content with each write.
func TestQueue(t *testing.T) {
	for _, unread := range []int{0, 1, 500, 1000, 1023, 1024} {
		b := Make(1024)
		b.Write(make([]byte, unread))
		moves, array := 0, &b.B[:1][0]
		for range 10000 {
			b.WriteString("12345678")
			b.Next(8)
			if now := &b.B[0]; now != array {
				array = now
				moves++
			}
		}
		if b.Cap() > 4096 {
			t.Errorf("with %d unread: Cap %d", unread, b.Cap())
		}
		if moves > 10000/50 {
			t.Errorf("with %d unread: %d moves", unread, moves)
		}
		b.Release()
	}
}
