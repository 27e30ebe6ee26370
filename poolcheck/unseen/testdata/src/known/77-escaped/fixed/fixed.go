// Package fixed encodes values as JSON, into memory of its own or into what the
// caller has.
package fixed

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strconv"
	"sync"
	"unicode/utf8"
)

// Options say how values are encoded.
type Options uint

const (
	EscapeHTML Options = 1 << iota
	ValidateString
	SortKeys
)

const (
	maxDepth  = 1 << 10
	firstSize = 64 << 10
)

var (
	bytesPool  = sync.Pool{}
	stackPool  = sync.Pool{}
	bufferPool = sync.Pool{}
)

type stack struct {
	depth int
	seen  [maxDepth]uintptr
}

func newBytes() []byte {
	if p := bytesPool.Get(); p != nil {
		return p.([]byte)
	}
	return make([]byte, 0, firstSize)
}

func freeBytes(p []byte) {
	p = p[:0]
	bytesPool.Put(p)
}

func newStack() *stack {
	if s := stackPool.Get(); s != nil {
		return s.(*stack)
	}
	return new(stack)
}

func freeStack(s *stack) {
	s.depth = 0
	stackPool.Put(s)
}

func newBuffer() *bytes.Buffer {
	if b := bufferPool.Get(); b != nil {
		return b.(*bytes.Buffer)
	}
	return bytes.NewBuffer(make([]byte, 0, firstSize))
}

func freeBuffer(b *bytes.Buffer) {
	b.Reset()
	bufferPool.Put(b)
}

var errDeep = errors.New("json: too deep")

func encodeValue(buf *[]byte, v reflect.Value, st *stack) error {
	if st.depth == maxDepth {
		return errDeep
	}
	st.depth++
	defer func() { st.depth-- }()
	switch v.Kind() {
	case reflect.Invalid:
		*buf = append(*buf, "null"...)
	case reflect.Interface, reflect.Pointer:
		return encodeValue(buf, v.Elem(), st)
	case reflect.Bool:
		*buf = strconv.AppendBool(*buf, v.Bool())
	case reflect.Int, reflect.Int64:
		*buf = strconv.AppendInt(*buf, v.Int(), 10)
	case reflect.String:
		*buf = append(*buf, '"')
		*buf = append(*buf, v.String()...)
		*buf = append(*buf, '"')
	case reflect.Slice:
		*buf = append(*buf, '[')
		for i := 0; i < v.Len(); i++ {
			if i > 0 {
				*buf = append(*buf, ',')
			}
			if err := encodeValue(buf, v.Index(i), st); err != nil {
				return err
			}
		}
		*buf = append(*buf, ']')
	default:
		return errors.New("json: unsupported type: " + v.Type().String())
	}
	return nil
}

// HTMLEscape appends src to dst, with <, > and & as \u003c and so on.
func HTMLEscape(dst, src []byte) []byte {
	const hex = "0123456789abcdef"
	for _, c := range src {
		if c == '<' || c == '>' || c == '&' {
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			continue
		}
		dst = append(dst, c)
	}
	return dst
}

// Encode returns val as JSON.
func Encode(val any, opts Options) ([]byte, error) {
	buf := newBytes()
	err := encodeInto(&buf, val)
	if err != nil {
		freeBytes(buf)
		return nil, err
	}

	out := finish(buf, opts)
	ret := make([]byte, len(out))
	copy(ret, out)
	freeBytes(buf)
	return ret, nil
}

// EncodeInto is like Encode, and appends to what the caller has.
func EncodeInto(buf *[]byte, val any, opts Options) error {
	if err := encodeInto(buf, val); err != nil {
		return err
	}
	*buf = finish(*buf, opts)
	return nil
}

func encodeInto(buf *[]byte, val any) error {
	st := newStack()
	err := encodeValue(buf, reflect.ValueOf(val), st)
	freeStack(st)
	return err
}

// finish returns buf, or something new if what is escaped does not fit there.
func finish(buf []byte, opts Options) []byte {
	if opts&EscapeHTML != 0 {
		buf = HTMLEscape(nil, buf)
	}
	if opts&ValidateString != 0 && !utf8.Valid(buf) {
		buf = bytes.ToValidUTF8(buf, []byte(`\ufffd`))
	}
	return buf
}

// EncodeIndented is like Encode, with lines and indents.
func EncodeIndented(val any, prefix, indent string, opts Options) ([]byte, error) {
	out := newBytes()
	err := encodeInto(&out, val)
	if err != nil {
		freeBytes(out)
		return nil, err
	}

	buf := newBuffer()
	err = json.Indent(buf, finish(out, opts), prefix, indent)
	if err != nil {
		freeBytes(out)
		freeBuffer(buf)
		return nil, err
	}

	ret := make([]byte, buf.Len())
	copy(ret, buf.Bytes())
	freeBytes(out)
	freeBuffer(buf)
	return ret, nil
}

// A Journal writes a line for each entry. It is not for more than one goroutine.
type Journal struct {
	w    io.Writer
	line []byte
	opts Options
}

func NewJournal(w io.Writer, opts Options) *Journal {
	return &Journal{w: w, line: make([]byte, 0, 1024), opts: opts}
}

func (j *Journal) Add(entry any) error {
	line := j.line[:0]
	if err := EncodeInto(&line, entry, j.opts); err != nil {
		return err
	}
	line = append(line, '\n')
	_, err := j.w.Write(line)
	return err
}
