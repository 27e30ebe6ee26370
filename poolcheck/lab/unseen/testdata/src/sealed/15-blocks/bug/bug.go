// Package bug keeps messages in files of blocks, which may be encrypted. A block
// that is read needs some megabytes.
package bug

import (
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

const (
	mediumBlock = 8 << 20
	largeBlock  = 16 << 20
	recordHead  = 12
)

var errCorrupt = errors.New("block is corrupt")

var (
	mediumBlocks = sync.Pool{New: func() any { b := make([]byte, 0, mediumBlock); return &b }}
	largeBlocks  = sync.Pool{New: func() any { b := make([]byte, 0, largeBlock); return &b }}
)

// newBuffer returns an empty buffer for a block of the given size. Small blocks
// and those that are larger than usual are not worth keeping.
func newBuffer(size int) []byte {
	switch {
	case size <= mediumBlock/2 || size > largeBlock:
		return make([]byte, 0, size)
	case size <= mediumBlock:
		return *mediumBlocks.Get().(*[]byte)
	default:
		return *largeBlocks.Get().(*[]byte)
	}
}

func freeBuffer(b []byte) {
	b = b[:0]
	switch cap(b) {
	case mediumBlock:
		mediumBlocks.Put(&b)
	case largeBlock:
		largeBlocks.Put(&b)
	}
}

// A block is a file of records: the sequence number, the length, and so many
// bytes.
type block struct {
	mu    sync.Mutex
	name  string
	key   cipher.Block // nil if the file is not encrypted
	nonce []byte
	first uint64
	last  uint64
	count int
}

func (b *block) cipher() cipher.Stream { return cipher.NewCTR(b.key, b.nonce) }

// load reads the file. The caller frees the buffer.
func (b *block) load() ([]byte, error) {
	f, err := os.Open(b.name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	buf := newBuffer(int(info.Size()))[:info.Size()]
	if _, err := io.ReadFull(f, buf); err != nil {
		freeBuffer(buf)
		return nil, err
	}
	return buf, nil
}

// scan calls fn for each record.
func scan(buf []byte, fn func(seq uint64, at int, body []byte)) error {
	for at := 0; at < len(buf); {
		if len(buf)-at < recordHead {
			return errCorrupt
		}
		seq := binary.LittleEndian.Uint64(buf[at:])
		n := int(binary.LittleEndian.Uint32(buf[at+8:]))
		if n > len(buf)-at-recordHead {
			return errCorrupt
		}
		fn(seq, at, buf[at+recordHead:at+recordHead+n])
		at += recordHead + n
	}
	return nil
}

// encrypt turns a file that is not encrypted yet into one that is.
func (b *block) encrypt(key cipher.Block, nonce []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	buf, err := b.load()
	if err != nil {
		return err
	}
	if err := scan(buf, func(uint64, int, []byte) {}); err != nil {
		return fmt.Errorf("%s: %w", b.name, err)
	}
	b.key, b.nonce = key, nonce
	b.cipher().XORKeyStream(buf, buf)
	return os.WriteFile(b.name, buf, 0o640)
}

// rebuild counts the records anew.
func (b *block) rebuild() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.first, b.last, b.count = 0, 0, 0
	buf, err := b.load()
	if err != nil {
		return err
	}
	if b.key != nil {
		b.cipher().XORKeyStream(buf, buf)
	}
	return scan(buf, func(seq uint64, _ int, _ []byte) {
		if b.count == 0 {
			b.first = seq
		}
		b.last = seq
		b.count++
	})
}

type fileStore struct{ blocks []*block }

// snapshot writes all blocks, decrypted, by way of write.
func (fs *fileStore) snapshot(write func(name string, data []byte) error) error {
	for i, b := range fs.blocks {
		b.mu.Lock()
		buf, err := b.load()
		if err != nil {
			b.mu.Unlock()
			return fmt.Errorf("block %d: %w", i, err)
		}
		if b.key != nil {
			b.cipher().XORKeyStream(buf, buf)
		}
		b.mu.Unlock()
		err = write(fmt.Sprintf("msgs/%d.blk", i), buf)
		if err != nil {
			return err
		}
	}
	return nil
}
