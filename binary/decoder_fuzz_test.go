package binary_test

import (
	stdbinary "encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
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
		}
	}
	for _, n := range []int{9, 10, 11} { // a varint that does not end
		f.Add([]byte{17, 0}, slices.Repeat([]byte{0x80}, n), uint8(n), true)
	}
	f.Add([]byte{2, 0, 23, 255, 1, 0}, []byte{0, 1, 9, 9}, uint8(1), true) // a skip beyond any offset
	f.Add([]byte{opBegin16, 0, 2, 0, opEnd, 0, opEnd, 0}, []byte{0, 1, 9, 9}, uint8(1), true)
	f.Add([]byte{opBegin8, 0, opBegin8, 1, 3, 0, opEnd, 1, opEnd, 0}, []byte{3, 2, 1, 2, 9, 9}, uint8(1), true)
	for again := range readOps { // a mark that nobody has asked for is used again, alone and beside another
		for _, first := range []byte{opMark, opSum} {
			ops := []byte{first, 0, 23, 20, opPlusAlone, 4, byte(again), 4, opMark, 1, 23, 20, byte(again), 0, 23, 20, opSince, 1, opSince, 0, opEndSum, 0}
			f.Add(ops, make([]byte, 300), uint8(1), true)
			f.Add(append([]byte{opCopyMark, 3}, ops...), make([]byte, 300), uint8(1), true)
		}
	}
	for between := range readOps { // UnreadByte after each method
		f.Add([]byte{opMark, 1, opReadByte, 0, byte(between), 0, opUnreadByte, 0, opUnreadByte, 0, opSince, 1, 1, 0}, slices.Repeat([]byte{1}, 40), uint8(between), true)
		f.Add([]byte{opBegin8, 0, opReadByte, 0, byte(between), 1, opUnreadByte, 0, opEnd, 0, opUnreadByte, 0, 1, 0}, slices.Repeat([]byte{1}, 40), uint8(between), true)
	}
	f.Add([]byte{16, 0}, make([]byte, 5000), uint8(1), true) // the rest of a long input
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
	if n, most := after.TotalAlloc-before.TotalAlloc, uint64(20_000+200*len(ops)+4*len(in)); n > most {
		t.Errorf("Decoder allocated %d bytes for %d of input and %d operations, more than %d", n, len(in), len(ops), most)
	}
	m := newModel(in, order, false)
	want, wantErr := runReads(m, ops)
	compareReads(t, "Decoder", got, err, want, wantErr)

	runtime.ReadMemStats(&before)
	s := binary.NewStreamDecoder[O](&stutter{in: in, size: int(chunk)}, binary.BufferSize(16+int(chunk)))
	got, err = runReads(streamReads[O]{s}, ops)
	runtime.ReadMemStats(&after)
	if n, most := after.TotalAlloc-before.TotalAlloc, uint64(20_000+200*len(ops)+24*len(in)); n > most {
		t.Errorf("StreamDecoder allocated %d bytes for %d of input and %d operations, more than %d", n, len(in), len(ops), most)
	}
	m = newModel(in, order, true)
	want, wantErr = runReads(m, ops)
	compareReads(t, "StreamDecoder", got, err, want, wantErr)
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
	Uint48() uint64
	Uint64() uint64
	Int8() int8
	Int16() int16
	Int24() int32
	Int32() int32
	Int48() int64
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
	String24() string
	String32() string
	StringVarint() string
	Begin(*binary.Mark, int)
	Begin8(*binary.Mark)
	Begin16(*binary.Mark)
	BeginVarint(*binary.Mark)
	End(*binary.Mark)
	Mark(*binary.Mark)
	Since(*binary.Mark) []byte
	CRC32C(*binary.Mark)
	BeginCRC32C(*binary.Mark)
	Rest() []byte
	Err() error
	Bytes64() []byte
	Until(byte, int) []byte
	Canonical()
	numbers(dst []uint16, n int) []uint16
	beginPlus(m *binary.Mark, n int) // Begin16 of a length that is larger by n
	little() uint32                  // a Uint32 in this order
	big() uint16
}

// streamed has what only StreamDecoder and the model of one have. The model does nothing if
// it is not one.
type streamed interface {
	ReadByte() (byte, error)
	UnreadByte() error
	More() bool
	Resume() error
	Held() int // the bytes before the offset that must stay in the buffer
}

type (
	sliceReads[O binary.Order]  struct{ *binary.Decoder[O] }
	streamReads[O binary.Order] struct{ *binary.StreamDecoder[O] }
)

func (r sliceReads[O]) beginPlus(m *binary.Mark, n int)  { r.Begin16(m.Plus(n)) }
func (r streamReads[O]) beginPlus(m *binary.Mark, n int) { r.Begin16(m.Plus(n)) }
func (r sliceReads[O]) little() uint32                   { return r.LE().Uint32() }
func (r streamReads[O]) little() uint32                  { return r.LE().Uint32() }
func (r sliceReads[O]) big() uint16                      { return r.BE().Uint16() }
func (r streamReads[O]) big() uint16                     { return r.BE().Uint16() }

func (r sliceReads[O]) numbers(dst []uint16, n int) []uint16 {
	return binary.DecodeNumbers(r.Decoder, dst, n)
}

func (r streamReads[O]) Peek(n int) []byte {
	p, _ := r.StreamDecoder.Peek(n)
	return p
}

func (r streamReads[O]) Held() int { return binary.Held(r.StreamDecoder) }

func (r streamReads[O]) numbers(dst []uint16, n int) []uint16 {
	return binary.ReadNumbers(r.StreamDecoder, dst, n)
}

const (
	opBegin      = 35
	opBegin8     = 36
	opBegin16    = 37
	opEnd        = 39
	opMark       = 40
	opSince      = 41
	opCRC        = 42
	opSum        = 43
	opEndSum     = 44 // as opEnd
	opPlus       = 46
	opReadByte   = 51
	opUnreadByte = 52
	opMore       = 53
	opResume     = 54
	opPlusAlone  = 55
	opCopyMark   = 56
	readOps      = 57
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
		case 0:
			v = r.Bool()
		case 1:
			v = r.Uint8()
		case 2:
			v = r.Uint16()
		case 3:
			v = r.Uint24()
		case 4:
			v = r.Uint32()
		case 5:
			v = r.Uint48()
		case 6:
			v = r.Uint64()
		case 7:
			v = r.Int8()
		case 8:
			v = r.Int16()
		case 9:
			v = r.Int24()
		case 10:
			v = r.Int32()
		case 11:
			v = r.Int48()
		case 12:
			v = r.Int64()
		case 13:
			v = math.Float32bits(r.Float32())
		case 14:
			v = math.Float64bits(r.Float64())
		case 15:
			v = r.numbers([]uint16{7}, n)
		case 16:
			v = capped(r.Rest())
		case 17:
			v = r.Uvarint()
		case 18:
			v = r.Varint()
		case 19:
			v = capped(r.Bytes(n))
		case 20:
			v = r.String(n)
		case 21:
			v = r.AppendBytes([]byte("x"), n)
		case 22:
			p := make([]byte, min(max(n, 0), 300))
			r.Copy(p)
			if r.Err() == nil {
				v = p
			}
		case 23:
			r.Skip(n)
		case 24:
			v = capped(r.Peek(n))
		case 25:
			v = capped(r.Bytes8())
		case 26:
			v = capped(r.Bytes16())
		case 27:
			v = capped(r.Bytes24())
		case 28:
			v = capped(r.Bytes32())
		case 29:
			v = capped(r.BytesVarint())
		case 30:
			v = r.String8()
		case 31:
			v = r.String16()
		case 32:
			v = r.String24()
		case 33:
			v = r.String32()
		case 34:
			v = r.StringVarint()
		case opBegin:
			r.Begin(mark, n)
		case opBegin8:
			r.Begin8(mark)
		case opBegin16:
			r.Begin16(mark)
		case 38:
			r.BeginVarint(mark)
		case opEnd, opEndSum:
			v = panicked(func() { r.End(mark) })
		case opMark:
			r.Mark(mark)
		case opSince:
			var p []byte
			if v = panicked(func() { p = r.Since(mark) }); v == nil {
				v = capped(p)
			}
		case opCRC:
			v = panicked(func() { r.CRC32C(mark) })
		case opSum:
			r.BeginCRC32C(mark)
		case 45:
			v = capped(r.Until(byte(n%4), n))
		case opPlus:
			r.beginPlus(mark, n%9-4)
		case 47:
			v = capped(r.Bytes64())
		case 48:
			v = r.little()
		case 49:
			v = r.big()
		case 50:
			r.Canonical()
		case opReadByte:
			if s != nil {
				c, err := s.ReadByte()
				v = fmt.Sprint(c, err)
			}
		case opUnreadByte:
			if s != nil {
				v = s.UnreadByte() == nil
			}
		case opMore:
			if s != nil {
				v = s.More()
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
		if m != nil && op != opReadByte && op < opPlusAlone {
			m.undo = false
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

// A model reads as Decoder and StreamDecoder should, in the most obvious way.
type model struct {
	in     []byte
	pos    int
	end    int64 // of the innermost span, or of the input
	err    *binary.Error
	order  stdbinary.ByteOrder
	strict bool  // whether varints must be canonical
	stream bool  // whether the end of the input is not known in advance
	due    int64 // where the content ends that lengths have announced
	undo   bool  // whether the last method was a ReadByte, with success
	marks  map[*binary.Mark]modelMark
	held   []int // where the bytes begin that marks hold
}

// A modelMark is what a mark should remember.
type modelMark struct {
	kind  string // "", "Mark", "span", "sum", or "plus" in place of one that holds bytes
	at    int
	extra int   // of Plus
	outer int64 // where the enclosing span ends
	sum   uint32
}

func newModel(in []byte, order stdbinary.ByteOrder, stream bool) *model {
	m := &model{in: in, end: int64(len(in)), order: order, stream: stream, marks: make(map[*binary.Mark]modelMark)}
	if stream {
		m.end = math.MaxInt64
	}
	return m
}

// left returns the number of bytes left in the innermost span or in the input. The end
// of a stream is not known.
func (m *model) left() int64 { return m.end - int64(m.pos) }

// open reports whether nothing says where the reads end.
func (m *model) open() bool { return m.end == math.MaxInt64 }

// there returns how many of them the input has.
func (m *model) there() int { return int(min(m.left(), int64(len(m.in)-m.pos))) }

// vast reports whether n is too large for an int, or for an offset in a stream.
func (m *model) vast(n int64) bool {
	return n > math.MaxInt && n <= m.left() || m.open() && n > m.left()
}

func (m *model) fail(want, have int, err error) {
	if m.err == nil {
		m.err = &binary.Error{Offset: int64(m.pos), Want: int64(want), Have: int64(have), Err: err}
	}
}

// next returns the next n bytes, or fails and returns nil.
func (m *model) next(n int) []byte {
	have := m.there()
	if m.stream && int64(n) > m.left() {
		have = int(m.left()) // known in advance, so nothing is read
	}
	switch {
	case m.err != nil:
		return nil
	case n < 0:
		m.fail(n, 0, binary.ErrOverflow)
		return nil
	case m.vast(int64(n)):
		m.fail(0, 0, binary.ErrOverflow)
		return nil
	case n > have && have == 0 && (m.left() == 0 || int64(m.pos) >= m.due):
		m.fail(n, have, io.EOF)
		return nil
	case n > have:
		m.fail(n, have, io.ErrUnexpectedEOF)
		return nil
	}
	m.pos += n
	return m.in[m.pos-n : m.pos : m.pos]
}

// length returns n, which was read as a length, if there is room for it. Otherwise it
// fails, but not with io.EOF. Nor is it io.EOF if a stream ends before the content does.
func (m *model) length(n uint64) int {
	if m.err != nil {
		return 0
	}
	if n > math.MaxInt64 {
		m.fail(0, 0, binary.ErrOverflow)
		return 0
	}
	k := m.room(int64(n))
	if m.err != nil {
		if m.err.Err == io.EOF {
			m.err.Err = io.ErrUnexpectedEOF
		}
		return 0
	}
	m.due = max(m.due, int64(m.pos)+int64(k))
	return k
}

// room returns n if the span, or the input, has room for it.
func (m *model) room(n int64) int {
	switch left := m.left(); {
	case m.err != nil:
	case n < 0:
		m.err = &binary.Error{Offset: int64(m.pos), Want: n, Err: binary.ErrOverflow}
	case m.vast(n):
		m.fail(0, 0, binary.ErrOverflow)
	case n <= left:
		return int(n)
	case left == 0:
		m.err = &binary.Error{Offset: int64(m.pos), Want: n, Err: io.EOF}
	default:
		m.err = &binary.Error{Offset: int64(m.pos), Want: n, Have: left, Err: io.ErrUnexpectedEOF}
	}
	return 0
}

func (m *model) Begin(k *binary.Mark, n int) {
	m.letGo(k)
	if m.stream {
		n = m.room(int64(n))
	} else if m.err == nil {
		m.next(n)
		if m.err == nil {
			m.pos -= n
		}
	}
	m.marks[k] = modelMark{kind: "span", outer: m.end}
	if m.err == nil {
		m.end = int64(m.pos) + int64(n)
		m.due = max(m.due, m.end)
	}
}

// letGo is for a mark that is set again.
func (m *model) letGo(k *binary.Mark) {
	if t := m.marks[k]; t.kind == "Mark" || t.kind == "sum" || t.kind == "plus" {
		m.drop(t)
	}
}

// drop ends what t holds, and reports whether it held anything.
func (m *model) drop(t modelMark) bool {
	i := slices.Index(m.held, t.at)
	if i >= 0 {
		m.held = slices.Delete(m.held, i, i+1)
	}
	return i >= 0
}

// take returns the mark k, which must be of one of the kinds, for a method, and clears it.
func (m *model) take(method string, k *binary.Mark, kinds ...string) modelMark {
	t := m.marks[k]
	if !slices.Contains(kinds, t.kind) {
		switch t.kind {
		case "", "plus":
			panic("binary: " + method + " of a mark that is not set")
		case "Mark":
			panic("binary: " + method + " of a mark that Mark set, not a Begin")
		}
		panic("binary: " + method + " of a mark that a Begin set, not Mark")
	}
	m.marks[k] = modelMark{}
	if t.kind != "span" && m.stream && !m.drop(t) {
		panic("binary: " + method + " of a copy of a mark that was used")
	}
	return t
}

// plus is Plus of the mark k.
func (m *model) plus(k *binary.Mark, n int) {
	t := m.marks[k]
	if t.kind == "span" {
		t.kind = ""
	}
	if t.kind != "" {
		t.kind = "plus"
	}
	m.marks[k] = modelMark{kind: t.kind, at: t.at, extra: n}
}

// begin begins a span of n bytes, a length that counts what Plus said.
func (m *model) begin(k *binary.Mark, n uint64) {
	extra := m.marks[k].extra
	if content := int64(n) - int64(extra); m.err == nil && n <= math.MaxInt64 && (extra >= 0 || content >= 0) {
		if content < 0 {
			m.fail(int(content), 0, binary.ErrOverflow)
		}
		n = uint64(content)
	} else if m.err == nil {
		n = math.MaxUint64
	}
	m.Begin(k, m.length(n))
}

func (m *model) End(k *binary.Mark) {
	t := m.take("End", k, "span", "sum")
	switch {
	case m.err != nil:
	case t.kind == "sum":
		if crc32.Checksum(m.in[t.at:m.pos], crc32.MakeTable(crc32.Castagnoli)) != t.sum {
			m.pos = t.at
			m.fail(0, 0, binary.ErrChecksum)
		}
	case t.outer < m.end && m.stream:
		panic("binary: End of a mark out of turn")
	case t.outer < m.end:
		panic("binary: End of a mark of another decoder, or out of turn")
	case m.left() > 0:
		m.err = &binary.Error{Offset: int64(m.pos), Have: m.left(), Err: binary.ErrTrailing}
	default:
		m.end = t.outer
	}
}

func (m *model) Err() error {
	if m.err == nil {
		return nil
	}
	return m.err
}

// uint reads an unsigned number of n bytes.
func (m *model) uint(n int) (v uint64) {
	p := m.next(n)
	for i := range p {
		if m.order == stdbinary.ByteOrder(stdbinary.LittleEndian) {
			i = len(p) - 1 - i
		}
		v = v<<8 | uint64(p[i])
	}
	return v
}

func (m *model) Uvarint() (v uint64) {
	start := m.pos
	for i := 0; m.err == nil; i++ {
		p := m.next(1)
		if p == nil {
			m.pos = start
			m.err.Offset = int64(start)
			if m.err.Want, m.err.Have = int64(i+1), int64(i); i > 0 {
				m.err.Err = io.ErrUnexpectedEOF
			}
			return 0
		}
		if i == 9 && p[0] > 1 {
			m.pos = start
			m.fail(0, 0, binary.ErrOverflow)
			return 0
		}
		v |= uint64(p[0]&0x7f) << (7 * i)
		if m.strict && i > 0 && p[0] == 0 {
			m.pos = start
			m.fail(0, 0, binary.ErrOverlong)
			return 0
		}
		if p[0] < 0x80 {
			return v
		}
	}
	return 0
}

func (m *model) Varint() int64 {
	u := m.Uvarint()
	if u%2 == 1 {
		return -int64(u/2) - 1
	}
	return int64(u / 2)
}

func (m *model) numbers(dst []uint16, n int) []uint16 {
	if n > math.MaxInt/2 {
		m.fail(0, 0, binary.ErrOverflow)
		return dst
	}
	for p := m.next(max(n, 2*n)); len(p) > 0; p = p[2:] {
		dst = append(dst, m.order.Uint16(p))
	}
	return dst
}

func (m *model) Until(delim byte, most int) []byte {
	rest := m.in[m.pos : m.pos+m.there()]
	for i, c := range rest {
		if m.err == nil && i <= most && c == delim {
			m.pos++
			return m.in[m.pos-1 : m.pos-1+i : m.pos-1+i][:m.skip(i)]
		}
	}
	switch {
	case most < 0:
		m.next(most)
	case len(rest) > most:
		m.fail(0, most, binary.ErrLimit)
	default:
		m.next(len(rest) + 1)
	}
	return nil
}

func (m *model) skip(n int) int {
	m.pos += n
	return n
}

func (m *model) Canonical() { m.strict = m.err == nil || m.strict }

func (m *model) beginPlus(k *binary.Mark, n int) {
	m.plus(k, n)
	m.Begin16(k)
}

func (m *model) little() uint32 {
	var v uint32
	if p := m.next(4); p != nil {
		v = stdbinary.LittleEndian.Uint32(p)
	}
	return v
}

func (m *model) big() uint16 {
	var v uint16
	if p := m.next(2); p != nil {
		v = stdbinary.BigEndian.Uint16(p)
	}
	return v
}

func (m *model) Rest() []byte {
	if m.open() {
		return m.next(len(m.in) - m.pos)
	}
	return m.next(int(m.left()))
}

func (m *model) Mark(k *binary.Mark) { m.hold(k, modelMark{kind: "Mark"}) }

func (m *model) hold(k *binary.Mark, t modelMark) {
	m.letGo(k)
	t.at = m.pos
	if m.err != nil {
		t.at = int(m.err.Offset)
	}
	m.held = append(m.held, t.at)
	m.marks[k] = t
}

func (m *model) Since(k *binary.Mark) []byte { return m.since(m.take("Since", k, "Mark")) }

func (m *model) since(t modelMark) []byte {
	if m.err != nil {
		return nil
	}
	return m.in[t.at:m.pos:m.pos]
}

func (m *model) CRC32C(k *binary.Mark) {
	sum := crc32.Checksum(m.since(m.take("CRC32C", k, "Mark")), crc32.MakeTable(crc32.Castagnoli))
	if got := m.Uint32(); m.err == nil && got != sum {
		m.pos -= 4
		m.fail(0, 0, binary.ErrChecksum)
	}
}

func (m *model) BeginCRC32C(k *binary.Mark) {
	sum := m.Uint32()
	m.hold(k, modelMark{kind: "sum", sum: sum})
}

func (m *model) Held() int {
	if len(m.held) == 0 || !m.stream {
		return 0
	}
	return m.pos - slices.Min(m.held)
}

func (m *model) ReadByte() (byte, error) {
	m.undo = m.stream && m.More()
	switch {
	case m.undo:
		return m.Uint8(), nil
	case m.err != nil:
		return 0, m.err
	}
	return 0, io.EOF
}

func (m *model) UnreadByte() error {
	if !m.undo {
		return io.EOF
	}
	m.pos--
	return nil
}

func (m *model) More() bool {
	switch {
	case m.err != nil || m.left() == 0 || m.open() && m.there() == 0:
		return false
	case m.there() == 0:
		m.next(1) // fails
	}
	return m.err == nil
}

func (m *model) Resume() error { return nil }

func (m *model) Peek(n int) []byte {
	if m.err != nil || n < 0 || n > m.there() {
		return nil
	}
	return m.in[m.pos : m.pos+n : m.pos+n]
}

func (m *model) Bool() bool       { return m.uint(1) != 0 }
func (m *model) Uint8() uint8     { return uint8(m.uint(1)) }
func (m *model) Uint16() uint16   { return uint16(m.uint(2)) }
func (m *model) Uint24() uint32   { return uint32(m.uint(3)) }
func (m *model) Uint32() uint32   { return uint32(m.uint(4)) }
func (m *model) Uint48() uint64   { return m.uint(6) }
func (m *model) Uint64() uint64   { return m.uint(8) }
func (m *model) Int8() int8       { return int8(m.uint(1)) }
func (m *model) Int16() int16     { return int16(m.uint(2)) }
func (m *model) Int24() int32     { return signed[int32](m.uint(3), 24) }
func (m *model) Int32() int32     { return int32(m.uint(4)) }
func (m *model) Int48() int64     { return signed[int64](m.uint(6), 48) }
func (m *model) Int64() int64     { return int64(m.uint(8)) }
func (m *model) Float32() float32 { return math.Float32frombits(uint32(m.uint(4))) }
func (m *model) Float64() float64 { return math.Float64frombits(m.uint(8)) }

func signed[T int32 | int64](v uint64, bits int) T {
	if v>>(bits-1) == 1 {
		return T(int64(v) - 1<<bits)
	}
	return T(v)
}

func (m *model) Bytes(n int) []byte                   { return m.next(n) }
func (m *model) String(n int) string                  { return string(m.next(n)) }
func (m *model) AppendBytes(dst []byte, n int) []byte { return append(dst, m.next(n)...) }
func (m *model) Copy(dst []byte)                      { copy(dst, m.next(len(dst))) }
func (m *model) Skip(n int)                           { m.next(n) }
func (m *model) Bytes8() []byte                       { return m.next(m.length(m.uint(1))) }
func (m *model) Bytes16() []byte                      { return m.next(m.length(m.uint(2))) }
func (m *model) Bytes24() []byte                      { return m.next(m.length(m.uint(3))) }
func (m *model) Bytes32() []byte                      { return m.next(m.length(m.uint(4))) }
func (m *model) Bytes64() []byte                      { return m.next(m.length(m.uint(8))) }
func (m *model) BytesVarint() []byte                  { return m.next(m.length(m.Uvarint())) }
func (m *model) String8() string                      { return string(m.Bytes8()) }
func (m *model) String16() string                     { return string(m.Bytes16()) }
func (m *model) String24() string                     { return string(m.Bytes24()) }
func (m *model) String32() string                     { return string(m.Bytes32()) }
func (m *model) StringVarint() string                 { return string(m.BytesVarint()) }
func (m *model) Begin8(k *binary.Mark)                { m.begin(k, m.uint(1)) }
func (m *model) Begin16(k *binary.Mark)               { m.begin(k, m.uint(2)) }
func (m *model) BeginVarint(k *binary.Mark)           { m.begin(k, m.Uvarint()) }
