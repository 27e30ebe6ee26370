package buffer

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/octet-go/octet/compat/binary"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/check/checktest"
	"github.com/octet-go/octet/internal/engine"
)

// TryGet asks, and what a Buffer appends without an error counts without asking.
func TestTryGet(t *testing.T) {
	for _, mode := range []check.Config{{}, {Mode: check.Sample, OneIn: 1}, {Mode: check.Full}} {
		for _, portable := range []bool{false, true} {
			checktest.Start(t, mode)
			p := usePool(t, engine.Config{Limit: 16 << 10, Portable: portable})
			want := func(what string, n int64) {
				t.Helper()
				if s := p.LimitStats(); s.InUse != n || s.Reserved != 0 {
					t.Errorf("mode %v: %s: %+v, want %d bytes in use", mode.Mode, what, s, n)
				}
			}
			for range 3 { // new Buffers, then idle ones
				var all []*Buffer
				for range 4 {
					b, err := shared.tryGet(4000)
					if err != nil || b.Cap() != 4096 || b.Len() != 0 {
						t.Fatalf("mode %v: capacity %d, length %d: %v", mode.Mode, b.Cap(), b.Len(), err)
					}
					all = append(all, b)
				}
				want("4 Buffers", 16<<10)
				if b, err := shared.tryGet(1); !errors.Is(err, bytespool.ErrLimit) || b != nil {
					t.Fatalf("mode %v: at the limit: %v", mode.Mode, err)
				}
				if n, err := all[0].Write(make([]byte, 8000)); n != 0 || !errors.Is(err, bytespool.ErrLimit) || all[0].Cap() != 4096 {
					t.Errorf("mode %v: a write wrote %d bytes: %v", mode.Mode, n, err)
				}
				want("a write was refused", 16<<10)
				all[0].Grow(8000)
				want("one has grown", 3*4096+8192)
				more := Get()
				more.WriteByte(1)
				want("beside it one more", 3*4096+8192+int64(more.Cap()))
				more.Release()
				for _, b := range all {
					b.Release()
				}
				want("all are released", 0)
			}
			if _, err := shared.tryGet(20000); !errors.Is(err, bytespool.ErrLimit) {
				t.Errorf("mode %v: above the limit: %v", mode.Mode, err)
			}
			check.Set(check.Config{})
		}
	}
}

// writers are the methods that return an error and append size bytes.
var writers = map[string]func(b *Buffer, size int) (int, error){
	"Write":       func(b *Buffer, size int) (int, error) { return b.Write(make([]byte, size)) },
	"WriteString": func(b *Buffer, size int) (int, error) { return b.WriteString(string(make([]byte, size))) },
	"WriteByte": func(b *Buffer, size int) (n int, err error) {
		for ; n < size && err == nil; n++ {
			if err = b.WriteByte(0); err != nil {
				return n, err
			}
		}
		return n, err
	},
	"WriteRune": func(b *Buffer, size int) (n int, err error) {
		for n < size && err == nil {
			var m int
			m, err = b.WriteRune(0)
			n += m
		}
		return n, err
	},
	"ReadFrom": func(b *Buffer, size int) (int, error) {
		n, err := b.ReadFrom(bytes.NewReader(make([]byte, size)))
		return int(n), err
	},
	"compat/binary": func(b *Buffer, size int) (int, error) {
		c := &binary.WriteChain{Writer: b, ByteOrder: binary.LittleEndian}
		for range (size + 7) / 8 {
			c.Uint64(0)
		}
		return c.End()
	},
	"compat/binary, a string": func(b *Buffer, size int) (int, error) {
		c := &binary.WriteChain{Writer: b, ByteOrder: binary.LittleEndian}
		return c.String(string(make([]byte, size))).End()
	},
}

// A Buffer that was admitted grows only by what is admitted, and loses nothing.
func TestGrowthAsks(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789"), 10)
	for _, mode := range []check.Config{{}, {Mode: check.Sample, OneIn: 1}, {Mode: check.Full}} {
		for _, portable := range []bool{false, true} {
			for name, write := range writers {
				checktest.Start(t, mode)
				p := usePool(t, engine.Config{Limit: 24 << 10, Portable: portable})
				for admission, get := range map[string]func() (*Buffer, error){
					"TryGet":  func() (*Buffer, error) { return shared.tryGet(8 << 10) },
					"Acquire": func() (*Buffer, error) { return shared.acquire(t.Context(), 8<<10) },
					"a share": func() (*Buffer, error) {
						a, err := shared.tryGet(8 << 10)
						b := a.Share()
						a.Release()
						return b, err
					},
				} {
					b, err := get()
					if err != nil {
						t.Fatal(err)
					}
					b.Write(content)
					rest, err := p.TryNew(16 << 10) // or 8, and a share takes the others
					if err != nil {
						rest, _ = p.TryNew(8 << 10)
					}
					n, err := write(b, 8<<10)
					if name, used := admission+": "+name, p.LimitStats().InUse; !errors.Is(err, bytespool.ErrLimit) ||
						b.Len() != 100+n || !bytes.Equal(b.Bytes()[:100], content) || used > 24<<10 && !strings.HasSuffix(name, "ReadFrom") {
						t.Errorf("mode %v: %s: %d bytes are in use, and the Buffer has %d, of which %d were written: %v", mode.Mode, name, used, b.Len(), n, err)
					}
					p.Release(rest)
					if more, err := write(b, 8<<10-n); err != nil || b.Len() < 8<<10 {
						t.Errorf("mode %v: %s: after a release, %d bytes more were written: %v", mode.Mode, name, more, err)
					}
					b.Release()
					if s := p.LimitStats(); s.InUse != 0 {
						t.Errorf("mode %v: %s: in the end %+v", mode.Mode, name, s)
					}
				}
				check.Set(check.Config{})
			}
		}
	}
}

// ReadFrom takes a body that leaves room in the array, whatever the limit has no room for; of one
// that does not, the Buffer has all that was read.
func TestReadFromAtLimit(t *testing.T) {
	for _, size := range []int{0, 1, 63, 64, 65, 100, 128, 511, 512, 513, 8191, 8192, 8193, 8192 + 512, 20_000} {
		for _, first := range []int{1, 100, 512, 8192} {
			for _, eof := range []bool{false, true} {
				p := usePool(t, engine.Config{Limit: int64(max(first, 64)) + 63})
				b, err := shared.tryGet(first)
				if err != nil {
					t.Fatal(err)
				}
				want := make([]byte, size)
				for i := range want {
					want[i] = byte(i * 7)
				}
				rest := bytes.NewReader(want)
				var r io.Reader = rest
				if eof {
					r = iotest.DataErrReader(r)
				}
				fits := size < b.Cap() || eof && size == b.Cap()
				n, err := b.ReadFrom(r)
				if (err == nil) != fits || err != nil && !errors.Is(err, bytespool.ErrLimit) {
					t.Errorf("%d bytes into %d: %v", size, first, err)
				}
				if !bytes.Equal(b.Bytes(), want[:n]) || !eof && int(n)+rest.Len() != size {
					t.Errorf("%d bytes into %d: %d were read, and the Buffer has %d", size, first, size-rest.Len(), b.Len())
				}
				if used := int(p.LimitStats().InUse); used != b.Cap() || used > max(first, 64)+63 {
					t.Errorf("%d bytes into %d: %d bytes are in use, the Buffer has %d", size, first, used, b.Cap())
				}
				b.Release()
			}
		}
	}
}

// A Buffer that TryGet returns has what was admitted, though a larger one is idle.
func TestTryGetAboveMaxSize(t *testing.T) {
	p := usePool(t, engine.Config{MinSize: 2, MaxSize: 66_000, Limit: 1_000_000})
	for range 3 {
		var all []*Buffer
		size := 0
		for b, err := shared.tryGet(100_000); err == nil; b, err = shared.tryGet(100_000) {
			if all = append(all, b); b.Cap() != p.CapacityOf(100_000) {
				t.Errorf("a Buffer has %d bytes, %d were admitted", b.Cap(), p.CapacityOf(100_000))
			}
			size += b.Cap()
		}
		if n := p.LimitStats().InUse; n != int64(size) || n > 1_000_000 {
			t.Errorf("%d Buffers have %d bytes, and %d count", len(all), size, n)
		}
		for _, b := range all {
			b.Release()
		}
		if n := p.LimitStats().InUse; n != 0 {
			t.Errorf("%d bytes in use, all is released", n)
		}
		for i := range all { // as many idle ones, with 131,072 each
			all[i] = Make(66_000)
		}
		for _, b := range all {
			b.Release()
		}
	}
}

// A Buffer over a slice of a pool with a limit gives it back there, and asks for what it
// grows by.
func TestBufferOverSlice(t *testing.T) {
	for _, mode := range []check.Config{{}, {Mode: check.Sample, OneIn: 1, Foreign: true}, {Mode: check.Full, Foreign: true}} {
		found := checktest.Start(t, mode)
		pools := bytespool.NewPool(bytespool.WithSizes(512, 1<<20), bytespool.WithLimit(20_000))
		p := NewPool(pools)
		for range 100 {
			s, err := pools.TryNew(8192)
			if err != nil {
				t.Fatal(err)
			}
			b := p.NewBuffer(s[:0])
			b.WriteString("x")
			if n, err := b.Write(make([]byte, 20_000)); n != 0 || !errors.Is(err, bytespool.ErrLimit) {
				t.Errorf("mode %v: %d bytes were written: %v", mode.Mode, n, err)
			}
			if !b.release() && mode.Mode == check.Off {
				t.Errorf("the slice was not kept")
			}
			if n := pools.Stats().Limit.InUse; n != 0 {
				t.Fatalf("mode %v: %d bytes are in use", mode.Mode, n)
			}
		}
		for _, f := range found() {
			t.Error(f.Error())
		}
		check.Set(check.Config{})
	}
}

// A Buffer that has asked gets no more than it asked for where it is sampled, either.
func TestSampledBuffersStayWithinLimit(t *testing.T) {
	checktest.Start(t, check.Config{Mode: check.Sample, OneIn: 1})
	pools := bytespool.NewPool(bytespool.WithSizes(64, 1<<20), bytespool.WithLimit(64<<10))
	p := NewPool(pools)
	pools.Release(make([]byte, 60_000)) // odd
	for _, n := range []int{10_000, 30_000} {
		b, err := p.TryGet(n)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Release()
		if s := pools.Stats().Limit; s.InUse > s.Bytes || s.Peak > s.Bytes {
			t.Errorf("with a Buffer for %d bytes: %+v", n, s)
		}
	}
}
