package binary_test

import (
	"bytes"
	stdbinary "encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/octet-go/octet/binary"
)

// A frame is a message whose length counts more or less than its content.
type frame struct {
	name   string
	plus   int
	append func(binary.BE, *binary.Mark) binary.BE
	encode func(*bigEncoder, *binary.Mark) *bigEncoder
	size   int // of the length
}

var frames = []frame{
	{"Postgres", 4, binary.BE.Begin32, (*bigEncoder).Begin32, 4},
	{"netlink attribute", 2, binary.BE.Begin16, (*bigEncoder).Begin16, 2},
	{"PNG", -4, binary.BE.Begin32, (*bigEncoder).Begin32, 4},
	{"8", 3, binary.BE.Begin8, (*bigEncoder).Begin8, 1},
	{"24", -3, binary.BE.Begin24, (*bigEncoder).Begin24, 3},
	{"varint", 5, binary.BE.BeginVarint, (*bigEncoder).BeginVarint, 1},
}

// A length that counts more or less than the content is written by an Appender and a
// StreamEncoder, and one that does not fit is an error. FuzzDecoder reads such lengths.
func TestLengthsPlus(t *testing.T) {
	for _, f := range frames {
		for _, n := range []int{0, 3, 4, 100, 251, 252, 253, 256} {
			content := bytes.Repeat([]byte{7}, n)
			length := n + f.plus
			var want []byte
			if f.name == "varint" {
				want = stdbinary.AppendUvarint([]byte("head"), uint64(length))
			} else {
				want = append([]byte("head"), stdbinary.BigEndian.AppendUint64(nil, uint64(length))[8-f.size:]...)
			}
			want = append(want, content...)
			fits := length >= 0 && (f.size > 1 || length < 256 || f.name == "varint")

			var b binary.BE
			var m binary.Mark
			err, _ := panicked(func() { b = f.append(binary.BE("head"), m.Plus(f.plus)).Bytes(content).End(&m) }).(error)
			var out bytes.Buffer
			e := binary.NewStreamEncoder[binary.Big](&out, binary.BufferSize(16)).String("head")
			f.encode(e, m.Plus(f.plus)).Bytes(content).End(&m)
			streamErr := e.Close()
			if !fits {
				var x, y *binary.Error
				if !errors.As(err, &x) || !errors.As(streamErr, &y) || *x != *y || !errors.Is(x, binary.ErrOverflow) || x.Want != int64(length) {
					t.Errorf("%s, %d bytes: %v, %v", f.name, n, err, streamErr)
				}
				continue
			}
			if err != nil || streamErr != nil || !bytes.Equal(b, want) || !bytes.Equal(out.Bytes(), want) {
				t.Errorf("%s, %d bytes: % x, %v\n% x, %v\nwant % x", f.name, n, b, err, out.Bytes(), streamErr, want)
			}
		}
	}
}

// Plus counts for one span only.
func TestPlusIsForOneSpan(t *testing.T) {
	var m binary.Mark
	b := binary.BE(nil).Begin8(m.Plus(1)).End(&m).Begin8(&m).End(&m)
	m.Plus(1)
	if e := panicked(func() { b.End(&m) }); e != "binary: End of a mark that is not set" {
		t.Errorf("End of a mark that only Plus set: %v", e)
	}
	b = b.Begin8(m.Plus(5))
	b = b.Begin8(&m).End(&m) // without the End of before
	if string(b) != "\x01\x00\x00\x00" {
		t.Errorf("% x", b)
	}
	d := binary.DecodeBE([]byte{1, 0})
	d.Begin8(m.Plus(1))
	d.End(&m)
	if d.Begin8(&m); d.Err() != nil {
		t.Error(d.Err())
	}
}

// Until does not look beyond the limit. Spans and its bound are FuzzDecoder's.
func TestUntil(t *testing.T) {
	s := binary.NewStreamDecoder[binary.Big](strings.NewReader("abc\x00"), binary.Limit(2))
	if s.Until(0, 10); !errors.Is(s.Err(), binary.ErrTooLong) {
		t.Errorf("beyond the limit: %v", s.Err())
	}
	// A delimiter that never comes costs no more memory than the bound allows.
	if n := allocated(func() {
		s.Reset(io.LimitReader(zeros{}, 1<<30))
		s.Until(1, 10_000)
	}); n > 50_000 || !errors.Is(s.Err(), binary.ErrTooLong) {
		t.Errorf("%d bytes allocated, %v", n, s.Err())
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Canonical survives Resume, and Reset ends it. FuzzDecoder knows what is canonical.
func TestCanonicalVarints(t *testing.T) {
	s := binary.NewStreamDecoder[binary.Big](&deadlines{r: strings.NewReader("\x80\x00")})
	s.Canonical()
	for s.Uvarint(); errors.Is(s.Err(), io.ErrUnexpectedEOF) || s.Resume() == nil && s.Err() == nil; s.Uvarint() {
	}
	if s.Err() == nil || !strings.HasSuffix(s.Err().Error(), "offset 0: varint longer than necessary") {
		t.Errorf("after Resume: %v", s.Err())
	}
	s.Reset(strings.NewReader("\x80\x00"))
	if s.Uvarint(); s.Err() != nil {
		t.Errorf("after Reset: %v", s.Err())
	}
}
