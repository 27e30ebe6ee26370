package buffer

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"unsafe"

	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
)

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestReadFrom(t *testing.T) {
	onAllEngines(t, func(t *testing.T, p *engine.Pool) {
		for _, size := range []int{0, 1, 63, 64, 65, 511, 512, 513, 8191, 8192, 8193, 1 << 20, 1<<20 + 1} {
			text := strings.Repeat("0123456789", size/10+1)[:size]
			for name, wrap := range map[string]func(io.Reader) io.Reader{
				"plain":   func(r io.Reader) io.Reader { return r },
				"half":    iotest.HalfReader,
				"dataErr": iotest.DataErrReader,
			} {
				b := newString("prefix")
				n, err := b.ReadFrom(wrap(strings.NewReader(text)))
				if n != int64(size) || err != nil || b.String() != "prefix"+text {
					t.Errorf("%s, %d bytes: %d, %v", name, size, n, err)
				}
				b.Release()
			}
		}
		var b Buffer
		if n, err := b.ReadFrom(strings.NewReader("zero")); n != 4 || err != nil || b.String() != "zero" {
			t.Errorf("zero Buffer: %d, %v, %q", n, err, &b)
		}
		b.Release()
		if n := inUse(p); n != 0 {
			t.Errorf("%d arrays leaked", n)
		}
	})
}

func TestReadFromErrors(t *testing.T) {
	boom := errors.New("boom")
	for _, tt := range []struct {
		name  string
		after int // what Read returns, after 3 bytes and no error
		err   error
		want  string // a part of the error
		empty bool   // the first 3 bytes are left out
	}{
		{name: "error", after: 2, err: boom, want: "boom"},
		{name: "negative", after: -1, want: "returned count -1 for a slice of"},
		{name: "too large", after: 100000, want: "returned count 100000 for a slice of"},
		{name: "too large at once", after: 100000, want: "returned count 100000 for a slice of", empty: true},
		{name: "no progress", after: 0, want: io.ErrNoProgress.Error()},
		{name: "no progress at once", after: 0, want: io.ErrNoProgress.Error(), empty: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := usePool(t, engine.Config{})
			// An array that leaves 512 bytes to the reader, and a full large
			// one that leaves none.
			for _, start := range []int{64, 8 << 10} {
				b := Make(start)
				b.Write(bytes.Repeat([]byte("x"), start))
				before, want := b.String(), b.String()
				first := !tt.empty
				if first {
					want += "abc"
				}
				n, err := b.ReadFrom(readerFunc(func(q []byte) (int, error) {
					if first {
						first = false
						return copy(q, "abc"), nil
					}
					copy(q, "de")
					return tt.after, tt.err
				}))
				if tt.err != nil {
					want += "de"
				}
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %v, want %s", err, tt.want)
				}
				if b.String() != want || n != int64(len(want)-len(before)) {
					t.Errorf("n = %d, Len %d, want %d", n, b.Len(), len(want))
				}
				b.Release()
			}
			if n := inUse(p); n != 0 {
				t.Errorf("%d arrays leaked", n)
			}
		})
	}
}

func TestReadFromPanic(t *testing.T) {
	p := usePool(t, engine.Config{})
	for _, start := range []int{64, 8 << 10} {
		b := Make(start)
		b.Write(bytes.Repeat([]byte("x"), start))
		mustPanic(t, "boom", func() {
			b.ReadFrom(readerFunc(func([]byte) (int, error) { panic("boom") }))
		})
		if b.String() != strings.Repeat("x", start) {
			t.Error("the content changed")
		}
		b.Release()
	}
	if n := inUse(p); n != 0 {
		t.Errorf("%d arrays leaked", n)
	}
}

// The limit holds also where an array that came from elsewhere is larger, and up to
// it everything fits.
func TestLimit(t *testing.T) {
	if sanitize.Enabled || math.MaxInt == math.MaxInt32 {
		t.Skip("2 GiB are too much for this build")
	}
	p := usePool(t, engine.Config{})
	beyond := maxSize
	beyond += 1000
	array := rt.DirtyBytes(beyond) // of which little is touched
	b := NewBuffer(array[:maxSize-10])
	if n := b.Available(); n != 10 {
		t.Errorf("%d bytes are available, want 10", n)
	}
	mustPanic(t, ErrTooLarge, func() { b.Write(make([]byte, 11)) })
	mustPanic(t, ErrTooLarge, func() { b.Grow(11) })
	for _, text := range []string{"", "1234", "123456", ""} {
		if n, err := b.ReadFrom(iotest.HalfReader(strings.NewReader(text))); int(n) != len(text) || err != nil {
			t.Errorf("ReadFrom of %q: %d, %v", text, n, err)
		}
	}
	for _, write := range []func(){
		func() { b.Write([]byte("1")) },
		func() { b.WriteString("1") },
		func() { b.WriteByte('1') },
		func() { b.WriteRune('é') },
		func() { b.Grow(1) },
	} {
		mustPanic(t, ErrTooLarge, write)
	}
	if n, err := b.ReadFrom(strings.NewReader("1")); n != 0 || err != ErrTooLarge {
		t.Errorf("ReadFrom beyond the limit: %d, %v", n, err)
	}
	if len(b.B) != maxSize || &b.B[0] != &array[0] {
		t.Errorf("the content has %d bytes", len(b.B))
	}
	if b.release() {
		t.Error("the array went to the pool")
	}
	b = &Buffer{B: array[:0]}
	b.Release()
	b.WriteString("abc")
	b.Grow(maxSize - 3)
	mustPanic(t, ErrTooLarge, func() { b.Grow(maxSize - 2) })
	if b.String() != "abc" || b.Available() != maxSize-3 {
		t.Errorf("%q, and room for %d bytes", b.String(), b.Available())
	}
	b.Release()
	mustPanic(t, ErrTooLarge, func() { Make(beyond) })
	mustPanic(t, ErrTooLarge, func() { NewBuffer(array) })
	b = newString("hello")
	b.Next(1)
	mustPanic(t, ErrTooLarge, func() { b.Write(array) })
	mustPanic(t, ErrTooLarge, func() { b.WriteString(unsafe.String(&array[0], beyond)) })
	if b.String() != "ello" {
		t.Errorf("%q is left", b)
	}
	b.Release()
	if n := inUse(p); n != 0 {
		t.Errorf("%d arrays in use", n)
	}
}

func TestWriteTo(t *testing.T) {
	boom := errors.New("boom")
	for _, tt := range []struct {
		name string
		n    int
		err  error
		want int64
		msg  string
	}{
		{"all", 5, nil, 5, "<nil>"},
		{"error", 2, boom, 2, "boom"},
		{"short", 3, nil, 3, "short write"},
		{"nothing", 0, nil, 0, "short write"},
		{"negative", -1, nil, 0, "buffer: WriteTo: Write of a buffer.writerFunc returned count -1 for 5 bytes"},
		{"too many", 6, boom, 0, "buffer: WriteTo: Write of a buffer.writerFunc returned count 6 for 5 bytes"},
	} {
		b := newString("hello")
		var got string
		n, err := b.WriteTo(writerFunc(func(p []byte) (int, error) {
			got = string(p)
			return tt.n, tt.err
		}))
		msg := "<nil>"
		if err != nil {
			msg = err.Error()
		}
		if got != "hello" || n != tt.want || msg != tt.msg {
			t.Errorf("%s: wrote %q, returned %d, %s", tt.name, got, n, msg)
		}
		if b.String() != "hello" {
			t.Errorf("%s: the content changed", tt.name)
		}
		b.Release()
	}
}

// A Buffer that was made for what it reads keeps its array.
func TestReadFromKeepsTheRightSize(t *testing.T) {
	for _, n := range []int{minRead, 600, 1000, 1 << 10, 5000, 8 << 10, 100_000, 1 << 20} {
		usePool(t, engine.Config{})
		b := Make(n)
		array := &b.B[:1][0]
		if got, err := b.ReadFrom(bytes.NewReader(make([]byte, n))); got != int64(n) || err != nil {
			t.Errorf("%d bytes: %d, %v", n, got, err)
		}
		if &b.B[0] != array {
			t.Errorf("%d bytes: moved to an array of %d", n, b.Cap())
		}
		b.Release()
	}
}
