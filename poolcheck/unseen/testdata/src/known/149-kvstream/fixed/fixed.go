// Package fixed streams a snapshot of a store: some goroutines read ranges of
// keys into lists, copied into arenas, and one sends the lists in batches.
package fixed

import (
	"context"
	"sync"
	"sync/atomic"
)

const (
	arenaSize = 1 << 20
	batchSize = 16 << 20
	maxStream = 100 << 20
	numGo     = 16
)

var pages = sync.Pool{New: func() any {
	p := make([]byte, arenaSize)
	return &p
}}

// An arena gives out parts of its pages, all of which go back with Release.
type arena struct {
	ref   uint64
	pages []*[]byte
	used  int
	size  int
}

var (
	arenas  sync.Map // by ref
	lastRef atomic.Uint64
)

func newArena() *arena {
	a := &arena{ref: lastRef.Add(1), pages: []*[]byte{pages.Get().(*[]byte)}}
	arenas.Store(a.ref, a)
	return a
}

func arenaFrom(ref uint64) *arena {
	v, _ := arenas.Load(ref)
	a, _ := v.(*arena)
	return a
}

// Copy copies p, which is smaller than a page.
func (a *arena) Copy(p []byte) []byte {
	a.size += len(p)
	if a.used+len(p) > arenaSize {
		a.pages = append(a.pages, pages.Get().(*[]byte))
		a.used = 0
	}
	out := (*a.pages[len(a.pages)-1])[a.used:][:len(p):len(p)]
	a.used += copy(out, p)
	return out
}

// Release puts the pages back. The arena is not used afterwards.
func (a *arena) Release() {
	if a == nil {
		return
	}
	arenas.Delete(a.ref)
	for _, p := range a.pages {
		pages.Put(p)
	}
}

type kv struct {
	key, value []byte
	done       bool
}

type kvList struct {
	kvs   []*kv
	size  int
	arena uint64
}

type keyRange struct{ left, right []byte }

type store interface {
	ranges(ctx context.Context) <-chan keyRange
	// scan calls fn with memory that is good until fn returns.
	scan(r keyRange, fn func(key, value []byte) error) error
}

// A stream calls send with what toKV makes of all keys, which may be in the
// arena of the thread or elsewhere. It runs once.
type stream struct {
	db          store
	doneMarkers bool
	toKV        func(threadID int, key, value []byte) *kv
	send        func(*kvList) error

	rangeCh <-chan keyRange
	kvChan  chan *kvList

	mu     sync.RWMutex
	arenas map[int]*arena
	made   []*arena
}

func (st *stream) copyKV(threadID int, key, value []byte) *kv {
	st.mu.RLock()
	a := st.arenas[threadID]
	st.mu.RUnlock()
	return &kv{key: a.Copy(key), value: a.Copy(value)}
}

// newArena returns the arena of a thread, a new one if that was used.
func (st *stream) newArena(threadID int) *arena {
	st.mu.Lock()
	defer st.mu.Unlock()
	if cur, ok := st.arenas[threadID]; ok && cur.size == 0 {
		return cur
	}
	a := newArena()
	st.arenas[threadID] = a
	st.made = append(st.made, a)
	return a
}

func (st *stream) produceKVs(ctx context.Context, threadID int) error {
	iterate := func(r keyRange) error {
		out := &kvList{arena: st.newArena(threadID).ref}
		sendIt := func() error {
			select {
			case st.kvChan <- out:
			case <-ctx.Done():
				return ctx.Err()
			}
			out = &kvList{arena: st.newArena(threadID).ref}
			return nil
		}
		err := st.db.scan(r, func(key, value []byte) error {
			kv := st.toKV(threadID, key, value)
			out.size += len(kv.key) + len(kv.value)
			out.kvs = append(out.kvs, kv)
			if out.size < batchSize {
				return nil
			}
			return sendIt()
		})
		if err != nil {
			return err
		}
		if st.doneMarkers {
			out.kvs = append(out.kvs, &kv{done: true})
		}
		if len(out.kvs) > 0 {
			return sendIt()
		}
		return nil
	}
	for r := range st.rangeCh {
		if err := iterate(r); err != nil {
			return err
		}
	}
	return nil
}

func (st *stream) streamKVs(ctx context.Context) error {
	slurp := func(batch *kvList) error {
		for batch.size <= maxStream {
			select {
			case kvs, ok := <-st.kvChan:
				if ok {
					batch.size += kvs.size
					batch.kvs = append(batch.kvs, kvs.kvs...)
					continue
				}
			default:
			}
			break
		}
		return st.send(batch)
	}

	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case batch, ok := <-st.kvChan:
			if !ok {
				return nil
			}
			if err := slurp(batch); err != nil {
				return err
			}
		}
	}
}

func (st *stream) orchestrate(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	st.rangeCh = st.db.ranges(ctx)
	var wg sync.WaitGroup
	for i := range numGo {
		wg.Go(func() {
			if err := st.produceKVs(ctx, i); err != nil {
				cancel(err)
			}
		})
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		if err := st.streamKVs(ctx); err != nil {
			cancel(err)
		}
	}()
	wg.Wait()
	close(st.kvChan)
	<-sent

	for _, a := range st.made {
		a.Release()
	}
	return context.Cause(ctx)
}

func newStream(db store, send func(*kvList) error) *stream {
	st := &stream{db: db, send: send, arenas: make(map[int]*arena), kvChan: make(chan *kvList, 32)}
	st.toKV = st.copyKV
	return st
}
