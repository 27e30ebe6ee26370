//go:build !race && !asan && !msan

package binary_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/octet-go/octet/binary"
	"github.com/octet-go/octet/bytebuf"
	"github.com/octet-go/octet/bytespool/buffer"
)

// BenchmarkKnownWriters writes four fields, and a string, to Writers that are called
// statically and to one that is not, by a chain that is reused and by new ones.
func BenchmarkKnownWriters(b *testing.B) {
	type resetter interface {
		io.Writer
		Reset()
	}
	for _, to := range []struct {
		name string
		w    resetter
	}{
		{"bytes.Buffer", new(bytes.Buffer)},
		{"bytebuf.Buffer", new(bytebuf.Buffer)},
		{"buffer.Buffer", buffer.Make(1024)},
		{"opaque", new(opaqueResetter)},
	} {
		b.Run("to="+to.name+"/chain=again", func(b *testing.B) {
			b.ReportAllocs()
			c := binary.WriteChain{Writer: to.w, ByteOrder: binary.BigEndian}
			for b.Loop() {
				to.w.Reset()
				c.Uint8(1).Uint16(2).Uint32(3).Uint64(4).End()
			}
		})
		b.Run("to="+to.name+"/chain=fresh", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				to.w.Reset()
				c := binary.WriteChain{Writer: to.w, ByteOrder: binary.BigEndian}
				c.Uint8(1).Uint16(2).Uint32(3).Uint64(4).End()
			}
		})
		b.Run("to="+to.name+"/string", func(b *testing.B) {
			b.ReportAllocs()
			c := binary.WriteChain{Writer: to.w, ByteOrder: binary.BigEndian}
			for b.Loop() {
				to.w.Reset()
				c.String("a string of 28 bytes, no more").End()
			}
		})
	}
}

type opaqueResetter struct{ opaqueWriter }

func (w *opaqueResetter) Reset() { w.n = 0 }

// BenchmarkKnownReaders reads four fields from Readers that are called statically and
// from one that is not.
func BenchmarkKnownReaders(b *testing.B) {
	in := binary.BE(nil).Uint8(1).Uint16(2).Uint32(3).Uint64(4)
	read := func(b *testing.B, r io.Reader, rewind func()) {
		for _, fresh := range []bool{false, true} {
			name := "reader=again"
			if fresh {
				name = "reader=fresh"
			}
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				again := binary.Reader{Reader: r, ByteOrder: binary.BigEndian}
				for b.Loop() {
					rewind()
					if fresh {
						r := binary.Reader{Reader: r, ByteOrder: binary.BigEndian}
						r.Uint8()
						r.Uint16()
						r.Uint32()
						r.Uint64()
						continue
					}
					again.Uint8()
					again.Uint16()
					again.Uint32()
					again.Uint64()
					again.End()
				}
			})
		}
	}
	b.Run("from=bytes.Reader", func(b *testing.B) {
		r := bytes.NewReader(in)
		read(b, r, func() { r.Reset(in) })
	})
	b.Run("from=bytes.Buffer", func(b *testing.B) {
		r := new(bytes.Buffer)
		read(b, r, func() { r.Reset(); r.Write(in) })
	})
	b.Run("from=opaque", func(b *testing.B) {
		read(b, new(opaqueReader), func() {})
	})
}
