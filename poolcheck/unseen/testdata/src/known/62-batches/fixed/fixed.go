// Package fixed takes the records out of fetched batches, into pooled slices.
package fixed

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// A pool is one of the interfaces below, or several.
type pool any

type bytesPool interface {
	// GetBytes returns a slice to decompress into.
	GetBytes(packed []byte) []byte
	PutBytes([]byte)
}

type rawPool interface {
	GetRaw(n int) []rawRecord
	PutRaw([]rawRecord)
}

type recordsPool interface {
	GetRecords(n int) []record
	PutRecords([]record)
}

type pools []pool

// each calls f until it is true.
func (ps pools) each(f func(pool) bool) {
	for _, p := range ps {
		if f(p) {
			return
		}
	}
}

type rawRecord struct {
	delta int64
	value []byte
}

type record struct {
	offset  int64
	control bool
	value   []byte
	ctx     context.Context
}

type slicesKey struct{}

// recordSlices are the pooled slices that the records of a batch lie in.
type recordSlices struct {
	pools   pools
	kept    atomic.Int64
	bytes   []byte
	records []record
}

func newRecordSlices(ps pools, bytes []byte, records []record) (*recordSlices, context.Context) {
	s := &recordSlices{pools: ps, bytes: bytes, records: records}
	return s, context.WithValue(context.Background(), slicesKey{}, s)
}

// Recycle gives a record back, which is not used any more.
func (r *record) Recycle() {
	if r.ctx == nil {
		return
	}
	s, ok := r.ctx.Value(slicesKey{}).(*recordSlices)
	if !ok {
		return
	}
	*r = record{}
	if s.kept.Add(-1) > 0 {
		return
	}
	s.release()
}

func (s *recordSlices) release() {
	s.bytes = s.bytes[:cap(s.bytes)]
	s.records = s.records[:cap(s.records)]
	clear(s.bytes)
	s.pools.each(func(p pool) bool {
		if p, ok := p.(bytesPool); ok && len(s.bytes) > 0 {
			p.PutBytes(s.bytes)
			s.bytes = nil
		}
		if p, ok := p.(recordsPool); ok && len(s.records) > 0 {
			p.PutRecords(s.records)
			s.records = nil
		}
		return false
	})
}

// sized returns s with n elements.
func sized[S ~[]E, E any](s S, n int) S {
	s = s[:cap(s)]
	if len(s) >= n {
		return s[:n]
	}
	return append(s, make([]E, n-len(s))...)
}

// A decompressor takes the slice that it decompresses into from the pool, if
// there is one.
type decompressor interface {
	Decompress(packed []byte, kind byte) ([]byte, error)
}

type batch struct {
	first    int64
	count    int32
	kind     byte // of the compression; 0 if there is none
	control  bool
	producer int64
	data     []byte
}

// An aborter knows the producers whose transactions were aborted.
type aborter map[int64]bool

type partition struct {
	records []*record
	err     error
}

var errCount = errors.New("negative number of records")

func readRaw(dst []rawRecord, p []byte) []rawRecord {
	for i := range dst {
		if len(p) < 12 {
			return dst[:i]
		}
		n := int(binary.BigEndian.Uint32(p[8:]))
		if n > len(p)-12 {
			return dst[:i]
		}
		dst[i] = rawRecord{int64(binary.BigEndian.Uint64(p)), p[12 : 12+n]}
		p = p[12+n:]
	}
	return dst
}

type fetch struct {
	pools       pools
	offset      int64 // the next that is wanted
	keepControl bool
}

// batch returns how many records the batch has, and bytes when not compressed.
func (f *fetch) batch(b *batch, to *partition, aborted aborter, d decompressor) (int, int) {
	last := b.first + int64(b.count) - 1
	if last < f.offset {
		return 0, 0
	}

	var pooled bool
	data := b.data
	var unpacked []byte
	if b.kind != 0 {
		var err error
		if data, err = d.Decompress(data, b.kind); err != nil {
			to.err = fmt.Errorf("batch at %d: %w", b.first, err)
			return 0, 0
		}
		f.pools.each(func(p pool) bool {
			_, ok := p.(bytesPool)
			if ok {
				unpacked = data
				pooled = true
			}
			return ok
		})
	}

	size := len(data)
	n := int(b.count)
	if n < 0 {
		if unpacked != nil {
			f.pools.each(func(p pool) bool {
				bp, ok := p.(bytesPool)
				if ok {
					bp.PutBytes(unpacked)
				}
				return ok
			})
		}
		to.err = errCount
		return 0, 0
	}
	n = min(n, len(data))

	var raw []rawRecord
	var rawFrom rawPool
	f.pools.each(func(p pool) bool {
		var ok bool
		if rawFrom, ok = p.(rawPool); ok {
			raw = rawFrom.GetRaw(n)
		}
		return ok
	})
	if rawFrom != nil {
		defer func() { rawFrom.PutRaw(raw[:cap(raw)]) }()
	}
	raw = readRaw(sized(raw, n), data)
	if len(raw) < n {
		to.err = io.ErrUnexpectedEOF
	}
	defer func() { f.offset = max(f.offset, last+1) }()

	abort := aborted[b.producer]
	var records []record
	f.pools.each(func(p pool) bool {
		from, ok := p.(recordsPool)
		if ok {
			records = from.GetRecords(n)
			pooled = true
		}
		return ok
	})
	records = sized(records, n)

	var slices *recordSlices
	var ctx context.Context
	if pooled {
		slices, ctx = newRecordSlices(f.pools, unpacked, records)
	}
	var kept int64
	defer func() {
		if slices == nil {
			return
		}
		if kept > 0 {
			slices.kept.Add(kept)
			return
		}
		clear(slices.records)
		slices.release()
	}()

	for i := range raw {
		r := &records[i]
		*r = record{offset: b.first + raw[i].delta, control: b.control, value: raw[i].value, ctx: ctx}
		raw[i] = rawRecord{}
		if f.keep(to, r, abort) {
			kept++
		}
		if abort && r.control {
			delete(aborted, b.producer)
		}
	}
	return len(raw), size
}

func (f *fetch) keep(to *partition, r *record, abort bool) bool {
	if r.offset < f.offset {
		return false
	}
	if r.control {
		abort = !f.keepControl
	}
	f.offset = r.offset + 1
	if abort {
		return false
	}
	to.records = append(to.records, r)
	return true
}
