// Package bug removes messages from the beginning of a store of blocks.
package bug

import (
	"errors"
	"os"
	"sync"
)

const (
	smallBlock = 1 << 20
	largeBlock = 8 << 20
)

var (
	smallBlocks = &sync.Pool{New: func() any { return &[smallBlock]byte{} }}
	largeBlocks = &sync.Pool{New: func() any { return &[largeBlock]byte{} }}
)

func getBlock(size int) []byte {
	switch {
	case size <= smallBlock:
		return smallBlocks.Get().(*[smallBlock]byte)[:0]
	case size <= largeBlock:
		return largeBlocks.Get().(*[largeBlock]byte)[:0]
	}
	return make([]byte, 0, size)
}

func recycleBlock(buf []byte) {
	switch cap(buf) {
	case smallBlock:
		smallBlocks.Put((*[smallBlock]byte)(buf[:smallBlock]))
	case largeBlock:
		largeBlocks.Put((*[largeBlock]byte)(buf[:largeBlock]))
	}
}

type compression interface {
	compress(p []byte) ([]byte, error)
	prepend(p []byte, originalSize int) []byte
}

type block struct {
	mu       sync.Mutex
	path     string
	first    uint64
	cache    []byte
	offsets  []int
	bytes    int
	compress compression
}

var errNotFound = errors.New("not found")

// slot returns where the message seq begins.
func (b *block) slot(seq uint64) (int, error) {
	i := int(seq - b.first)
	if i < 0 || i >= len(b.offsets) {
		return 0, errNotFound
	}
	return b.offsets[i], nil
}

// rewrite writes what the block has from the last message on.
func (b *block) rewrite(min int) error {
	buf := b.cache[min:]
	nbuf := getBlock(len(buf))
	defer recycleBlock(nbuf)
	nbuf = append(nbuf, buf...)
	return os.WriteFile(b.path, nbuf, 0o600)
}

type store struct {
	mu     sync.Mutex
	blocks []*block
	first  uint64
}

func (s *store) compact(seq uint64) (purged int, err error) {
	s.mu.Lock()
	if len(s.blocks) == 0 {
		s.mu.Unlock()
		return 0, nil
	}
	b := s.blocks[0]
	b.mu.Lock()
	if b.bytes > 0 {
		off, err := b.slot(seq)
		if err != nil {
			b.mu.Unlock()
			s.mu.Unlock()
			return purged, err
		} else if off >= len(b.cache) {
			goto skip
		}
		buf := b.cache[off:]
		// The cache stays as it is.
		nbuf := getBlock(len(buf))
		nbuf = append(nbuf, buf...)
		if b.compress != nil && len(nbuf) > 0 {
			size := len(nbuf)
			if nbuf, err = b.compress.compress(nbuf); err != nil {
				b.mu.Unlock()
				s.mu.Unlock()
				return purged, err
			}
			nbuf = b.compress.prepend(nbuf, size)
		}
		if err := os.WriteFile(b.path, nbuf, 0o600); err != nil {
			b.mu.Unlock()
			s.mu.Unlock()
			return purged, err
		}
		purged = b.bytes - len(buf)
		b.cache = append([]byte(nil), buf...)
		b.bytes = len(buf)
		b.offsets = b.offsets[seq-b.first:]
		b.first = seq
	}
skip:
	b.mu.Unlock()
	s.first = seq
	s.mu.Unlock()
	return purged, nil
}
