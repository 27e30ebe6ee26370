//go:build !octet_purego

package bytebuf_test

import (
	"io"
	"runtime"
	"strings"
	"testing"
	"unsafe"
	"weak"

	"github.com/octet-go/octet/bytebuf"
)

const purego = false

// lends says whether String shares the array of b.
func lends(b *bytebuf.Buffer) bool {
	s, s2 := b.String(), b.String()
	return unsafe.StringData(s) == unsafe.StringData(s2)
}

// Strings share the array where that is allowed. This guards the point of it
// all: a rule that is too strict is seen here.
func TestLends(t *testing.T) {
	for name, b := range buffers(text100) {
		want := name != "NewBuffer" && name != "NewBufferString" && name != "reused" &&
			name != "filled" // 100 bytes of more than 512
		for _, after := range []string{"", "write", "grow", "reset"} {
			switch after {
			case "write":
				b.WriteString(text100)
				want = want || name == "NewBufferString" // which had to grow
			case "grow":
				b.WriteString(text1000 + text1000 + text1000 + text1000 + text1000 + text1000)
				want = name != "reused"
			case "reset":
				b.Reset()
				b.WriteString(text1000 + text1000 + text1000 + text1000)
				want = false // used again: the array stays with the buffer
			}
			if got := lends(b); got != want {
				t.Errorf("buffer %s after %s: String shares the array: %v, want %v", name, after, got, want)
			}
		}
	}
}

// A string pins at most twice what it shows, wherever in the array it is. This
// guards that String copies a small part of a large array.
func TestPins(t *testing.T) {
	for n := 100; n < 3000; n += 7 {
		for read := 0; read < n; read += n / 7 {
			b := new(bytebuf.Buffer)
			b.Grow(1000)
			b.Write(make([]byte, n))
			b.Read(make([]byte, read))
			if want := 2*b.Len() >= b.Cap(); lends(b) != want {
				t.Errorf("String shares %d bytes of %d: %v", b.Len(), b.Cap(), !want)
			}
		}
	}
}

// The Reader has no array any more when ReadFrom returns. This guards that the
// hold ends.
func TestReadFromLends(t *testing.T) {
	b := new(bytebuf.Buffer)
	b.ReadFrom(strings.NewReader(text1000))
	if !lends(b) {
		t.Error("String copies after ReadFrom")
	}
}

// A buffer that grew does not keep its old array. This guards that a mark behind
// an array is not used for another one.
func TestGrowFrees(t *testing.T) {
	b := new(bytebuf.Buffer)
	var old weak.Pointer[byte]
	b.ReadFrom(readerFunc(func(p []byte) (int, error) { old = weak.Make(&p[0]); return len(p), io.EOF }))
	b.Grow(b.Available() + 1)
	for range 1000 {
		runtime.GC()
		if old.Value() == nil {
			runtime.KeepAlive(b)
			return
		}
	}
	t.Error("the old array is still there")
}

// Copies share an array, and slices of it, but not one that strings show. This pins
// what the documentation says of copies.
func TestCopiesShareAndPart(t *testing.T) {
	for name, b := range buffers(text100) {
		for _, lent := range []bool{false, true} {
			b := *b
			if lent {
				if _ = b.String(); !lends(&b) {
					continue
				}
			}
			c := b
			b.Bytes()[0] = '!'
			if got := string(c.Bytes()[:1]); got == "!" == lent {
				t.Errorf("%s, lent %v: a copy begins with %s after a change through the original's slice", name, lent, got)
			}
		}
	}
}

// An array is as large as was asked for, up to the next word. This guards that a
// buffer of a known size wastes nothing.
func TestArraysFit(t *testing.T) {
	for n := 65; n < 200; n++ {
		var b bytebuf.Buffer
		b.Grow(n)
		if word := int(unsafe.Sizeof(uintptr(0))); b.Cap() < n || b.Cap() >= n+word {
			t.Errorf("Grow(%d) makes an array of %d bytes", n, b.Cap())
		}
	}
}

// ReadFrom grows to a power of two and the room for the Read that finds the end.
func TestReadFromSizes(t *testing.T) {
	for n, want := range map[int]int{0: 1024, 512: 1024, 513: 1536, 1024: 2560, 2048: 2560, 2049: 4608, 4096: 4608, 5000: 8704} {
		var b bytebuf.Buffer
		b.ReadFrom(strings.NewReader(strings.Repeat("x", n)))
		if b.Len() != n || b.Cap() != want {
			t.Errorf("ReadFrom of %d bytes makes an array of %d, want %d", n, b.Cap(), want)
		}
	}
}

// A string leaves the room behind it to the buffer. This guards that Grow does not
// move what needs not move.
func TestGrowBehindString(t *testing.T) {
	var b bytebuf.Buffer
	b.Grow(150)
	b.WriteString(text100)
	s := b.String()
	b.Grow(b.Available())
	b.WriteString(text100[:10])
	if s2 := b.String(); unsafe.StringData(s) != unsafe.StringData(s2) {
		t.Error("Grow moved the contents although there is room")
	}
}

// A buffer that was read and grows, without ever having lent its array, goes on to
// lend. This guards that only a string that took the array makes a buffer keep the
// next one.
func TestReadAndGrownLends(t *testing.T) {
	var b bytebuf.Buffer
	b.Grow(1000)
	b.WriteString(text1000)
	b.Read(make([]byte, 400))
	b.WriteString(text1000[:300])
	b.WriteString(text1000[:400])
	if !lends(&b) {
		t.Errorf("String copies %d bytes of %d", b.Len(), b.Cap())
	}
}

// A buffer that is used again keeps its next array, also if all of the last one is
// written.
func TestUsedAgainKeeps(t *testing.T) {
	var b bytebuf.Buffer
	b.Grow(104)
	b.WriteString(text100)
	_ = b.String()
	b.Reset()
	b.Write(make([]byte, b.Cap()))
	if b.Cap() != 104 || lends(&b) {
		t.Errorf("an array of %d bytes, which String shares", b.Cap())
	}
}
