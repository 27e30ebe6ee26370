// Package bug reads tables of sorted entries, block by block.
package bug

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
)

// A BufferPool has slices of several sizes.
type BufferPool struct {
	pools    [4]sync.Pool
	baseline int
}

func NewBufferPool(baseline int) *BufferPool { return &BufferPool{baseline: baseline} }

func (p *BufferPool) class(n int) int {
	i := 0
	for size := p.baseline; i < len(p.pools)-1 && n > size; size *= 2 {
		i++
	}
	return i
}

// Get returns a slice of this length.
func (p *BufferPool) Get(n int) []byte {
	i := p.class(n)
	if b, ok := p.pools[i].Get().(*[]byte); ok && cap(*b) >= n {
		return (*b)[:n]
	}
	if i == len(p.pools)-1 {
		return make([]byte, n)
	}
	return make([]byte, n, p.baseline<<i)
}

func (p *BufferPool) Put(b []byte) { p.pools[p.class(cap(b))].Put(&b) }

var (
	errNotFound = errors.New("not found")
	errChecksum = errors.New("invalid block (checksum mismatch)")
	errFilter   = errors.New("invalid filter block")
	errCorrupt  = errors.New("invalid block (entries corrupted)")
)

// A block is a part of a table. Release gives its data back.
type block struct {
	buffers *BufferPool
	data    []byte
}

func (b *block) Release() {
	if b.buffers != nil {
		b.buffers.Put(b.data)
		b.buffers = nil
	}
	b.data = nil
}

// entry returns the entry at an offset, and the offset of the next.
func (b *block) entry(offset int) (key, value []byte, next int, err error) {
	k, n := binary.Uvarint(b.data[offset:])
	v, m := binary.Uvarint(b.data[offset+max(n, 0):])
	start := offset + n + m
	if n <= 0 || m <= 0 || k > uint64(len(b.data)-start) || v > uint64(len(b.data)-start)-k {
		return nil, nil, 0, errCorrupt
	}
	end := start + int(k)
	return b.data[start:end], b.data[end : end+int(v)], end + int(v), nil
}

// A blockIter goes through a block, which it releases in the end.
type blockIter struct {
	block      *block
	offset     int
	key, value []byte
	err        error
}

func (i *blockIter) Next() bool {
	if i.err != nil || i.offset >= len(i.block.data) {
		return false
	}
	i.key, i.value, i.offset, i.err = i.block.entry(i.offset)
	return i.err == nil
}

func (i *blockIter) Release() {
	i.key, i.value = nil, nil
	i.block.Release()
}

const (
	trailerLen = 5 // the kind of compression and a checksum

	notCompressed = 0
	runs          = 1
)

type blockHandle struct{ offset, length uint64 }

// A Reader reads a table.
type Reader struct {
	r        io.ReaderAt
	buffers  *BufferPool
	checksum bool
	filter   *blockHandle
}

func intact(data []byte) bool {
	n := len(data) - 4
	return binary.LittleEndian.Uint32(data[n:]) == crc32.ChecksumIEEE(data[:n])
}

// decodedLen returns how long what is compressed will be.
func decodedLen(src []byte) (int, error) {
	n, m := binary.Uvarint(src)
	if m <= 0 || n > 1<<30 {
		return 0, errCorrupt
	}
	return int(n), nil
}

// decode decompresses src into dst.
func decode(dst, src []byte) ([]byte, error) {
	_, m := binary.Uvarint(src)
	n := copy(dst, src[m:])
	if n < len(dst) {
		return nil, errCorrupt
	}
	return dst[:n], nil
}

func (r *Reader) rawBlock(bh blockHandle, checksum bool) ([]byte, error) {
	data := r.buffers.Get(int(bh.length + trailerLen))
	if _, err := r.r.ReadAt(data, int64(bh.offset)); err != nil && err != io.EOF {
		return nil, err
	}
	if checksum || r.checksum {
		if !intact(data) {
			return nil, errChecksum
		}
	}
	switch kind := data[bh.length]; kind {
	case notCompressed:
		data = data[:bh.length]
	case runs:
		n, err := decodedLen(data[:bh.length])
		if err != nil {
			return nil, err
		}
		tmp := data
		data, err = decode(r.buffers.Get(n), tmp[:bh.length])
		r.buffers.Put(tmp)
		if err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("unknown block compression %d", kind)
	}
	return data, nil
}

func (r *Reader) open(bh blockHandle, checksum bool) (*block, error) {
	data, err := r.rawBlock(bh, checksum)
	if err != nil {
		return nil, err
	}
	return &block{data: data}, nil
}

// mayContain asks the filter.
func (r *Reader) mayContain(key []byte) (bool, error) {
	if r.filter == nil {
		return true, nil
	}
	data, err := r.rawBlock(*r.filter, true)
	if err != nil {
		return false, err
	}
	if len(data) < 5 {
		return false, errFilter
	}
	bit := crc32.ChecksumIEEE(key) % uint32(8*len(data))
	found := data[bit/8]>>(bit%8)&1 != 0
	r.buffers.Put(data)
	return found, nil
}

func (r *Reader) newIterator(bh blockHandle) (*blockIter, error) {
	b, err := r.open(bh, false)
	if err != nil {
		return nil, err
	}
	return &blockIter{block: b}, nil
}

// Find returns a copy of the value of a key in a block.
func (r *Reader) Find(bh blockHandle, key []byte) ([]byte, error) {
	if ok, err := r.mayContain(key); err != nil || !ok {
		return nil, errors.Join(errNotFound, err)
	}
	it, err := r.newIterator(bh)
	if err != nil {
		return nil, err
	}
	defer it.Release()
	for it.Next() {
		if bytes.Equal(it.key, key) {
			return bytes.Clone(it.value), nil
		}
	}
	return nil, errors.Join(errNotFound, it.err)
}
