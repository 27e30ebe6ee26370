// Package bug keeps messages in files of blocks, which may be encrypted. A block
// that is read needs some megabytes.
package bug

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	cache []byte
	index map[uint64]int
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

// message appends a message to dst. The block stays in memory until the cache
// is dropped.
func (b *block) message(dst []byte, seq uint64) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cache == nil {
		buf, err := b.load()
		if err != nil {
			return dst, err
		}
		if b.key != nil {
			b.cipher().XORKeyStream(buf, buf)
		}
		index := make(map[uint64]int)
		if err := scan(buf, func(seq uint64, at int, _ []byte) { index[seq] = at }); err != nil {
			freeBuffer(buf)
			return dst, err
		}
		b.cache, b.index = buf, index
	}
	at, ok := b.index[seq]
	if !ok {
		return dst, fmt.Errorf("no message %d", seq)
	}
	n := int(binary.LittleEndian.Uint32(b.cache[at+8:]))
	return append(dst, b.cache[at+recordHead:at+recordHead+n]...), nil
}

func (b *block) dropCache() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cache != nil {
		freeBuffer(b.cache)
	}
	b.cache, b.index = nil, nil
}

// unlock prepares a block for its key.
func (b *block) unlock(key []byte) error {
	c, err := aes.NewCipher(key)
	if err != nil {
		return err
	}
	nonce, err := os.ReadFile(b.name + ".nonce")
	if err == nil && len(nonce) == aes.BlockSize {
		b.key, b.nonce = c, nonce
		return nil
	}
	nonce = make([]byte, aes.BlockSize)
	if _, err := rand.Read(nonce); err != nil {
		return err
	}
	if err := b.encrypt(c, nonce); err != nil {
		return err
	}
	return os.WriteFile(b.name+".nonce", nonce, 0o600)
}

type fileStore struct{ blocks []*block }

// recover finds the blocks of a folder. With a key, those that are not encrypted
// become so.
func (fs *fileStore) recover(dir string, key []byte) error {
	names, err := filepath.Glob(filepath.Join(dir, "*.blk"))
	if err != nil {
		return err
	}
	for _, name := range names {
		b := &block{name: name}
		if key != nil {
			if err := b.unlock(key); err != nil {
				return err
			}
		}
		if err := b.rebuild(); err != nil {
			return err
		}
		fs.blocks = append(fs.blocks, b)
	}
	return nil
}

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
