package binary_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/octet-go/octet/compat/binary"
)

// writerFunc is a Writer that is not called statically.
type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestNilWriteChain(t *testing.T) {
	var c *binary.WriteChain
	if n, err := c.Write([]byte{1}); n != 0 || err == nil {
		t.Errorf("Write = %d, %v", n, err)
	}
	n, err := c.
		Bool(true).Byte(1).ByteSlice([]byte{1}).Complex64(1).Complex128(1).Float32(1).Float64(1).Int8(1).Int16(1).
		Int32(1).Int64(1).Rune(1).String("1").Uint8(1).Uint16(1).Uint32(1).Uint64(1).End()
	if n != -1 || err == nil {
		t.Errorf("End = %d, %v", n, err)
	}
}

// A missing Writer or ByteOrder is reported by the first field that needs it.
func TestIncompleteWriteChain(t *testing.T) {
	var out bytes.Buffer
	for _, test := range []struct {
		name  string
		chain binary.WriteChain
		write func(c *binary.WriteChain)
		err   string
	}{
		{"no Writer, Byte", binary.WriteChain{ByteOrder: binary.BigEndian}, func(c *binary.WriteChain) { c.Byte(1) }, "Writer"},
		{"no Writer, Uint32", binary.WriteChain{ByteOrder: binary.BigEndian}, func(c *binary.WriteChain) { c.Uint32(1) }, "Writer"},
		{"no Writer, String", binary.WriteChain{}, func(c *binary.WriteChain) { c.String("x") }, "Writer"},
		{"no Writer, Write", binary.WriteChain{}, func(c *binary.WriteChain) { c.Write(nil) }, "Writer"},
		{"no order, Uint16", binary.WriteChain{Writer: &out}, func(c *binary.WriteChain) { c.Uint16(1) }, "ByteOrder"},
		{"no order, Complex128", binary.WriteChain{Writer: &out}, func(c *binary.WriteChain) { c.Complex128(1) }, "ByteOrder"},
		{"no order, needs none", binary.WriteChain{Writer: &out}, func(c *binary.WriteChain) {
			c.Byte(1).Int8(2).Bool(true).String("x")
		}, ""},
	} {
		c := test.chain
		test.write(&c)
		test.write(&c) // the first error stays
		n, err := c.End()
		if test.err == "" {
			if n != 8 || err != nil {
				t.Errorf("%s: End = %d, %v", test.name, n, err)
			}
		} else if n != 0 || err == nil || !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: End = %d, %v", test.name, n, err)
		}
	}
	if out.Len() != 8 {
		t.Errorf("the Writer has % x", out.Bytes())
	}
}

// The Writer may be replaced between fields, also by one of another type.
func TestWriterIsReplaced(t *testing.T) {
	var a, b bytes.Buffer
	opaque := func(w io.Writer) io.Writer { return struct{ io.Writer }{w} }
	c := binary.WriteChain{ByteOrder: binary.BigEndian}
	for _, w := range []io.Writer{&a, opaque(&a), &b, opaque(&b), opaque(&a), &a} {
		c.Writer = w
		c.Uint16(0x0102).Uint8(3).Uint64(4)
	}
	want := bytes.Repeat([]byte{1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 4}, 6)
	if got := append(a.Bytes(), b.Bytes()...); !bytes.Equal(got, want) {
		t.Errorf("written: % x", got)
	}
	if n, err := c.End(); n != len(want) || err != nil {
		t.Errorf("End = %d, %v", n, err)
	}
}

// A copy that failed remains failed wherever it is assigned, even to the variable that
// it was copied from.
func TestFailedCopyComesBack(t *testing.T) {
	var out []byte
	full := errors.New("full")
	c := binary.WriteChain{ByteOrder: binary.BigEndian, Writer: writerFunc(func(p []byte) (int, error) {
		if len(p) > 4 {
			return 0, full
		}
		out = append(out, p...)
		return len(p), nil
	})}
	header := func(c binary.WriteChain) binary.WriteChain {
		c.ByteSlice([]byte("too long"))
		return c
	}
	for range 2 {
		out = nil
		c.Uint16(0x0102)
		c = header(c)
		n, err := c.Uint8(3).Uint16(4).Uint32(5).String("6").End()
		if n != 2 || err != full || !bytes.Equal(out, []byte{1, 2}) {
			t.Errorf("End = %d, %v; written % x", n, err, out)
		}
	}
}

// A Writer that modifies its argument, against the rules, must not change a string,
// which may be constant, nor what was written before.
func TestStringIsNeverHandedOut(t *testing.T) {
	s := strings.Repeat("never", 3)
	for _, long := range []string{s, strings.Repeat(s, 10_000)} {
		was := strings.Clone(long)
		c := binary.WriteChain{Writer: writerFunc(func(p []byte) (int, error) {
			clear(p)
			return len(p), nil
		})}
		if n, err := c.String(long).String(long).End(); n != 2*len(long) || err != nil || long != was {
			t.Errorf("End = %d, %v; the string is changed: %v", n, err, long != was)
		}
	}
}

// Copies of a chain share only the Writer.
func TestCopiesOfWriteChain(t *testing.T) {
	type counted struct {
		mu  sync.Mutex
		out []byte
	}
	var w counted
	original := binary.WriteChain{ByteOrder: binary.BigEndian, Writer: writerFunc(func(p []byte) (int, error) {
		runtime.Gosched() // lets others write to their scratch
		w.mu.Lock()
		defer w.mu.Unlock()
		w.out = append(w.out, p...)
		return len(p), nil
	})}
	original.Uint64(0)
	original.String("12345678")

	const copies, times = 8, 200
	var wg sync.WaitGroup
	for i := range copies {
		c := original
		wg.Go(func() {
			v := uint64(i+1) * 0x0101010101010101
			for range times {
				c.Uint64(v).String(string(bytes.Repeat([]byte{byte(i + 1)}, 8)))
			}
			if n, err := c.End(); n != 16+16*times || err != nil {
				t.Errorf("End = %d, %v", n, err)
			}
		})
	}
	wg.Wait()
	for p := range slices.Chunk(w.out[16:], 8) {
		if !bytes.Equal(p, bytes.Repeat(p[:1], 8)) || p[0] < 1 || p[0] > copies {
			t.Fatalf("a field is mixed from several: % x", p)
		}
	}
	if n, err := original.End(); n != 16 || err != nil {
		t.Errorf("End of the original = %d, %v", n, err)
	}
}

// A Writer may use the chain that writes to it, and gets the right bytes.
func TestReentrantWriter(t *testing.T) {
	var out []byte
	var c *binary.WriteChain
	depth := 0
	c = &binary.WriteChain{ByteOrder: binary.BigEndian, Writer: writerFunc(func(p []byte) (int, error) {
		if depth++; depth < 4 {
			c.Uint32(uint32(depth) * 0x01010101).String("ab")
		}
		depth--
		out = append(out, p...)
		return len(p), nil
	})}
	for range 3 {
		out = nil
		c.Uint32(0xffffffff)
		if !bytes.HasSuffix(out, []byte{0xff, 0xff, 0xff, 0xff}) || bytes.Count(out, []byte{1, 1, 1, 1}) != 1 {
			t.Fatalf("written: % x", out)
		}
	}
}

// A chain still works after its Writer panicked.
func TestPanickingWriter(t *testing.T) {
	var out bytes.Buffer
	angry := false
	c := binary.WriteChain{ByteOrder: binary.BigEndian, Writer: writerFunc(func(p []byte) (int, error) {
		if angry {
			panic("angry")
		}
		return out.Write(p)
	})}
	for range 3 {
		func() {
			defer func() { recover() }()
			angry = true
			c.Uint16(0x0506)
		}()
		angry = false
		c.Uint16(0x0102)
	}
	if n, err := c.End(); n != 6 || err != nil || !bytes.Equal(out.Bytes(), []byte{1, 2, 1, 2, 1, 2}) {
		t.Errorf("End = %d, %v; written % x", n, err, out.Bytes())
	}
}

// The chain is on a stack that moves while the Writer runs, and another goroutine reads
// the bytes meanwhile.
func TestStackMovesWhileWriting(t *testing.T) {
	var out []byte
	write := writerFunc(func(p []byte) (int, error) {
		grow(64)
		done := make(chan []byte)
		go func() { done <- bytes.Clone(p) }()
		out = append(out, <-done...)
		return len(p), nil
	})
	var want []byte
	for i := range 50 {
		done := make(chan struct{})
		go func() { // a fresh, small stack
			defer close(done)
			c := binary.WriteChain{Writer: write, ByteOrder: binary.BigEndian}
			c.Uint64(uint64(i)).Uint16(uint16(i))
			d := c
			d.Uint8(uint8(i))
			c.Uint8(uint8(i))
		}()
		<-done
		want = append(want, 0, 0, 0, 0, 0, 0, 0, byte(i), 0, byte(i), byte(i), byte(i))
	}
	if !bytes.Equal(out, want) {
		t.Errorf("written: % x", out)
	}
}

//go:noinline
func grow(n int) byte {
	var b [1024]byte
	if n > 0 {
		b[n] = grow(n - 1)
	}
	return b[n/2]
}
