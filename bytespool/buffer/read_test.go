package buffer

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/octet-go/octet/internal/engine"
)

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
		var got, want string
		op := next(18)
		if m.Len() == 0 && (op == 10 || op == 11) {
			continue // a bytes.Buffer lets UnreadByte succeed then
		}
		switch op {
		case 0:
			s := text[:1+next(len(text))]
			n, err := b.Write(s)
			got = fmt.Sprint(n, err)
			n, err = m.Write(s)
			want = fmt.Sprint(n, err)
			all = append(all, s...)
		case 1:
			s := string(text[:1+next(len(text))])
			n, err := b.WriteString(s)
			got = fmt.Sprint(n, err)
			n, err = m.WriteString(s)
			want = fmt.Sprint(n, err)
			all = append(all, s...)
		case 2:
			c := byte(next(256))
			got, want = fmt.Sprint(b.WriteByte(c)), fmt.Sprint(m.WriteByte(c))
			all = append(all, c)
		case 3:
			r := rune(next(256)) << next(14)
			n, err := b.WriteRune(r)
			got = fmt.Sprint(n, err)
			n, err = m.WriteRune(r)
			want = fmt.Sprint(n, err)
			all = append(all, string(r)...)
		case 4:
			n := next(20)
			p := make([]byte, n)
			got = fmt.Sprint(p[:b.copyTo(p)])
			want = fmt.Sprint(m.Bytes()[:min(n, m.Len())])
		case 5:
			n := next(20)
			got, want = fmt.Sprint(b.Next(n)), fmt.Sprint(m.Next(n))
		case 6:
			c, err := b.ReadByte()
			got = fmt.Sprint(c, err)
			c, err = m.ReadByte()
			want = fmt.Sprint(c, err)
		case 7:
			r, n, err := b.ReadRune()
			got = fmt.Sprint(r, n, err)
			r, n, err = m.ReadRune()
			want = fmt.Sprint(r, n, err)
		case 8:
			got, want = fmt.Sprint(b.UnreadByte() == nil), fmt.Sprint(m.UnreadByte() == nil)
		case 9:
			got, want = fmt.Sprint(b.UnreadRune() == nil), fmt.Sprint(m.UnreadRune() == nil)
		case 10:
			line, err := b.ReadBytes('\n')
			got = fmt.Sprint(line, err)
			line, err = m.ReadBytes('\n')
			want = fmt.Sprint(line, err)
		case 11:
			line, err := b.ReadString(' ')
			got = fmt.Sprint(line, err)
			line, err = m.ReadString(' ')
			want = fmt.Sprint(line, err)
		case 12:
			n := next(b.Len() + 1)
			b.Truncate(n)
			m.Truncate(n)
			all = append(all[:0], b.B...)
		case 13:
			if next(8) == 0 {
				b.Reset()
				m.Reset()
				all = all[:0]
			}
		case 14:
			n := next(20)
			p, err := b.Peek(n)
			got = fmt.Sprint(p, err)
			p, err = m.Peek(n)
			want = fmt.Sprint(p, err)
		case 15:
			s := text[:next(len(text))]
			n, err := b.ReadFrom(bytes.NewReader(s))
			got = fmt.Sprint(n, err)
			n, err = m.ReadFrom(bytes.NewReader(s))
			want = fmt.Sprint(n, err)
			all = append(all, s...)
		case 16:
			// Both may make Unread… fail, but not in the same cases.
			n := next(100)
			b.Grow(n)
			m.Grow(n)
			b.Truncate(b.Len())
			m.Truncate(m.Len())
		case 17:
			s := append(b.AvailableBuffer(), text[:1+next(9)]...)
			b.Write(s)
			m.Write(s)
			all = append(all, s...)
		}
		if got != want {
			return fmt.Sprintf("step %d: %s, want %s", step, got, want)
		}
		if !bytes.Equal(b.Bytes(), m.Bytes()) || b.String() != m.String() || b.Len() != m.Len() {
			return fmt.Sprintf("step %d: content %q, want %q", step, b, m)
		}
		if !bytes.HasSuffix(all, b.B) || !bytes.HasSuffix(b.B, m.Bytes()) {
			return fmt.Sprintf("step %d: B is %q, after %q", step, b.B, all)
		}
	}
	return ""
}

func FuzzAgainstBytesBuffer(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
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

func TestReadingLeavesB(t *testing.T) {
	usePool(t, engine.Config{})
	b := newString("hello, world")
	if s := b.Next(7); string(s) != "hello, " {
		t.Errorf("Next: %q", s)
	}
	if string(b.B) != "hello, world" || b.String() != "world" || b.Len() != 5 || b.Cap() != 16 {
		t.Errorf("B %q, String %q, Len %d, Cap %d", b.B, b, b.Len(), b.Cap())
	}
	b.WriteString("!!!!") // fits
	if string(b.B) != "hello, world!!!!" || b.String() != "world!!!!" {
		t.Errorf("B %q, String %q", b.B, b)
	}
	var w bytes.Buffer
	for range 2 {
		b.WriteTo(&w)
	}
	if w.String() != "world!!!!world!!!!" {
		t.Errorf("WriteTo: %q", &w)
	}
	b.WriteByte('?') // does not fit: what was read goes
	if string(b.B) != "world!!!!?" || b.Len() != 10 {
		t.Errorf("B %q, Len %d", b.B, b.Len())
	}
	b.B = b.B[:2] // shorter than what was read
	b.Next(1)
	b.B = b.B[:0]
	if b.Len() != 0 || b.String() != "" {
		t.Errorf("Len %d, String %q", b.Len(), b)
	}
	if _, err := b.ReadByte(); err != io.EOF {
		t.Error(err)
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

func TestNegativeCounts(t *testing.T) {
	b := newString("abc")
	mustPanic(t, "buffer: Next: negative count", func() { b.Next(-1) })
	mustPanic(t, "buffer: Peek: negative count", func() { b.Peek(-1) })
	if b.String() != "abc" {
		t.Errorf("the buffer changed: %q", b)
	}
}
