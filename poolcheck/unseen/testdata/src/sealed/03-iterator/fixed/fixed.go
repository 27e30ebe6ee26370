// Package fixed exports ranges of a sorted store, whose cursors are used again
// after they were closed.
package fixed

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"sort"
	"sync"
)

type record struct{ key, value []byte }

// A table is sorted by its keys and never changes.
type table struct{ records []record }

// A cursor copies keys and values into buffers of its own, which are valid
// until it moves.
type cursor struct {
	table        *table
	lower, upper []byte
	pos          int
	key, value   []byte
	err          error
}

var cursors = sync.Pool{New: func() any { return new(cursor) }}

type store struct {
	mu      sync.Mutex
	current *table
}

func (s *store) open(lower, upper []byte) *cursor {
	s.mu.Lock()
	t := s.current
	s.mu.Unlock()
	c := cursors.Get().(*cursor)
	c.table = t
	c.lower = append(c.lower[:0], lower...)
	c.upper = append(c.upper[:0], upper...)
	c.pos = -1
	return c
}

func (c *cursor) first() bool {
	c.pos = sort.Search(len(c.table.records), func(i int) bool {
		return bytes.Compare(c.table.records[i].key, c.lower) >= 0
	})
	return c.load()
}

func (c *cursor) next() bool {
	c.pos++
	return c.load()
}

func (c *cursor) valid() bool {
	return c.pos >= 0 && c.pos < len(c.table.records) &&
		(len(c.upper) == 0 || bytes.Compare(c.table.records[c.pos].key, c.upper) < 0)
}

func (c *cursor) load() bool {
	if !c.valid() {
		return false
	}
	r := c.table.records[c.pos]
	if len(r.key) == 0 {
		c.err = errors.New("a record without a key")
		return false
	}
	c.key = append(c.key[:0], r.key...)
	c.value = append(c.value[:0], r.value...)
	return true
}

// close gives the cursor back. It must not be used any more.
func (c *cursor) close() {
	*c = cursor{lower: c.lower, upper: c.upper, key: c.key, value: c.value}
	cursors.Put(c)
}

// An iterator is what the other packages know of a store.
type iterator interface {
	next() bool
	key() []byte
	value() []byte
	error() error

	// release may be called more than once.
	release()
}

type rangeIterator struct {
	cur     *cursor
	atFirst bool
	closed  bool
}

// iterate iterates over the keys with a prefix, from start on.
func (s *store) iterate(prefix, start []byte) iterator {
	cur := s.open(slices.Concat(prefix, start), behind(prefix))
	cur.first()
	return &rangeIterator{cur: cur, atFirst: true}
}

func (it *rangeIterator) next() bool {
	if it.atFirst {
		it.atFirst = false
		return it.cur.valid()
	}
	return it.cur.next()
}

func (it *rangeIterator) key() []byte   { return it.cur.key }
func (it *rangeIterator) value() []byte { return it.cur.value }
func (it *rangeIterator) error() error  { return it.cur.err }

func (it *rangeIterator) release() {
	if !it.closed {
		it.closed = true
		it.cur.close()
	}
}

// behind returns the first key behind those with a prefix.
func behind(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			limit := bytes.Clone(prefix[:i+1])
			limit[i]++
			return limit
		}
	}
	return nil
}

type header struct {
	count uint64
	bytes uint64
}

func writeRecord(w io.Writer, key, value []byte) error {
	var sizes [8]byte
	binary.BigEndian.PutUint32(sizes[:4], uint32(len(key)))
	binary.BigEndian.PutUint32(sizes[4:], uint32(len(value)))
	for _, p := range [][]byte{sizes[:], key, value} {
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	return nil
}

// export writes the records with a prefix, and after them how many there were.
func export(w io.Writer, s *store, prefix []byte) error {
	it := s.iterate(prefix, nil)
	defer it.release()

	var h header
	for it.next() {
		if err := writeRecord(w, it.key(), it.value()); err != nil {
			return err
		}
		h.count++
		h.bytes += uint64(len(it.key()) + len(it.value()))
	}
	if err := it.error(); err != nil {
		return err
	}
	// The table need not stay in memory while the rest is written.
	it.release()

	if err := binary.Write(w, binary.BigEndian, h.count); err != nil {
		return err
	}
	return binary.Write(w, binary.BigEndian, h.bytes)
}

// has tells whether there is a record with a prefix.
func has(s *store, prefix []byte) (bool, error) {
	it := s.iterate(prefix, nil)
	defer it.release()
	return it.next(), it.error()
}
