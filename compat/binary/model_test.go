package binary_test

import (
	"bytes"
	stdbinary "encoding/binary"
	"errors"
	"io"

	"github.com/octet-go/octet/compat/binary"
)

// A model of WriteChain and Reader: every field is encoded by encoding/binary and goes
// through write or read.

type plainWriter struct {
	w     io.Writer
	order stdbinary.ByteOrder
	n     int
	err   error
}

func (c *plainWriter) end() (int, error) {
	n, err := c.n, c.err
	c.n, c.err = 0, nil
	return n, err
}

func (c *plainWriter) write(p []byte) {
	if c.err != nil {
		return
	}
	n, err := c.w.Write(p)
	if n < 0 || n > len(p) {
		n = 0
		if err == nil {
			err = errImpossible
		}
	}
	if n < len(p) && err == nil {
		err = io.ErrShortWrite
	}
	c.n += n
	c.err = err
}

// number writes v. The parts of a complex number have a call of the Writer each.
func (c *plainWriter) number(v any) {
	switch v := v.(type) {
	case complex64:
		c.number(real(v))
		c.number(imag(v))
		return
	case complex128:
		c.number(real(v))
		c.number(imag(v))
		return
	}
	var b bytes.Buffer
	if err := stdbinary.Write(&b, c.order, v); err != nil {
		panic(err)
	}
	c.write(b.Bytes())
}

type plainReader struct {
	r     io.Reader
	order stdbinary.ByteOrder
	n     int
	err   error
}

func (r *plainReader) end() (int, error) {
	n, err := r.n, r.err
	r.n, r.err = 0, nil
	return n, err
}

// read returns n bytes, or nil if there are fewer.
func (r *plainReader) read(n int) []byte {
	if r.err != nil {
		return nil
	}
	p, at, idle := make([]byte, n), 0, 0
	for at < n {
		k, err := r.r.Read(p[at:])
		if k < 0 || k > n-at {
			k, err = 0, errImpossible
		}
		at += k
		r.n += k
		if at == n {
			break
		}
		if k == 0 {
			idle++
		} else {
			idle = 0
		}
		if err == nil && idle == 100 {
			err = io.ErrNoProgress
		}
		if err != nil {
			if err == io.EOF && at > 0 {
				err = io.ErrUnexpectedEOF
			}
			r.err = err
			return nil
		}
	}
	return p
}

// number reads what v points to. The parts of a complex number are one field.
func (r *plainReader) number(v any) {
	switch v := v.(type) {
	case *complex64:
		*v = parts(r, func(re, im float32) complex64 { return complex(re, im) })
		return
	case *complex128:
		*v = parts(r, func(re, im float64) complex128 { return complex(re, im) })
		return
	}
	if p := r.read(stdbinary.Size(v)); p != nil {
		if _, err := stdbinary.Decode(p, r.order, v); err != nil {
			panic(err)
		}
	}
}

// parts reads the two parts of a complex number.
func parts[F, C any](r *plainReader, whole func(re, im F) C) (v C) {
	var re, im F
	r.number(&re)
	begun := r.err == nil
	r.number(&im)
	if r.err == nil {
		return whole(re, im)
	}
	if begun && r.err == io.EOF {
		r.err = io.ErrUnexpectedEOF
	}
	return v
}

// middle is an unusual order: the halves of a number in big-endian order, each of them
// in little-endian order, as on a PDP-11.
type middle struct{ stdbinary.ByteOrder }

var middleEndian stdbinary.ByteOrder = middle{stdbinary.LittleEndian}

func (middle) String() string { return "middle" }

func (middle) PutUint32(b []byte, v uint32) {
	stdbinary.LittleEndian.PutUint16(b[0:], uint16(v>>16))
	stdbinary.LittleEndian.PutUint16(b[2:4], uint16(v))
}

func (middle) Uint32(b []byte) uint32 {
	return uint32(stdbinary.LittleEndian.Uint16(b[0:]))<<16 | uint32(stdbinary.LittleEndian.Uint16(b[2:4]))
}

func (m middle) PutUint64(b []byte, v uint64) {
	m.PutUint32(b[0:], uint32(v>>32))
	m.PutUint32(b[4:8], uint32(v))
}

func (m middle) Uint64(b []byte) uint64 {
	return uint64(m.Uint32(b[0:]))<<32 | uint64(m.Uint32(b[4:8]))
}

var orders = []stdbinary.ByteOrder{
	binary.LittleEndian, binary.BigEndian, stdbinary.NativeEndian, middleEndian,
}

// A script says what a Writer or Reader does: one byte per call, then zeros.
type script []byte

func (s *script) next() byte {
	if len(*s) == 0 {
		return 0
	}
	b := (*s)[0]
	*s = (*s)[1:]
	return b
}

var (
	errScript     = errors.New("as the script says")
	errImpossible = errors.New("impossible count")
)

// A scriptWriter misbehaves according to its script. It records what it was given.
type scriptWriter struct {
	script script
	out    []byte
	calls  int
}

func (w *scriptWriter) Write(p []byte) (n int, err error) {
	w.calls++
	switch b := w.script.next(); b {
	default:
		w.out = append(w.out, p...)
		return len(p), nil
	case 1, 2, 3: // too little, with or without an error
		n = int(b-1) * len(p) / 3
		w.out = append(w.out, p[:n]...)
		if b != 2 {
			err = errScript
		}
		return n, err
	case 4: // all, and an error
		w.out = append(w.out, p...)
		return len(p), errScript
	case 5:
		return len(p) + 1, nil
	case 6:
		return -1, nil
	case 7:
		return -1, errScript
	}
}

// A scriptStringWriter has WriteString, as a type has that embeds a bytes.Buffer and counts or
// encrypts in a Write of its own, through which everything must go.
type scriptStringWriter struct{ scriptWriter }

func (*scriptStringWriter) WriteString(string) (int, error) { panic("not by Write") }

// A scriptReader misbehaves according to its script. It has ReadByte, as a type has that embeds
// a bytes.Reader and has a Read of its own, through which everything must go.
type scriptReader struct {
	script script
	data   []byte
}

func (*scriptReader) ReadByte() (byte, error) { panic("not by Read") }

func (r *scriptReader) Read(p []byte) (n int, err error) {
	b := r.script.next()
	most := len(p)
	switch b {
	case 1: // nothing, without an error
		return 0, nil
	case 2, 3, 4: // a few bytes at a time
		most = int(b) - 1
	case 5:
		return len(p) + 1, nil
	case 6:
		return -1, nil
	case 7:
		most = len(p) / 2
		err = errScript
	case 8: // all, and an error
		err = errScript
	}
	n = copy(p[:min(most, len(p))], r.data)
	r.data = r.data[n:]
	if len(r.data) == 0 && err == nil && (n == 0 || b&16 != 0) {
		err = io.EOF // with the last bytes, or after them
	}
	return n, err
}
