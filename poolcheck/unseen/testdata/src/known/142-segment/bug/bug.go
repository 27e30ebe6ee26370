// Package bug looks up sets of numbers in a segment, a file that does not change
// once it is written, and of which all or nothing is in memory.
package bug

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

var (
	errNotFound = errors.New("not found")
	errStrategy = errors.New("segment has no sets")
)

const strategySets = 3

type offsets struct {
	start, end uint64
}

// meteredReader tells how long reads take.
type meteredReader struct {
	r    io.ReaderAt
	note func(bytes int, took time.Duration)
}

func (m *meteredReader) ReadAt(p []byte, off int64) (int, error) {
	start := time.Now()
	n, err := m.r.ReadAt(p, off)
	m.note(n, time.Since(start))
	return n, err
}

// node is one key with the numbers that were added to its set and those that
// were deleted from it: each list behind its length, and the key at the end.
type node struct {
	data []byte
}

func (n *node) list(at int) []byte {
	b := n.data
	for ; at > 0; at-- {
		b = b[8+binary.LittleEndian.Uint64(b):]
	}
	return b[8 : 8+binary.LittleEndian.Uint64(b)]
}

func (n *node) additions() []byte     { return n.list(0) }
func (n *node) deletions() []byte     { return n.list(1) }
func (n *node) additionsCopy() []byte { return bytes.Clone(n.list(0)) }
func (n *node) deletionsCopy() []byte { return bytes.Clone(n.list(1)) }

// layer is what one segment knows of a set.
type layer struct {
	additions, deletions []byte
}

type segment struct {
	path     string
	strategy int
	size     int64
	file     *os.File
	inMemory bool
	contents []byte
	index    map[string]offsets
	maybe    func(key []byte) bool
	note     func(operation string, bytes int, took time.Duration)
}

var bufReaders *sync.Pool

func init() {
	bufReaders = &sync.Pool{New: func() any { return bufio.NewReader(nil) }}
}

// readerAt gives a reader that starts at an offset, and what to call when it is
// not needed any more.
func (s *segment) readerAt(off uint64, operation string) (io.Reader, func(), error) {
	if s.file == nil {
		return nil, nil, fmt.Errorf("segment %s is not open", s.path)
	}
	metered := &meteredReader{r: s.file, note: func(n int, took time.Duration) { s.note(operation, n, took) }}
	r := bufReaders.Get().(*bufio.Reader)
	r.Reset(io.NewSectionReader(metered, int64(off), s.size))
	release := func() {
		bufReaders.Put(r)
	}
	return r, release, nil
}

// nodeReader reads one node, wherever the segment is.
type nodeReader struct {
	io.Reader
	release func()
}

func (r *nodeReader) Release() {
	if r.release != nil {
		r.release()
	}
}

func (s *segment) newNodeReader(at offsets, operation string) (*nodeReader, error) {
	if s.inMemory {
		return &nodeReader{Reader: bytes.NewReader(s.contents[at.start:at.end])}, nil
	}
	r, release, err := s.readerAt(at.start, operation)
	if err != nil {
		return nil, fmt.Errorf("new reader of a node: %w", err)
	}
	return &nodeReader{Reader: r, release: release}, nil
}

// copyNode reads the bytes of a node into b.
func (s *segment) copyNode(b []byte, at offsets) error {
	r, err := s.newNodeReader(at, "copy")
	if err != nil {
		return fmt.Errorf("copying a node: %w", err)
	}
	defer r.Release()
	_, err = io.ReadFull(r, b)
	return err
}

// setNode gives a node, and whether it is the caller's alone.
func (s *segment) setNode(at offsets) (*node, bool, error) {
	var contents []byte
	own := false
	if s.inMemory {
		contents = s.contents[at.start:at.end]
	} else {
		contents = make([]byte, at.end-at.start)
		r, _, err := s.readerAt(at.start, "set")
		if err != nil {
			return nil, false, err
		}
		if _, err = io.ReadFull(r, contents); err != nil {
			return nil, false, err
		}
		own = true
	}
	return &node{data: contents}, own, nil
}

// set gives what the segment knows of the set of a key. It is the caller's.
func (s *segment) set(key []byte) (layer, error) {
	var out layer
	if s.strategy != strategySets {
		return out, errStrategy
	}
	if s.maybe != nil && !s.maybe(key) {
		return out, errNotFound
	}
	at, ok := s.index[string(key)]
	if !ok {
		return out, errNotFound
	}
	n, own, err := s.setNode(at)
	if err != nil {
		return out, err
	}
	if own {
		out.additions, out.deletions = n.additions(), n.deletions()
	} else {
		// The memory of the segment may be gone when the caller reads.
		out.additions, out.deletions = n.additionsCopy(), n.deletionsCopy()
	}
	return out, nil
}
