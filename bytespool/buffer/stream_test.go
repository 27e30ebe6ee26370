package buffer

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unsafe"

	"github.com/octet-go/octet/internal/engine"
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
				b := NewString("prefix")
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

// What fits exactly needs no larger array to see the end.
func TestReadFromFull(t *testing.T) {
	b := Make(1 << 20)
	b.ReadFrom(bytes.NewReader(make([]byte, 1<<20)))
	if b.Len() != 1<<20 || b.Cap() != 1<<20 {
		t.Errorf("Len %d, Cap %d", b.Len(), b.Cap())
	}
	b.Release()
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
			for _, start := range []int{64, probeFrom} {
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
	for _, start := range []int{64, probeFrom} {
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

func TestTooLargeToAppend(t *testing.T) {
	p := usePool(t, engine.Config{})
	// It says that it is full, and nobody may look whether it is.
	type header struct {
		array    *byte
		len, cap int
	}
	b := new(Buffer)
	*(*header)(unsafe.Pointer(&b.B)) = header{new(byte), maxSize, maxSize}
	for _, f := range []func(){
		func() { b.Write([]byte("x")) },
		func() { b.WriteString("x") },
		func() { b.WriteByte('x') },
		func() { b.WriteRune('é') },
		func() { b.Grow(1) },
	} {
		mustPanic(t, ErrTooLarge, f)
	}
	if n, err := b.ReadFrom(strings.NewReader("x")); n != 0 || err != ErrTooLarge {
		t.Errorf("ReadFrom: %d, %v", n, err)
	}
	if b.Len() != maxSize {
		t.Errorf("Len = %d", b.Len())
	}
	if size := int64(maxSize) + 1; int64(int(size)) == size {
		var large []byte
		*(*header)(unsafe.Pointer(&large)) = header{new(byte), int(size), int(size)}
		mustPanic(t, ErrTooLarge, func() { NewBuffer(large) })
		mustPanic(t, ErrTooLarge, func() { NewBytes(large) })
		b := NewString("hello")
		b.Next(1)
		mustPanic(t, ErrTooLarge, func() { b.Set(large) })
		mustPanic(t, ErrTooLarge, func() { b.SetString(*(*string)(unsafe.Pointer(&large))) })
		if b.String() != "ello" {
			t.Errorf("%q is left", b)
		}
		b.Release()
	}
	if n := inUse(p); n != 0 {
		t.Errorf("%d arrays leaked", n)
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
		b := NewString("hello")
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
