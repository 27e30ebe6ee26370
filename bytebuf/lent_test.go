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
	"github.com/octet-go/octet/internal/testenv"
)

const purego = false

// lends reports whether String shares the array of b.
func lends(b *bytebuf.Buffer) bool {
	s, s2 := b.String(), b.String()
	return unsafe.StringData(s) == unsafe.StringData(s2)
}

// Strings share the array wherever that is allowed.
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

// A string keeps at most twice its length alive. String copies smaller parts of an
// array, wherever they are.
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

// String shares the array after ReadFrom, because the hold has ended.
func TestReadFromLends(t *testing.T) {
	b := new(bytebuf.Buffer)
	b.ReadFrom(strings.NewReader(text1000))
	if !lends(b) {
		t.Error("String copies after ReadFrom")
	}
}

// A buffer that has grown does not keep its old array alive. So it must not use the mark
// behind an array for another.
func TestGrowFrees(t *testing.T) {
	b := new(bytebuf.Buffer)
	var old weak.Pointer[byte]
	b.ReadFrom(readerFunc(func(p []byte) (int, error) { old = weak.Make(&p[0]); return len(p), io.EOF }))
	b.Grow(b.Available() + 1)
	testenv.Eventually(t, "the old array is collected", func() bool {
		runtime.GC()
		return old.Value() == nil
	})
	runtime.KeepAlive(b)
}

// Copies share an array, also after Bytes, unless a string shares it as well. The
// documentation of Buffer says so.
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

// A buffer keeps its next array to itself only if a string has taken the last one. One
// that was read from, and then grew, goes on to lend.
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

// A buffer that is reused keeps its next array to itself, also if that has to be as
// large as the last one.
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
