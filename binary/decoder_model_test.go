package binary_test

import (
	stdbinary "encoding/binary"
	"io"
	"math"
	"slices"

	"github.com/octet-go/octet/binary"
)

// A model reads as Decoder and StreamDecoder should, in the most obvious way.
type model struct {
	in     []byte
	pos    int
	end    int64 // of the innermost span, or of the input
	limit  int64 // of the message
	err    *binary.Error
	order  stdbinary.ByteOrder
	strict bool  // whether varints must be canonical
	stream bool  // whether the end of the input is not known in advance
	due    int64 // where the content ends that lengths have announced
	marks  map[*binary.Mark]modelMark
	held   []int // where the bytes begin that marks hold
}

// A modelMark is what a mark should remember.
type modelMark struct {
	kind  string // "", "Mark", "span", or "plus" in place of one that holds bytes
	at    int
	extra int   // of Plus
	outer int64 // where the enclosing span ends
}

func newModel(in []byte, order stdbinary.ByteOrder, stream bool) *model {
	m := &model{in: in, end: int64(len(in)), limit: math.MaxInt64, order: order, stream: stream, marks: make(map[*binary.Mark]modelMark)}
	if stream {
		m.end = math.MaxInt64
	}
	return m
}

// left returns the number of bytes left in the innermost span or in the input. The end
// of a stream is not known.
func (m *model) left() int64 { return m.end - int64(m.pos) }

// bound is left within the limit, which is the lower one if limited.
func (m *model) bound() int64  { return min(m.end, m.limit) - int64(m.pos) }
func (m *model) limited() bool { return m.limit < m.end }

// open reports whether no span is open in a stream.
func (m *model) open() bool { return m.end == math.MaxInt64 }

// inputLeft returns how many bytes the input has left, and there how many of these may be read.
func (m *model) inputLeft() int { return len(m.in) - m.pos }
func (m *model) there() int     { return int(min(m.bound(), int64(m.inputLeft()))) }

// over reports whether the input ends at the limit, which it then does not exceed.
func (m *model) over() bool { return m.limited() && m.bound() <= 0 && m.inputLeft() == 0 }

// vast reports whether n is too large for an int, or for an offset in a stream.
func (m *model) vast(n int64) bool {
	return n > math.MaxInt && n <= m.bound() || m.open() && !m.limited() && n > m.bound()
}

func (m *model) fail(want, have int, err error) {
	if m.err == nil {
		m.err = &binary.Error{Offset: int64(m.pos), Want: int64(want), Have: int64(have), Err: err}
	}
}

// next returns the next n bytes, or fails and returns nil.
func (m *model) next(n int) []byte {
	have := m.there()
	if m.stream && int64(n) > m.bound() {
		have = int(m.bound()) // known in advance, so nothing is read
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
	case int64(n) > m.bound() && m.limited() && !m.over():
		m.fail(n, have, binary.ErrTooLong)
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
	switch left := m.bound(); {
	case m.err != nil:
	case n < 0:
		m.err = &binary.Error{Offset: int64(m.pos), Want: n, Err: binary.ErrOverflow}
	case m.vast(n):
		m.fail(0, 0, binary.ErrOverflow)
	case n <= left:
		return int(n)
	case m.limited():
		m.err = &binary.Error{Offset: int64(m.pos), Want: n, Have: left, Err: binary.ErrTooLong}
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
	if t := m.marks[k]; t.kind == "Mark" || t.kind == "plus" {
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

// take returns the mark k, which must be of a kind, for a method, and clears it.
func (m *model) take(method string, k *binary.Mark, kind string) modelMark {
	t := m.marks[k]
	if t.kind != kind {
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
	t := m.take("End", k, "span")
	switch {
	case m.err != nil:
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
		if i > 0 && m.limited() && m.bound() == 0 { // whether there is another byte or not
			m.pos = start
			m.fail(i+1, i, binary.ErrTooLong)
			return 0
		}
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
		m.fail(0, most, binary.ErrTooLong)
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

// rest reads a stream until its end, as Read does, before it misses what the span lacks.
func (m *model) rest() []byte {
	if !m.stream {
		return m.next(int(m.left()))
	}
	p := m.Peek(m.there())
	if m.next(len(p)); m.More() || m.err != nil {
		return nil
	}
	return p
}

func (m *model) Mark(k *binary.Mark) {
	m.letGo(k)
	t := modelMark{kind: "Mark", at: m.pos}
	if m.err != nil {
		t.at = int(m.err.Offset)
	}
	m.held = append(m.held, t.at)
	m.marks[k] = t
}

func (m *model) Since(k *binary.Mark) []byte {
	t := m.take("Since", k, "Mark")
	if m.err != nil {
		return nil
	}
	return m.in[t.at:m.pos:m.pos]
}

func (m *model) Held() int {
	if len(m.held) == 0 || !m.stream {
		return 0
	}
	return m.pos - slices.Min(m.held)
}

func (m *model) ReadByte() (byte, error) {
	switch {
	case m.More():
		return m.Uint8(), nil
	case m.err != nil:
		return 0, m.err
	}
	return 0, io.EOF
}

func (m *model) More() bool {
	switch {
	case m.err != nil || m.left() == 0 || m.open() && m.inputLeft() == 0:
		return false
	case m.there() == 0:
		m.next(1) // fails
	}
	return m.err == nil
}

func (m *model) Next(limit int64) bool {
	m.limit = math.MaxInt64
	more := m.More()
	if at := int64(m.pos); more && limit < math.MaxInt64-at {
		m.limit = at + max(limit, 0)
	}
	return more
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
func (m *model) Uint64() uint64   { return m.uint(8) }
func (m *model) Int8() int8       { return int8(m.uint(1)) }
func (m *model) Int16() int16     { return int16(m.uint(2)) }
func (m *model) Int32() int32     { return int32(m.uint(4)) }
func (m *model) Int64() int64     { return int64(m.uint(8)) }
func (m *model) Float32() float32 { return math.Float32frombits(uint32(m.uint(4))) }
func (m *model) Float64() float64 { return math.Float64frombits(m.uint(8)) }

func (m *model) Bytes(n int) []byte                   { return m.next(n) }
func (m *model) String(n int) string                  { return string(m.next(n)) }
func (m *model) AppendBytes(dst []byte, n int) []byte { return append(dst, m.next(n)...) }
func (m *model) Copy(dst []byte)                      { copy(dst, m.next(len(dst))) }
func (m *model) Skip(n int)                           { m.next(n) }
func (m *model) Bytes8() []byte                       { return m.next(m.length(m.uint(1))) }
func (m *model) Bytes16() []byte                      { return m.next(m.length(m.uint(2))) }
func (m *model) Bytes24() []byte                      { return m.next(m.length(m.uint(3))) }
func (m *model) Bytes32() []byte                      { return m.next(m.length(m.uint(4))) }
func (m *model) Len64() int                           { return m.length(m.uint(8)) }
func (m *model) BytesVarint() []byte                  { return m.next(m.length(m.Uvarint())) }
func (m *model) String8() string                      { return string(m.Bytes8()) }
func (m *model) String16() string                     { return string(m.Bytes16()) }
func (m *model) String32() string                     { return string(m.Bytes32()) }
func (m *model) StringVarint() string                 { return string(m.BytesVarint()) }
func (m *model) Begin8(k *binary.Mark)                { m.begin(k, m.uint(1)) }
func (m *model) Begin16(k *binary.Mark)               { m.begin(k, m.uint(2)) }
func (m *model) Begin24(k *binary.Mark)               { m.begin(k, m.uint(3)) }
func (m *model) Begin32(k *binary.Mark)               { m.begin(k, m.uint(4)) }
func (m *model) BeginVarint(k *binary.Mark)           { m.begin(k, m.Uvarint()) }
