//go:build !race && !asan && !msan

package binary_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/octet-go/octet/binary"
	"github.com/octet-go/octet/internal/testenv"
)

func TestAllocations(t *testing.T) {
	in := binary.LE(nil).Uint8(1).Uint64(2).Float64(3).String16("text").Uvarint(1 << 40)
	dst := make([]byte, 0, 200)
	e := binary.NewStreamEncoder[binary.Big](io.Discard)
	many := make([]uint32, 10_000)
	r := bytes.NewReader(nil)
	d := binary.NewStreamDecoder[binary.Little](r)
	for name, f := range map[string]func(){
		"append": func() {
			dst = binary.LE(dst[:0]).Uint8(1).Uint64(2).Float64(3).String16("text").Uvarint(1 << 40)
		},
		"nested spans": func() {
			var m [10]binary.Mark
			b := binary.BE(dst[:0])
			for i := range m {
				b = b.Begin16(&m[i])
			}
			for i := range m {
				b = b.End(&m[len(m)-1-i])
			}
			dst = b
		},
		"decode": func() {
			d := binary.DecodeLE(in)
			d.Field("head").Uint8()
			d.Uint64()
			d.Float64()
			var m binary.Mark
			d.Begin16(&m)
			d.Bytes(d.Len())
			d.End(&m)
			sub := binary.DecodeLE(d.Bytes(d.Len()))
			sub.Uvarint()
			if sub.Done() != nil || d.Done() != nil {
				t.Error(d.Done())
			}
		},
		"numbers": func() {
			var v [16]uint32
			b := binary.AppendNumbers(binary.BE(dst[:0]), v[:])
			d := binary.DecodeBE(b)
			if n := binary.DecodeNumbers(&d, v[:0], len(v)); len(n) != len(v) {
				t.Error(d.Err())
			}
		},
		"numbers through streams": func() {
			e.Reset(io.Discard)
			binary.WriteNumbers(e, many).Flush()
			r.Reset(in)
			d.Reset(r)
			if many = binary.ReadNumbers(d, many[:0], 5); d.Err() != nil {
				t.Error(d.Err())
			}
		},
		// A slice on the stack stays there, although the Decoder could fail.
		"decode from the stack": func() {
			var hdr [12]byte
			b := binary.BE(hdr[:0]).Uint32(1).Uint64(2)
			d := binary.DecodeBE(b)
			if d.Uint32() != 1 || d.Uint64() != 2 || d.Peek(1) != nil || d.Err() != nil {
				t.Error(d.Err())
			}
		},
		"stream encoder": func() {
			var m binary.Mark
			e.Reset(io.Discard)
			e.Uint8(1).Uint64(2).Begin16(&m).Float64(3).String8("text").End(&m).Bytes(in)
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		},
		"stream decoder": func() {
			r.Reset(in)
			d.Reset(r)
			d.Uint8()
			d.Uint64()
			d.Float64()
			d.Bytes16()
			d.Uvarint()
			if err := d.Done(); err != nil {
				t.Error(err)
			}
		},
	} {
		want := 0.0
		if testenv.PureGo() && (name == "decode from the stack" || name == "numbers") { // the input moves to the heap: see decoder_input_purego.go
			want = 1
		}
		if n := testing.AllocsPerRun(100, f); n != want {
			t.Errorf("%s: %v allocations, want %v", name, n, want)
		}
	}
}
