// Package bug uploads the blocks of a slice, after writing them to a local
// stage where that is asked for.
package bug

import (
	"errors"
	"log"
	"math/bits"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

var pools [33]sync.Pool

func init() {
	for i := range pools {
		pools[i].New = func() any {
			b := make([]byte, 1<<i)
			return &b
		}
	}
}

func alloc(size int) []byte {
	return (*pools[bits.Len(uint(size-1))].Get().(*[]byte))[:size]
}

func free(b []byte) {
	b = b[:cap(b)]
	pools[bits.Len(uint(len(b)-1))].Put(&b)
}

// A page is freed with its last reference.
type page struct {
	refs int32
	data []byte
}

func newPage(size int) *page { return &page{refs: 1, data: alloc(size)} }

func (p *page) acquire() { atomic.AddInt32(&p.refs, 1) }

func (p *page) release() {
	if atomic.AddInt32(&p.refs, -1) == 0 {
		free(p.data)
		p.data = nil
	}
}

var errTimeout = errors.New("timeout")

func withTimeout(f func() error, timeout time.Duration) error {
	done := make(chan struct{}, 1)
	t := time.NewTimer(timeout)
	var err error
	go func() {
		err = f()
		done <- struct{}{}
	}()
	select {
	case <-done:
		t.Stop()
	case <-t.C:
		err = errTimeout
	}
	return err
}

type store struct {
	writeback bool
	dir       string
	timeout   time.Duration
	put       func(key string, data []byte) error
	slots     chan bool
	delayed   chan string
}

func (s *store) stage(key string, data []byte) (string, error) {
	path := s.dir + "/" + key
	return path, os.WriteFile(path, data, 0o600)
}

// upload releases the block.
func (s *store) upload(key string, block *page) error {
	defer block.release()
	return s.put(key, block.data)
}

type slice struct {
	store  *store
	pages  [][]*page
	errors chan error
}

func (s *slice) upload(key string, i, size int) {
	pages := s.pages[i]
	s.pages[i] = nil
	go func() {
		var block *page
		if len(pages) == 1 {
			block = pages[0]
		} else {
			block = newPage(size)
			off := 0
			for _, p := range pages {
				off += copy(block.data[off:], p.data)
				p.release()
			}
		}
		if s.store.writeback {
			path := "unknown"
			err := withTimeout(func() (err error) {
				path, err = s.store.stage(key, block.data)
				return err
			}, s.store.timeout)
			if err == nil {
				s.errors <- nil
				block.release()
				s.store.delayed <- path
				return
			}
			log.Printf("staging %s: %v; uploading it", path, err)
		}
		s.store.slots <- true
		defer func() { <-s.store.slots }()
		s.errors <- s.store.upload(key, block)
	}()
}
