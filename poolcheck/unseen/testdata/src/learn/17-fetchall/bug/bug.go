// Package bug fetches series from the replicas that hold them.
package bug

import (
	"errors"
	"sync"
	"sync/atomic"
)

type iterator interface{ Next() bool }

// An objectPool holds a bounded number of objects.
type objectPool struct {
	values chan any
	alloc  func() any
}

func (p *objectPool) Get() any {
	select {
	case v := <-p.values:
		return v
	default:
		return p.alloc()
	}
}

func (p *objectPool) Put(v any) {
	select {
	case p.values <- v:
	default:
	}
}

type iteratorArrays struct{ pool *objectPool }

func (p *iteratorArrays) get(n int) []iterator {
	if arr := p.pool.Get().([]iterator); cap(arr) >= n {
		return arr[:0]
	}
	return make([]iterator, 0, n)
}

func (p *iteratorArrays) put(arr []iterator) {
	arr = arr[:cap(arr)]
	clear(arr)
	p.pool.Put(arr[:0])
}

// A seriesIterator merges replicas. It copies what Reset is given.
type seriesIterator struct {
	id       string
	replicas []iterator
}

func (s *seriesIterator) Reset(id string, replicas []iterator) {
	s.id = id
	s.replicas = append(s.replicas[:0], replicas...)
}

type op struct {
	id   string
	done func(result iterator, err error)
}

type session struct {
	arrays   iteratorArrays
	majority int32
	route    func(id string) []chan<- op
}

func (s *session) fetchAll(ids []string) ([]*seriesIterator, error) {
	var (
		wg      sync.WaitGroup
		errLock sync.Mutex
		failed  error
		iters   = make([]*seriesIterator, len(ids))
	)
	for idx := range ids {
		var (
			wgIsDone int32
			results  []iterator
			enqueued int32
			pending  int32
			next     int32
			success  int32
			errs     int32
		)
		wg.Add(1)
		complete := func() {
			if enqueued-atomic.LoadInt32(&errs) < s.majority {
				errLock.Lock()
				failed = errors.New("no majority")
				errLock.Unlock()
			} else {
				snapshot := atomic.LoadInt32(&success)
				it := new(seriesIterator)
				it.Reset(ids[idx], results[:snapshot])
				iters[idx] = it
			}
			wg.Done()
		}
		done := func(result iterator, err error) {
			var snapshot int32
			if err != nil {
				atomic.AddInt32(&errs, 1)
			} else {
				results[atomic.AddInt32(&next, 1)-1] = result
				snapshot = atomic.AddInt32(&success, 1)
			}
			doneAll := atomic.AddInt32(&pending, -1) == 0
			if (snapshot >= s.majority || doneAll) && atomic.CompareAndSwapInt32(&wgIsDone, 0, 1) {
				complete()
			}
			if doneAll {
				s.arrays.put(results)
			}
		}

		hosts := s.route(ids[idx])
		enqueued = int32(len(hosts))
		pending = enqueued
		results = s.arrays.get(len(hosts))
		results = results[:len(hosts)]
		for _, host := range hosts {
			host <- op{ids[idx], done}
		}
	}
	wg.Wait()
	return iters, failed
}
