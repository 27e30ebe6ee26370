// Package bug is the write path of a key-value store, where the writer that
// has the lock takes over what others want to write at the same time.
package bug

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"
)

var errClosed = errors.New("closed")

type kind byte

const (
	kindDelete kind = iota
	kindPut
)

type entry struct {
	kind            kind
	key, keyEnd     int
	value, valueEnd int
}

// A batch has records as the journal has them.
type batch struct {
	data  []byte
	index []entry
	size  int
}

func (b *batch) reset() {
	b.data = b.data[:0]
	b.index = b.index[:0]
	b.size = 0
}

func (b *batch) appendRec(k kind, key, value []byte) {
	e := entry{kind: k}
	b.data = append(b.data, byte(k))
	b.data = binary.AppendUvarint(b.data, uint64(len(key)))
	e.key = len(b.data)
	b.data = append(b.data, key...)
	e.keyEnd = len(b.data)
	if k == kindPut {
		b.data = binary.AppendUvarint(b.data, uint64(len(value)))
		e.value = len(b.data)
		b.data = append(b.data, value...)
		e.valueEnd = len(b.data)
	}
	b.index = append(b.index, e)
	b.size += len(key) + len(value) + 8
}

type record struct {
	kind  kind
	value string
	seq   uint64
}

type memTable struct {
	recs map[string]record
	free int
}

func newMemTable(free int) *memTable { return &memTable{recs: make(map[string]record), free: free} }

func (m *memTable) apply(b *batch, seq uint64) {
	for i, e := range b.index {
		m.recs[string(b.data[e.key:e.keyEnd])] = record{
			kind:  e.kind,
			value: string(b.data[e.value:e.valueEnd]),
			seq:   seq + uint64(i),
		}
	}
	m.free -= b.size
}

type writeMerge struct {
	batch      *batch
	kind       kind
	key, value []byte
}

type store struct {
	journal   io.Writer
	mem       *memTable
	seq       uint64
	batchPool sync.Pool
	lockC     chan struct{}
	mergeC    chan writeMerge
	mergedC   chan bool
	ackC      chan error
	closeC    chan struct{}
}

func open(journal io.Writer) *store {
	return &store{
		journal:   journal,
		mem:       newMemTable(4 << 20),
		batchPool: sync.Pool{New: func() any { return new(batch) }},
		lockC:     make(chan struct{}, 1),
		mergeC:    make(chan writeMerge),
		mergedC:   make(chan bool),
		ackC:      make(chan error),
		closeC:    make(chan struct{}),
	}
}

// flush returns a table that has room for n bytes.
func (s *store) flush(n int) (*memTable, int, error) {
	select {
	case <-s.closeC:
		return nil, 0, errClosed
	default:
	}
	if s.mem.free < n {
		s.mem = newMemTable(max(n, 4<<20))
	}
	return s.mem, s.mem.free, nil
}

func (s *store) writeJournal(batches []*batch, seq uint64) error {
	var head [12]byte
	binary.LittleEndian.PutUint64(head[:], seq)
	for _, b := range batches {
		binary.LittleEndian.PutUint32(head[8:], uint32(len(b.index)))
		for _, p := range [][]byte{head[:], b.data} {
			if _, err := s.journal.Write(p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *store) unlock(overflow bool, merged int, err error) {
	for range merged {
		s.ackC <- err
	}
	if overflow {
		s.mergedC <- false
	} else {
		<-s.lockC
	}
}

// writeLocked writes b and what others hand over; ours is a batch that may be
// changed.
func (s *store) writeLocked(b, ours *batch, merge bool) error {
	mem, free, err := s.flush(b.size)
	if err != nil {
		s.unlock(false, 0, err)
		return err
	}

	var (
		overflow bool
		merged   int
		batches  = []*batch{b}
	)
	if merge {
		limit := min(128<<10, free-b.size)
	merging:
		for limit > 0 {
			select {
			case in := <-s.mergeC:
				if in.batch != nil {
					if in.batch.size > limit {
						overflow = true
						break merging
					}
					batches = append(batches, in.batch)
					limit -= in.batch.size
				} else {
					size := len(in.key) + len(in.value) + 8
					if size > limit {
						overflow = true
						break merging
					}
					if ours == nil {
						ours = s.batchPool.Get().(*batch)
						ours.reset()
						batches = append(batches, ours)
					}
					ours.appendRec(in.kind, in.key, in.value)
					limit -= size
				}
				merged++
				s.mergedC <- true
			default:
				break merging
			}
		}
	}

	seq := s.seq + 1
	if err := s.writeJournal(batches, seq); err != nil {
		s.unlock(overflow, merged, err)
		return err
	}
	for _, b := range batches {
		mem.apply(b, seq)
		seq += uint64(len(b.index))
	}
	s.seq = seq - 1
	s.unlock(overflow, merged, nil)
	return nil
}

// lock returns whether the lock was taken; if not, the write was merged into
// another or failed.
func (s *store) lock(w writeMerge) (bool, error) {
	select {
	case s.mergeC <- w:
		if <-s.mergedC {
			return false, <-s.ackC
		}
		return true, nil
	case s.lockC <- struct{}{}:
		return true, nil
	case <-s.closeC:
		return false, errClosed
	}
}

func (s *store) write(b *batch) error {
	ok, err := s.lock(writeMerge{batch: b})
	if ok {
		err = s.writeLocked(b, nil, true)
	}
	return err
}

func (s *store) putRec(k kind, key, value []byte) error {
	if ok, err := s.lock(writeMerge{kind: k, key: key, value: value}); !ok {
		return err
	}
	b := s.batchPool.Get().(*batch)
	b.reset()
	b.appendRec(k, key, value)
	return s.writeLocked(b, b, true)
}
