// Package merging writes batches, and those of others with them.
package merging

import "sync"

type batch struct {
	data []byte
	size int
}

// A request has a batch, or one record.
type request struct {
	batch      *batch
	key, value []byte
}

type store struct {
	pool     sync.Pool
	free     int
	requests chan request
	done     chan error
}

func (s *store) room() (int, error) { return s.free, nil }

func (s *store) apply(b *batch) { s.free -= b.size }

// ok: a batch belongs to its sender, also after it was written.
func (s *store) writeAll(first, own *batch) error {
	s.pool.Put(own)
	room, err := s.room()
	if err != nil {
		return err
	}
	batches := []*batch{first}
	limit := min(1<<16, room-first.size)
merging:
	for limit > 0 {
		select {
		case r := <-s.requests:
			batches = append(batches, r.batch)
			limit -= len(r.key) + len(r.value) + r.batch.size
		default:
			break merging
		}
	}
	for _, b := range batches {
		s.apply(b)
	}
	for range len(batches) - 1 {
		s.done <- nil
	}
	return nil
}
