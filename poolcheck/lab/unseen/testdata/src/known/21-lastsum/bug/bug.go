// Package bug recovers the blocks of messages that a store has on disk.
package bug

import (
	"crypto/cipher"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

const (
	smallBlock = 1 << 20
	largeBlock = 8 << 20
	sumSize    = 8
)

var (
	smallBlocks = &sync.Pool{New: func() any { return &[smallBlock]byte{} }}
	largeBlocks = &sync.Pool{New: func() any { return &[largeBlock]byte{} }}
)

// getBlock returns a slice of length zero for recycleBlock.
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

type block struct {
	index  uint32
	path   string
	size   int64
	sum    [sumSize]byte
	stream cipher.Stream
}

// load reads the block into buf if that is large enough. The slice that it
// returns is the caller's to recycle.
func (b *block) load(buf []byte) ([]byte, error) {
	f, err := os.Open(b.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := int(info.Size())
	if buf == nil || cap(buf) < size {
		buf = getBlock(size)
	}
	n, err := io.ReadFull(f, buf[:size])
	if err == nil {
		b.size = int64(n)
	}
	return buf[:n], err
}

// messages calls f for the content of the block.
func (b *block) messages(f func([]byte) error) error {
	buf, err := b.load(nil)
	defer recycleBlock(buf)
	if err != nil {
		return err
	}
	return f(buf)
}

type store struct {
	dir    string
	stream func(index uint32) cipher.Stream
	blocks map[uint32]*block
}

func (s *store) recover(index uint32) (*block, error) {
	b := &block{index: index, path: filepath.Join(s.dir, fmt.Sprintf("%d.blk", index))}
	file, err := os.Open(b.path)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err == nil {
		b.size = info.Size()
	} else {
		file.Close()
		return nil, err
	}
	if s.stream != nil {
		b.stream = s.stream(index)
	}

	// The last checksum stands at the end.
	if b.size >= sumSize {
		if b.stream != nil {
			if buf, _ := b.load(nil); len(buf) >= sumSize {
				b.stream.XORKeyStream(buf, buf)
				copy(b.sum[:], buf[len(buf)-sumSize:])
			}
		} else {
			file.ReadAt(b.sum[:], b.size-sumSize)
		}
	}
	file.Close()
	s.blocks[index] = b
	return b, nil
}
