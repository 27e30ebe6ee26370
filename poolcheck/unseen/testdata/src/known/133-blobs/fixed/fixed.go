// Package fixed writes large values as trees of chunks. The builders that cut
// them up are pooled by the store.
package fixed

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

const (
	hashLen   = sha1.Size
	chunkSize = 4000
)

type hash [hashLen]byte

type node struct {
	level int
	msg   []byte
}

type chunkStore interface {
	put(ctx context.Context, h hash, p []byte) error
}

// A nodeStore writes the nodes of trees.
type nodeStore interface {
	write(ctx context.Context, n node) (hash, error)
	blobBuilder() *blobBuilder
	putBlobBuilder(bb *blobBuilder)
}

var builders = sync.Pool{New: func() any { return &blobBuilder{chunkSize: chunkSize} }}

type chunkNodes struct {
	store chunkStore
	bbp   *sync.Pool
}

func newNodeStore(cs chunkStore) nodeStore { return chunkNodes{store: cs, bbp: &builders} }

func (ns chunkNodes) write(ctx context.Context, n node) (hash, error) {
	h := hash(sha1.Sum(n.msg))
	return h, ns.store.put(ctx, h, n.msg)
}

func (ns chunkNodes) blobBuilder() *blobBuilder {
	bb := ns.bbp.Get().(*blobBuilder)
	bb.ns = ns
	return bb
}

func (ns chunkNodes) putBlobBuilder(bb *blobBuilder) {
	bb.reset()
	ns.bbp.Put(bb)
}

type blobWriter interface {
	write(ctx context.Context, r io.Reader) (hash, int, error)
}

type blobBuilder struct {
	ns        nodeStore
	chunkSize int
	wr        blobWriter
	last      node
	topLevel  int
	buf       []byte
}

func (b *blobBuilder) reset() {
	b.wr = nil
	b.topLevel = 0
	b.last = node{}
	b.buf = nil
}

// init makes the writers for a blob of size bytes.
func (b *blobBuilder) init(size int) {
	if size == 0 {
		return
	}
	leaf := &leafWriter{bb: b, buf: make([]byte, min(size, b.chunkSize))}
	b.wr = leaf
	if size <= b.chunkSize {
		return
	}
	perNode := b.chunkSize / hashLen
	for n := size / b.chunkSize; n > 0; n /= perNode {
		b.topLevel++
	}
	if need := b.topLevel * perNode * hashLen; len(b.buf) < need {
		b.buf = make([]byte, need)
	}
	for i := range b.topLevel {
		off := i * perNode * hashLen
		b.wr = &levelWriter{bb: b, child: b.wr, buf: b.buf[off : off+perNode*hashLen], level: i + 1}
	}
}

// chunk writes all of r and returns the root.
func (b *blobBuilder) chunk(ctx context.Context, r io.Reader) (node, hash, error) {
	if b.wr == nil {
		return node{}, hash{}, nil
	}
	h, _, err := b.wr.write(ctx, r)
	if err != nil && err != io.EOF {
		return node{}, hash{}, err
	}
	return b.last, h, nil
}

func (b *blobBuilder) write(ctx context.Context, val []byte, level int) (hash, error) {
	n := node{level: level, msg: append([]byte{byte(level)}, val...)}
	h, err := b.ns.write(ctx, n)
	if err != nil {
		return hash{}, err
	}
	if level == b.topLevel {
		b.last = n
	}
	return h, nil
}

type leafWriter struct {
	bb  *blobBuilder
	buf []byte
}

func (w *leafWriter) write(ctx context.Context, r io.Reader) (hash, int, error) {
	n, err := r.Read(w.buf)
	if err != nil {
		return hash{}, 0, err
	}
	h, err := w.bb.write(ctx, w.buf[:n], 0)
	return h, 1, err
}

type levelWriter struct {
	bb    *blobBuilder
	child blobWriter
	buf   []byte
	level int
}

func (w *levelWriter) write(ctx context.Context, r io.Reader) (hash, int, error) {
	off, total := 0, 0
	for {
		h, n, err := w.child.write(ctx, r)
		if err != nil && err != io.EOF {
			return hash{}, 0, err
		}
		if n != 0 {
			total += n
			off += copy(w.buf[off:], h[:])
		}
		if off >= len(w.buf) || err == io.EOF {
			h, werr := w.bb.write(ctx, w.buf[:off], w.level)
			if werr != nil {
				return hash{}, 0, werr
			}
			return h, total, err
		}
	}
}

func serializeToAddr(ctx context.Context, ns nodeStore, r io.Reader, size int) (hash, error) {
	bb := ns.blobBuilder()
	defer ns.putBlobBuilder(bb)
	bb.init(size)
	_, addr, err := bb.chunk(ctx, r)
	if err != nil {
		return hash{}, err
	}
	return addr, nil
}

type tuple struct {
	inline map[int]string
	addrs  map[int]hash
}

func translateString(ctx context.Context, ns nodeStore, value string, inline bool, idx int, t *tuple) error {
	if inline {
		t.inline[idx] = value
		return nil
	}
	rd := strings.NewReader(value)
	bb := ns.blobBuilder()
	defer ns.putBlobBuilder(bb)
	bb.init(len(value))
	_, addr, err := bb.chunk(ctx, rd)
	if err != nil {
		return err
	}
	t.addrs[idx] = addr
	return nil
}

func translateJSON(ctx context.Context, ns nodeStore, value any, idx int, t *tuple) error {
	s, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("column %d: %w", idx, err)
	}
	bb := ns.blobBuilder()
	defer ns.putBlobBuilder(bb)
	bb.init(len(s))
	_, addr, err := bb.chunk(ctx, bytes.NewReader(s))
	if err != nil {
		return err
	}
	t.addrs[idx] = addr
	return nil
}

func translateBlob(ctx context.Context, ns nodeStore, value io.ReaderAt, size int, idx int, t *tuple) error {
	buf := make([]byte, size)
	if _, err := value.ReadAt(buf, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	addr, err := serializeToAddr(ctx, ns, bytes.NewReader(buf), size)
	if err != nil {
		return err
	}
	t.addrs[idx] = addr
	return nil
}
