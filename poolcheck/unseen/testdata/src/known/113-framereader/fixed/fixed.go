// Package fixed reads frames of compressed blocks.
package fixed

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"
)

const (
	size64K = 64 << 10
	size1M  = 1 << 20
)

var (
	pool64K = sync.Pool{New: func() any { return make([]byte, size64K) }}
	pool1M  = sync.Pool{New: func() any { return make([]byte, size1M) }}
)

// A sizeIndex says how long the blocks of a frame are at most.
type sizeIndex uint8

func (i sizeIndex) valid() bool { return i == 4 || i == 6 }

func (i sizeIndex) get() []byte {
	var buf any
	switch i {
	case 4:
		buf = pool64K.Get()
	case 6:
		buf = pool1M.Get()
	}
	return buf.([]byte)
}

// put takes what get returned for the same index. It ignores nil.
func (i sizeIndex) put(buf []byte) {
	switch c := cap(buf); i {
	case 4:
		if c == size64K {
			pool64K.Put(buf[:c])
		}
	case 6:
		if c == size1M {
			pool1M.Put(buf[:c])
		}
	}
}

const magic = 0x184d2204

var (
	errFrame = errors.New("invalid frame")
	errBlock = errors.New("invalid block")
)

// A frame is the header of what is read, and a block at a time.
type frame struct {
	magic uint32
	size  sizeIndex
	src   []byte // the block as it was read
}

func (f *frame) init(r io.Reader) error {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	f.magic = binary.LittleEndian.Uint32(head[:])
	f.size = sizeIndex(head[4] >> 4)
	if f.magic != magic || !f.size.valid() {
		f.size = 0
		return errFrame
	}
	return nil
}

func (f *frame) reset() {
	f.magic = 0
}

// uncompress reads the next block into dst.
func (f *frame) uncompress(r io.Reader, dst []byte) (int, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n == 0 {
		return 0, io.EOF
	}
	stored := n>>31 != 0
	n &^= 1 << 31
	if int(n) > len(dst) {
		return 0, errBlock
	}
	if stored {
		return io.ReadFull(r, dst[:n])
	}
	if cap(f.src) < int(n) {
		f.src = make([]byte, n)
	}
	f.src = f.src[:n]
	if _, err := io.ReadFull(r, f.src); err != nil {
		return 0, err
	}
	return expand(dst, f.src)
}

// expand writes runs of a byte to dst.
func expand(dst, src []byte) (n int, err error) {
	for ; len(src) >= 2; src = src[2:] {
		run := int(src[0])
		if n+run > len(dst) {
			return 0, errBlock
		}
		for i := range run {
			dst[n+i] = src[1]
		}
		n += run
	}
	return n, nil
}

type state int

const (
	newState state = iota
	readState
	failedState
)

// A Reader uncompresses frames.
type Reader struct {
	state state
	err   error
	src   io.Reader
	frame frame
	data  []byte // the block that is read, if it does not fit what is read into
	idx   int
}

func NewReader(src io.Reader) *Reader {
	r := new(Reader)
	r.Reset(src)
	return r
}

func (r *Reader) fail(err error) error {
	r.state, r.err = failedState, err
	return err
}

func (r *Reader) Read(p []byte) (n int, err error) {
	switch r.state {
	case failedState:
		return 0, r.err
	case newState:
		if r.src == nil {
			return 0, io.EOF
		}
		if err := r.frame.init(r.src); err != nil {
			return 0, r.fail(err)
		}
		r.data = r.frame.size.get()
		r.state = readState
	}
	if len(p) == 0 {
		return 0, nil
	}
	var bn int
	if r.idx > 0 {
		goto fill
	}
	r.data = r.data[:cap(r.data)]
	for len(p) >= len(r.data) {
		// There is room for a block.
		switch bn, err = r.frame.uncompress(r.src, p[:len(r.data)]); err {
		case nil:
			n += bn
			p = p[bn:]
		case io.EOF:
			goto end
		default:
			return n, r.fail(err)
		}
	}
	if n > 0 {
		return n, nil
	}
	switch bn, err = r.frame.uncompress(r.src, r.data); err {
	case nil:
		r.data = r.data[:bn]
		goto fill
	case io.EOF:
		goto end
	default:
		return 0, r.fail(err)
	}

end:
	r.Reset(nil)
	return n, io.EOF

fill:
	bn = copy(p, r.data[r.idx:])
	r.idx += bn
	if r.idx == len(r.data) {
		r.idx = 0
	}
	return n + bn, nil
}

// Reset makes r read from src, as if it were new.
func (r *Reader) Reset(src io.Reader) {
	r.frame.size.put(r.data)
	r.frame.reset()
	r.src = src
	r.data = nil
	r.idx = 0
	r.state, r.err = newState, nil
}

// Heads returns the first n bytes of each source.
func Heads(n int, sources ...io.Reader) ([][]byte, error) {
	var heads [][]byte
	r := NewReader(nil)
	defer r.Reset(nil)
	for _, src := range sources {
		r.Reset(src)
		head := make([]byte, n)
		m, err := io.ReadFull(r, head)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return heads, err
		}
		heads = append(heads, head[:m])
	}
	return heads, nil
}
