// Package bug is a cache in blocks of one size.
package bug

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"sync"
)

const (
	blockSize      = 64 << 10
	blocksPerAlloc = 64
	headSize       = 4
)

var (
	idle     []*[blockSize]byte
	idleLock sync.Mutex
)

func getBlock() []byte {
	idleLock.Lock()
	defer idleLock.Unlock()
	if len(idle) == 0 {
		data := make([]byte, blocksPerAlloc*blockSize)
		for len(data) > 0 {
			idle = append(idle, (*[blockSize]byte)(data))
			data = data[blockSize:]
		}
	}
	n := len(idle) - 1
	p := idle[n]
	idle[n] = nil
	idle = idle[:n]
	return p[:]
}

func putBlock(block []byte) {
	if block == nil {
		return
	}
	p := (*[blockSize]byte)(block[:blockSize])
	idleLock.Lock()
	idle = append(idle, p)
	idleLock.Unlock()
}

// A shard is a ring of blocks.
type shard struct {
	mu     sync.RWMutex
	blocks [][]byte
	where  map[uint64]uint64 // offsets by hash
	next   uint64
}

func newShard(maxBlocks int) *shard {
	return &shard{blocks: make([][]byte, maxBlocks), where: make(map[uint64]uint64)}
}

func (s *shard) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.blocks {
		putBlock(s.blocks[i])
		s.blocks[i] = nil
	}
	s.where = make(map[uint64]uint64)
	s.next = 0
}

func hash(key []byte) uint64 {
	h := fnv.New64a()
	h.Write(key)
	return h.Sum64()
}

func (s *shard) set(key, value []byte) {
	size := uint64(headSize + len(key) + len(value))
	if size > blockSize || len(key) >= 1<<16 || len(value) >= 1<<16 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next%blockSize+size > blockSize {
		s.next += blockSize - s.next%blockSize
	}
	if s.next >= uint64(len(s.blocks))*blockSize {
		s.next = 0
		clear(s.where)
	}
	block := s.blocks[s.next/blockSize]
	if block == nil {
		block = getBlock()
		s.blocks[s.next/blockSize] = block
	}
	p := block[s.next%blockSize:]
	binary.BigEndian.PutUint16(p, uint16(len(key)))
	binary.BigEndian.PutUint16(p[2:], uint16(len(value)))
	copy(p[headSize:], key)
	copy(p[headSize+len(key):], value)
	s.where[hash(key)] = s.next
	s.next += size
}

func (s *shard) get(dst, key []byte) ([]byte, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	at, ok := s.where[hash(key)]
	if !ok || s.blocks[at/blockSize] == nil {
		return dst, false
	}
	p := s.blocks[at/blockSize][at%blockSize:]
	n, m := int(binary.BigEndian.Uint16(p)), int(binary.BigEndian.Uint16(p[2:]))
	p = p[headSize:]
	if string(p[:n]) != string(key) {
		return dst, false
	}
	return append(dst, p[n:n+m]...), true
}

func readUint64(r io.Reader) (uint64, error) {
	var p [8]byte
	if _, err := io.ReadFull(r, p[:]); err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint64(p[:]), nil
}

func (s *shard) load(r io.Reader, maxBlocks uint64) error {
	next, err := readUint64(r)
	if err != nil {
		return fmt.Errorf("read the offset: %w", err)
	}
	n, err := readUint64(r)
	if err != nil {
		return fmt.Errorf("read the number of keys: %w", err)
	}
	where := make(map[uint64]uint64)
	for range n {
		key, err := readUint64(r)
		if err != nil {
			return fmt.Errorf("read a key: %w", err)
		}
		if where[key], err = readUint64(r); err != nil {
			return fmt.Errorf("read an offset: %w", err)
		}
	}
	if n, err = readUint64(r); err != nil {
		return fmt.Errorf("read the number of blocks: %w", err)
	}
	if n > maxBlocks {
		return fmt.Errorf("%d blocks, more than %d", n, maxBlocks)
	}
	blocks := make([][]byte, maxBlocks)
	for i := range n {
		blocks[i] = getBlock()
		if _, err := io.ReadFull(r, blocks[i]); err != nil {
			for _, block := range blocks {
				putBlock(block)
			}
			return fmt.Errorf("read block %d: %w", i, err)
		}
	}

	s.mu.Lock()
	s.blocks = blocks
	s.where = where
	s.next = next
	s.mu.Unlock()
	return nil
}
