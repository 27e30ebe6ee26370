package bytebuf_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/octet-go/octet/bytebuf"
)

// A taken is a string from a buffer, and a copy of what it was.
type taken struct {
	t       *testing.T
	s, want string
}

func take(t *testing.T, b *bytebuf.Buffer) taken {
	s := b.String()
	return taken{t, s, strings.Clone(s)}
}

func (s taken) check() {
	s.t.Helper()
	if s.s != s.want {
		s.t.Errorf("the string changed from %.80q to %.80q", s.want, s.s)
	}
}

func scribble(p []byte) {
	p = p[:cap(p)]
	for i := range p {
		p[i] = '!'
	}
}

var (
	text100  = strings.Repeat("0123456789", 10)
	text1000 = strings.Repeat(text100, 10)
)

// buffers returns buffers that came by the same contents in different ways.
func buffers(contents string) map[string]*bytebuf.Buffer {
	m := map[string]*bytebuf.Buffer{
		"zero":            new(bytebuf.Buffer),
		"NewPointer":      bytebuf.NewPointer(),
		"NewBuffer":       bytebuf.NewBuffer(append(make([]byte, 0, 5000), contents...)),
		"NewBufferString": bytebuf.NewBufferString(contents),
		"grown":           bytebuf.NewPointer(),
		"read":            bytebuf.NewPointer(),
		"filled":          bytebuf.NewPointer(),
		"reused":          bytebuf.NewPointer(),
		"copied":          bytebuf.NewPointer(),
	}
	m["zero"].WriteString(contents)
	m["NewPointer"].WriteString(contents)
	m["filled"].ReadFrom(strings.NewReader(contents))
	m["grown"].WriteString(contents[:40])
	m["grown"].WriteString(contents[40:])
	m["read"].WriteString("read" + contents)
	m["read"].Read(make([]byte, 4))
	m["reused"].WriteString(text1000)
	_ = m["reused"].String()
	m["reused"].Reset()
	m["reused"].WriteString(contents)
	m["copied"].WriteString("12345")
	b := *m["copied"] // has its own array, but the mark of the original
	b.Reset()
	b.WriteString(contents)
	m["copied"] = &b
	return m
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A Reader that panics may have kept the memory. Only a Read that returns ends the hold.
func TestReadFromPanics(t *testing.T) {
	b := new(bytebuf.Buffer)
	b.Grow(2000)
	var kept []byte
	func() {
		defer func() { recover() }()
		b.ReadFrom(readerFunc(func(p []byte) (int, error) { kept = p; panic(errors.New("reader")) }))
	}()
	b.WriteString(text1000)
	s := take(t, b)
	scribble(kept)
	s.check()
}

// If a Reader makes the contents move, what it returns gets into the buffer, and nothing
// else.
func TestReadFromMoves(t *testing.T) {
	for how, move := range map[string]func(b *bytebuf.Buffer){
		"Full":   func(b *bytebuf.Buffer) { *b = *bytebuf.NewBuffer(make([]byte, 0, len("before "))) },
		"Grow":   func(b *bytebuf.Buffer) { b.Grow(100000) },
		"Reset":  func(b *bytebuf.Buffer) { b.Reset(); b.Grow(100000) },
		"Assign": func(b *bytebuf.Buffer) { *b = bytebuf.New() },
	} {
		b := bytebuf.New()
		b.WriteString("before ")
		n, err := b.ReadFrom(readerFunc(func(p []byte) (int, error) {
			move(&b)
			return copy(p, "read"), io.EOF
		}))
		want := "before read"
		if how != "Grow" {
			want = "read"
		}
		if s := b.String(); n != 4 || err != nil || s != want {
			t.Errorf("%s: ReadFrom gives %d, %v and %q, want %q", how, n, err, s, want)
		}
	}
}

// New's array may be on a stack, so it is never lent. Here the stack frame is gone, or
// the stack has moved.
func TestStackIsNotLent(t *testing.T) {
	for _, size := range []int{1, 31, 32, 33, 63, 64} {
		s := fromStack(text100[:size])
		deep(100)
		if s != text100[:size] {
			t.Errorf("the string is %q, want %q", s, text100[:size])
		}
		b := bytebuf.New()
		b.WriteString(text100[:size])
		s = b.String()
		deep(1000)
		if b.String() != s || s != text100[:size] {
			t.Errorf("the string is %q, want %q", s, text100[:size])
		}
	}
}

//go:noinline
func fromStack(s string) string {
	b := bytebuf.New()
	b.WriteString(s)
	return b.String()
}

//go:noinline
func deep(n int) byte {
	var a [256]byte
	for i := range a {
		a[i] = '!'
	}
	if n > 0 {
		return deep(n-1) + a[n%256]
	}
	return a[0]
}

// A Buffer's stack may move at any call, also at one inside of a method. No method may
// keep the Buffer's address where the runtime does not find it. The checks of -race and
// -d=checkptr once made one do so.
func TestStackMovesInMethods(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		done := make(chan bool)
		go func() { // on a new, small stack
			defer close(done)
			b := bytebuf.New()
			want := ""
			for range 20 {
				w := text100[:random.IntN(40)]
				want += w
				writeAt(random.IntN(200), &b, w)
				s := b.String()
				if random.IntN(3) == 0 {
					b.Bytes() // copies a shared array, and the next write finds the copy
				}
				if s != want {
					t.Errorf("%q, want %q", s, want)
				}
			}
		}()
		<-done
	}
}

// writeAt writes s with more frames on the stack.
//
//go:noinline
func writeAt(depth int, b *bytebuf.Buffer, s string) byte {
	var frame [300]byte
	if depth == 0 {
		b.WriteString(s)
		_ = b.String()
		b.Bytes()
		return frame[3]
	}
	frame[depth] = byte(depth)
	return writeAt(depth-1, b, s) + frame[7]
}

// Many goroutines may look at once, and the first decides what becomes of the array. The
// race detector checks that their accesses are atomic. The test checks that all get
// slices of one array, which no string shares.
func TestLookConcurrently(t *testing.T) {
	for name, b := range buffers(text100) {
		for _, lent := range []bool{false, true} {
			b := *b
			var all [8]taken
			if lent {
				all[0] = take(t, &b)
			}
			var slices [8][]byte
			var wg sync.WaitGroup
			for i := range all {
				wg.Go(func() {
					for range 20 {
						if b.Len() != 100 || b.Cap() < 100 || b.Available() != cap(b.AvailableBuffer()) {
							t.Error("wrong length or capacity")
						}
						if i%2 == 0 {
							slices[i] = b.Bytes()
						}
						all[i] = take(t, &b)
						p, _ := b.Peek(50)
						slices[i] = p
					}
				})
			}
			wg.Wait()
			scribble(slices[0])
			for i, p := range slices {
				if &p[0] != &slices[0][0] {
					t.Error("two arrays")
				}
				all[i].check()
			}
			if t.Failed() {
				t.Fatalf("buffer %s, lent before: %v", name, lent)
			}
		}
	}
}

// Impossible sizes panic with ErrTooLarge, whatever the buffer's array, and leave the
// contents unchanged.
func TestTooLarge(t *testing.T) {
	sizes := []int{math.MaxInt, math.MaxInt - 7, math.MaxInt - 100, math.MaxInt / 2, math.MaxInt / 8}
	if !purego { // make would try
		sizes = append(sizes, math.MaxInt&(1<<46))
	}
	if math.MaxInt == math.MaxInt32 {
		sizes = sizes[:1] // there might be memory for the others
	}
	for _, size := range sizes {
		all := buffers(text100)
		if math.MaxInt > math.MaxInt32 {
			all["empty"], all["New"] = new(bytebuf.Buffer), bytebuf.NewPointer()
		}
		for name, b := range all {
			was := b.Len()
			func() {
				defer func() {
					if e := recover(); e != bytebuf.ErrTooLarge {
						t.Errorf("%s: Grow(%d) panics with %v", name, size, e)
					}
				}()
				b.Grow(size)
			}()
			if b.Len() != was || was > 0 && b.String() != text100 {
				t.Errorf("%s: after Grow(%d): %d bytes, %.20q", name, size, b.Len(), b.String())
			}
		}
	}
}

// Grow keeps the bytes that UnreadByte and UnreadRune unread, even if it moves the
// contents. It may have to move them where a bytes.Buffer need not, because a string
// shares the array.
func TestUnreadAfterGrow(t *testing.T) {
	for name := range buffers(text100) {
		for _, n := range []int{0, 1, 50, 1000, 100_000} {
			for _, lent := range []bool{false, true} {
				b := buffers(text100)[name]
				b.WriteString("☺more")
				want := "9☺more"
				if lent {
					_ = b.String()
					b.Truncate(b.Len() - 1)
					want = "9☺mor"
				}
				b.Read(make([]byte, 100))
				b.Grow(n)
				if err := b.UnreadByte(); err != nil || b.String() != want || b.Available() < n {
					t.Errorf("%s, lent %v: after Grow(%d) UnreadByte: %v, %q, want %q", name, lent, n, err, b.String(), want)
				}
				b.ReadByte()
				b.ReadRune()
				b.Grow(n)
				if err := b.UnreadRune(); err != nil || b.String() != want[1:] {
					t.Errorf("%s, lent %v: after Grow(%d) UnreadRune: %v, %q, want %q", name, lent, n, err, b.String(), want[1:])
				}
				b.Next(b.Len())
				b.Grow(n)
				if b.UnreadByte() == nil { // so does bytes.Buffer
					t.Errorf("%s, lent %v: after reading all, Grow(%d) and UnreadByte: no error", name, lent, n)
				}
			}
		}
	}
}

// The same with one byte that was read, and with one byte that was not.
func TestUnreadAfterGrowOfLittle(t *testing.T) {
	b := bytebuf.NewBufferString("ab")
	b.ReadByte()
	b.Grow(100)
	if err := b.UnreadByte(); err != nil || b.String() != "ab" {
		t.Errorf("with one byte unread: %v, %q", err, b.String())
	}
	b = bytebuf.NewBufferString("a")
	b.ReadByte()
	b.Grow(100)
	if b.UnreadByte() == nil {
		t.Error("with nothing unread: no error")
	}
}

// Grow keeps the array if it has room, or if sliding the contents down makes room.
// Otherwise it allocates, which shows in Cap.
func TestGrowInPlace(t *testing.T) {
	var zero bytebuf.Buffer
	if zero.Grow(0); zero.Cap() != 0 {
		t.Errorf("Grow(0) of an empty buffer makes an array of %d bytes", zero.Cap())
	}
	if b := bytebuf.New(); b.Cap() != 64 {
		t.Errorf("New begins with %d bytes", b.Cap())
	}
	for _, test := range []struct {
		name string
		read int // of 80 bytes, in an array of 100
		grow int
		want bool // the array is the same
	}{
		{"room", 0, 20, true},
		{"one more than room", 0, 21, false},
		{"half of the array after sliding", 70, 40 - 1, true}, // one read byte stays
		{"less than half after sliding", 70, 40, false},
		{"all read", 80, 50, true},
		{"all read, and as much as there is", 80, 100, true},
	} {
		array := make([]byte, 80, 100)
		b := bytebuf.NewBuffer(array)
		b.Read(make([]byte, test.read))
		b.Grow(test.grow)
		if same := b.Cap() == 100; same != test.want || b.Available() < test.grow {
			t.Errorf("%s: the same array %v, want %v; %d of %d bytes available", test.name, same, test.want, b.Available(), test.grow)
		}
	}
}

// ReadRune agrees with bytes.Buffer about every first byte, also those with which no
// rune begins.
func TestReadRuneBytes(t *testing.T) {
	for c := range 256 {
		in := []byte{byte(c), 0x80, 0x80, 0x80}
		r, n, err := bytebuf.NewBuffer(in).ReadRune()
		want, wantN, wantErr := bytes.NewBuffer(in).ReadRune()
		if r != want || n != wantN || err != wantErr {
			t.Errorf("ReadRune of % x is %#x, %d, %v, want %#x, %d", in, r, n, err, want, wantN)
		}
	}
}
