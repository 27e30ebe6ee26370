package binary_test

import (
	stdbinary "encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/octet-go/octet/binary"
)

// FuzzDecoder makes the reads that ops describes, from in: by a Decoder, by a
// StreamDecoder whose Reader returns a few bytes at a time, and by a model of both. All
// must agree on every value and on the error, none may panic, and the decoders must
// not allocate more than a small multiple of the input.
func FuzzDecoder(f *testing.F) {
	all := make([]byte, 0, 3*readOps)
	for op := range readOps {
		all = append(all, byte(op), 3)
	}
	in := binary.BE(nil).Uint64(1).Bytes8([]byte("abc")).String16("defg").Uvarint(300).
		Bytes([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}).
		Pad(100).Uint32(math.MaxUint32)
	f.Add(all, []byte(in), uint8(1), true)
	f.Add(all, []byte(in), uint8(100), false)
	for op := range readOps { // each alone, on nothing, too little, and hostile lengths
		for _, in := range [][]byte{nil, {7}, {0, 0, 0, 0, 0, 0, 0}, []byte(in), slices.Repeat([]byte{0xff}, 40)} {
			f.Add([]byte{byte(op), 5, byte(op), 250, byte(op), 1}, in, uint8(op), op%2 == 0)
			f.Add([]byte{byte(op), 250}, in, uint8(op), op%2 == 0) // a negative count
		}
	}
	for _, n := range []int{9, 10, 11} { // a varint that does not end
		f.Add([]byte{opUvarint, 0}, slices.Repeat([]byte{0x80}, n), uint8(n), true)
	}
	f.Add([]byte{opUint16, 0, opSkip, 255, opUint8, 0}, []byte{0, 1, 9, 9}, uint8(1), true) // a skip beyond any offset
	f.Add([]byte{opBegin16, 0, opUint16, 0, opEnd, 0, opEnd, 0}, []byte{0, 1, 9, 9}, uint8(1), true)
	f.Add([]byte{opBegin8, 0, opBegin8, 1, opUint24, 0, opEnd, 1, opEnd, 0}, []byte{3, 2, 1, 2, 9, 9}, uint8(1), true)
	for again := range readOps { // a mark that nobody has asked for is used again, alone and beside another
		ops := []byte{opMark, 0, opSkip, 20, opPlusAlone, 4, byte(again), 4, opMark, 1, opSkip, 20, byte(again), 0, opSkip, 20, opSince, 1, opSince, 0, opEndAgain, 0}
		f.Add(ops, make([]byte, 300), uint8(1), true)
		f.Add(append([]byte{opCopyMark, 3}, ops...), make([]byte, 300), uint8(1), true)
	}
	f.Add([]byte{opRest, 0}, make([]byte, 5000), uint8(1), true) // the rest of a long input
	pattern := make([]byte, 2000)
	for i := range pattern {
		pattern[i] = byte(i*7>>2) | 1 // no lengths of 0
	}
	for op := range readOps { // values larger than the buffer, behind marks that overlap
		ops := []byte{byte(op), 100, opMark, 0, byte(op), 200, opMark, 1, byte(op), 240, opSince, 0,
			opMark, 2, byte(op), 241, opSince, 1, byte(op), 240, opSince, 2}
		for _, n := range []int{2000, 500, 150} {
			f.Add(ops, pattern[:n], uint8(op), true)
			f.Add([]byte{byte(op), 240, byte(op), 240, opRest, 0, byte(op), 1}, pattern[:n], uint8(op), true)
		}
	}
	for _, ops := range [][]byte{ // Read within a span and behind it, behind a mark, and in a span that is cut
		{opBegin, 50, opSkip, 5, opRest, 0, opReadByte, 0, opMore, 0, opEnd, 50, opRest, 0, opRest, 0, opReadByte, 0},
		{opMark, 0, opRest, 0, opSince, 0},
		{opBegin, 200, opSkip, 1, opRest, 0, opUint8, 0, opRest, 0},
	} {
		f.Add(ops, pattern[:100], uint8(1), true)
		f.Add(ops, pattern[:100], uint8(200), true)
	}
	for _, ops := range [][]byte{ // marks for another method, and a copy of one
		{opMark, 0, opEnd, 0}, {opBegin, 0, opSince, 0}, {opMark, 0, opCopyMark, 4, opSkip, 3, opSince, 0, opSince, 1},
	} {
		f.Add(ops, pattern[:9], uint8(1), true)
	}
	for op := range readOps { // within the limits of messages, in spans and not
		for _, limit := range []byte{250, 0, 1, 2, 3, 5, 9, 12, 251} {
			for _, in := range [][]byte{[]byte(in)[:min(len(in), int(limit))], in, pattern[:12], binary.BE(nil).Uvarint(math.MaxInt64).Uvarint(1 << 62)} {
				f.Add([]byte{opNext, limit, byte(op), 4, opMore, 0, byte(op), 2, opNext, 3, byte(op), 0, opNext, limit, opSkip, limit, opMore, 0}, in, limit, true)
				f.Add([]byte{opBegin, 11, opNext, limit, byte(op), 4, opRest, 0, opEnd, 11}, in, limit, true)
				f.Add([]byte{opPeek, 12, opNext, limit, opBegin, 2, byte(op), 1, byte(op), 1}, in, limit, false)
				f.Add([]byte{opPeek, 12, opNext, limit, opSkip, limit, byte(op), 1}, in, uint8(12), false) // all of which has arrived
			}
		}
	}
	for _, in := range []string{
		"\x00", "\x7f", "\x80\x01", "\x80\x00", "\xff\x00", "\x81\x80\x00", "\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x00",
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00",
	} {
		f.Add([]byte{opUvarint, 0}, []byte(in), uint8(1), true)
		f.Add([]byte{opCanonical, 0, opBegin, 0, opEnd, 0, opUvarint, 0, opVarint, 0}, []byte(in), uint8(1), true)
	}
	for _, in := range []string{"", "a", "abcd\x00", "abcde\x00"} { // bounds of 4 bytes, and of a span of 2
		f.Add([]byte{opUntil, 4}, []byte(in), uint8(1), true)
		f.Add([]byte{opBegin, 2, opUntil, 8}, []byte(in), uint8(1), true)
	}
	for _, plus := range []byte{0, 4, 8, 12} { // -4, 0, 4 and -1
		for _, in := range []string{"\x00\x00content", "\x00\x03content", "\x00\x07content", "\xff\xffcontent", "\x00\x04", "\x00\x05"} {
			f.Add([]byte{opPlus, plus, opRest, 0, opEnd, plus}, []byte(in), uint8(1), true)
		}
		for _, n := range []uint64{math.MaxUint64, 1 << 63, math.MaxInt64} {
			f.Add([]byte{opPlusAlone, plus, opBeginVarint, plus}, []byte(binary.BE(nil).Uvarint(n).String("content")), uint8(1), true)
		}
	}
	f.Fuzz(func(t *testing.T, ops, in []byte, chunk uint8, big bool) {
		if big {
			checkReads[binary.Big](t, ops, in, chunk, stdbinary.BigEndian)
		} else {
			checkReads[binary.Little](t, ops, in, chunk, stdbinary.LittleEndian)
		}
	})
}

func checkReads[O binary.Order](t *testing.T, ops, in []byte, chunk uint8, order stdbinary.ByteOrder) {
	if len(ops) > 400 || len(in) > 1<<16 {
		return
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)

	d := binary.NewDecoder[O](in)
	got, err := runReads(sliceReads[O]{&d}, ops)

	runtime.ReadMemStats(&after)
	if n, most := after.TotalAlloc-before.TotalAlloc, allowed(got, 4*len(in)); n > most {
		t.Errorf("Decoder allocated %d bytes for %d of input and %d operations, more than %d", n, len(in), len(ops), most)
	}
	m := newModel(in, order, false)
	want, wantErr := runReads(m, ops)
	compareReads(t, "Decoder", got, err, want, wantErr)

	runtime.ReadMemStats(&before)
	s := binary.NewStreamDecoder[O](&stutter{in: in, size: int(chunk)}, binary.BufferSize(16+int(chunk)))
	got, err = runReads(streamReads[O]{s}, ops)
	runtime.ReadMemStats(&after)
	if n, most := after.TotalAlloc-before.TotalAlloc, allowed(got, 24*len(in)); n > most {
		t.Errorf("StreamDecoder allocated %d bytes for %d of input and %d operations, more than %d", n, len(in), len(ops), most)
	}
	m = newModel(in, order, true)
	want, wantErr = runReads(m, ops)
	compareReads(t, "StreamDecoder", got, err, want, wantErr)
}

// allowed returns how many bytes reads may allocate, their log included. Under the race detector and
// AddressSanitizer package fmt allocates up to 14 times what it prints, because sync.Pool loses its buffers.
func allowed(log []string, values int) uint64 {
	n := 20_000 + values
	for _, s := range log {
		n += 200 + 16*len(s)
	}
	return uint64(n)
}

func compareReads(t *testing.T, who string, got []string, err error, want []string, wantErr error) {
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s, read %d: %s, want %s", who, i, got[i], want[i])
		}
	}
	if fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Fatalf("%s: error %v, want %v", who, err, wantErr)
	}
	var e *binary.Error
	if err != nil && (!errors.As(err, &e) || !errors.Is(err, errors.Unwrap(wantErr))) {
		t.Fatalf("%s: error %#v does not wrap what the model's does: %v", who, err, wantErr)
	}
}

// stutter is a Reader that returns 1 to size+1 bytes per call, and io.EOF with the last
// bytes or, if size is odd, after them.
type stutter struct {
	in   []byte
	size int
	n    int
}

func (s *stutter) Read(p []byte) (int, error) {
	if len(s.in) == 0 {
		return 0, io.EOF
	}
	s.n++
	n := copy(p, s.in[:min(len(s.in), 1+s.n%(s.size+1))])
	if s.in = s.in[n:]; len(s.in) == 0 && s.size%2 == 0 {
		return n, io.EOF
	}
	return n, nil
}

// reads has the methods that Decoder, StreamDecoder and the model have in common.
type reads interface {
	Bool() bool
	Uint8() uint8
	Uint16() uint16
	Uint24() uint32
	Uint32() uint32
	Uint64() uint64
	Int8() int8
	Int16() int16
	Int32() int32
	Int64() int64
	Float32() float32
	Float64() float64
	Uvarint() uint64
	Varint() int64
	Bytes(int) []byte
	String(int) string
	AppendBytes([]byte, int) []byte
	Copy([]byte)
	Skip(int)
	Peek(int) []byte
	Bytes8() []byte
	Bytes16() []byte
	Bytes24() []byte
	Bytes32() []byte
	BytesVarint() []byte
	String8() string
	String16() string
	String32() string
	StringVarint() string
	Begin(*binary.Mark, int)
	Begin8(*binary.Mark)
	Begin16(*binary.Mark)
	Begin24(*binary.Mark)
	Begin32(*binary.Mark)
	BeginVarint(*binary.Mark)
	End(*binary.Mark)
	Mark(*binary.Mark)
	Since(*binary.Mark) []byte
	Err() error
	Len64() int
	Until(byte, int) []byte
	Canonical()
	rest() []byte // what is left, or nil after a failure
	numbers(dst []uint16, n int) []uint16
	beginPlus(m *binary.Mark, n int) // Begin16 of a length that is larger by n
	little() uint32                  // a Uint32 in this order
	big() uint16
}

// streamed has what only StreamDecoder and the model of one have. The model does nothing if
// it is not one.
type streamed interface {
	ReadByte() (byte, error)
	More() bool
	Next(int64) bool
	Resume() error
	Held() int // the bytes before the offset that must stay in the buffer
}

type (
	sliceReads[O binary.Order]  struct{ *binary.Decoder[O] }
	streamReads[O binary.Order] struct{ *binary.StreamDecoder[O] }
)

func (r sliceReads[O]) beginPlus(m *binary.Mark, n int)  { r.Begin16(m.Plus(n)) }
func (r streamReads[O]) beginPlus(m *binary.Mark, n int) { r.Begin16(m.Plus(n)) }
func (r sliceReads[O]) little() uint32                   { return (*binary.LEDecoder)(r.Decoder).Uint32() }
func (r streamReads[O]) little() uint32                  { return (*littleDecoder)(r.StreamDecoder).Uint32() }
func (r sliceReads[O]) big() uint16                      { return (*binary.BEDecoder)(r.Decoder).Uint16() }
func (r streamReads[O]) big() uint16                     { return (*bigDecoder)(r.StreamDecoder).Uint16() }

func (r sliceReads[O]) numbers(dst []uint16, n int) []uint16 {
	return binary.DecodeNumbers(r.Decoder, dst, n)
}

func (r sliceReads[O]) rest() []byte { return r.Bytes(r.Len()) }

// rest calls Read until the end.
func (r streamReads[O]) rest() (all []byte) {
	for p := make([]byte, 50); ; {
		n, err := r.Read(p)
		all = append(all, p[:n]...)
		switch {
		case err == io.EOF:
			return all[:len(all):len(all)]
		case err != nil:
			return nil
		}
	}
}

func (r streamReads[O]) Peek(n int) []byte {
	p, _ := r.StreamDecoder.Peek(n)
	return p
}

func (r streamReads[O]) Held() int { return binary.Held(r.StreamDecoder) }

func (r streamReads[O]) numbers(dst []uint16, n int) []uint16 {
	return binary.ReadNumbers(r.StreamDecoder, dst, n)
}

// The operations that runReads knows, in the order of its cases.
const (
	opBool = iota
	opUint8
	opUint16
	opUint24
	opUint32
	opUint64
	opInt8
	opInt16
	opInt32
	opInt64
	opFloat32
	opFloat64
	opNumbers
	opRest
	opUvarint
	opVarint
	opBytes
	opString
	opAppendBytes
	opCopy
	opSkip
	opPeek
	opBytes8
	opBytes16
	opBytes24
	opBytes32
	opBytesVarint
	opString8
	opString16
	opString32
	opStringVarint
	opBegin
	opBegin8
	opBegin16
	opBegin24
	opBegin32
	opBeginVarint
	opEnd
	opEndAgain // as opEnd, so that it comes more often
	opMark
	opSince
	opUntil
	opPlus
	opLen64
	opLittle
	opBig
	opCanonical
	opReadByte
	opMore
	opNext
	opResume
	opPlusAlone
	opCopyMark
	readOps
)

// runReads makes the reads that ops describes with two bytes each, and logs their
// results. They use four marks in any order: some twice, and some never.
func runReads(r reads, ops []byte) (log []string, err error) {
	var marks [4]binary.Mark
	s, _ := r.(streamed)
	m, _ := r.(*model)
	if m != nil && !m.stream {
		s = nil
	}
	for len(ops) >= 2 {
		op, n := ops[0]%readOps, int(ops[1])
		ops = ops[2:]
		if n == 250 {
			n = -1
		} else if n > 250 {
			n = math.MaxInt - 3 + n%4
		}
		var v any
		mark := &marks[n&3]
		switch op {
		case opBool:
			v = r.Bool()
		case opUint8:
			v = r.Uint8()
		case opUint16:
			v = r.Uint16()
		case opUint24:
			v = r.Uint24()
		case opUint32:
			v = r.Uint32()
		case opUint64:
			v = r.Uint64()
		case opInt8:
			v = r.Int8()
		case opInt16:
			v = r.Int16()
		case opInt32:
			v = r.Int32()
		case opInt64:
			v = r.Int64()
		case opFloat32:
			v = math.Float32bits(r.Float32())
		case opFloat64:
			v = math.Float64bits(r.Float64())
		case opNumbers:
			v = r.numbers([]uint16{7}, n)
		case opRest:
			v = capped(r.rest())
		case opUvarint:
			v = r.Uvarint()
		case opVarint:
			v = r.Varint()
		case opBytes:
			v = capped(r.Bytes(n))
		case opString:
			v = r.String(n)
		case opAppendBytes:
			v = r.AppendBytes([]byte("x"), n)
		case opCopy:
			p := make([]byte, min(max(n, 0), 300))
			r.Copy(p)
			if r.Err() == nil {
				v = p
			}
		case opSkip:
			r.Skip(n)
		case opPeek:
			v = capped(r.Peek(n))
		case opBytes8:
			v = capped(r.Bytes8())
		case opBytes16:
			v = capped(r.Bytes16())
		case opBytes24:
			v = capped(r.Bytes24())
		case opBytes32:
			v = capped(r.Bytes32())
		case opBytesVarint:
			v = capped(r.BytesVarint())
		case opString8:
			v = r.String8()
		case opString16:
			v = r.String16()
		case opString32:
			v = r.String32()
		case opStringVarint:
			v = r.StringVarint()
		case opBegin:
			r.Begin(mark, n)
		case opBegin8:
			r.Begin8(mark)
		case opBegin16:
			r.Begin16(mark)
		case opBegin24:
			r.Begin24(mark)
		case opBegin32:
			r.Begin32(mark)
		case opBeginVarint:
			r.BeginVarint(mark)
		case opEnd, opEndAgain:
			v = panicked(func() { r.End(mark) })
		case opMark:
			r.Mark(mark)
		case opSince:
			var p []byte
			if v = panicked(func() { p = r.Since(mark) }); v == nil {
				v = capped(p)
			}
		case opUntil:
			v = capped(r.Until(byte(n%4), n))
		case opPlus:
			r.beginPlus(mark, n%9-4)
		case opLen64:
			v = capped(r.Bytes(r.Len64()))
		case opLittle:
			v = r.little()
		case opBig:
			v = r.big()
		case opCanonical:
			r.Canonical()
		case opReadByte:
			if s != nil {
				c, err := s.ReadByte()
				v = fmt.Sprint(c, err)
			}
		case opMore:
			if s != nil {
				v = s.More()
			}
		case opNext:
			if s != nil {
				v = s.Next(int64(n))
			}
		case opResume:
			if s != nil && r.Err() == nil {
				v = s.Resume()
			}
		case opPlusAlone:
			if m != nil {
				m.plus(mark, n%9-4)
			} else {
				mark.Plus(n%9 - 4)
			}
		case opCopyMark:
			if to := &marks[n>>2&3]; m != nil {
				m.marks[to] = m.marks[mark]
			} else {
				*to = *mark
			}
		}
		failed := r.Err() != nil
		line := fmt.Sprintf("op %d: %s, failed: %t", op, printed(v), failed)
		if s != nil && !failed {
			line += fmt.Sprintf(", held: %d", s.Held())
		}
		log = append(log, line)
	}
	return log, r.Err()
}

// printed returns v in hexadecimal, and of what is long only the beginning, the length and a hash:
// to print all of it takes ten times its memory, which checkReads would count as the decoder's.
func printed(v any) string {
	const short = 64
	switch v := v.(type) {
	case []byte:
		if len(v) > short {
			return fmt.Sprintf("%x... of %d bytes, hash %x", v[:short], len(v), maphash.Bytes(hashSeed, v))
		}
	case string:
		if len(v) > short {
			return fmt.Sprintf("%x... of %d bytes, hash %x", v[:short], len(v), maphash.String(hashSeed, v))
		}
	}
	return fmt.Sprintf("%x", v)
}

var hashSeed = maphash.MakeSeed()

// capped returns p, which must not have spare capacity.
func capped(p []byte) []byte {
	if cap(p) != len(p) {
		return fmt.Appendf(nil, "len %d, cap %d", len(p), cap(p))
	}
	return p
}
