// Package bug applies what a group of servers has agreed on.
package bug

import (
	"errors"
	"log"
	"sync"
)

const (
	entryNormal = iota
	entrySnapshot
)

type entry struct {
	kind byte
	data []byte
}

// A decision holds entries of the group's log.
type decision struct {
	index   uint64
	entries []*entry
}

var (
	entryPool    = sync.Pool{New: func() any { return &entry{} }}
	decisionPool = sync.Pool{New: func() any { return &decision{} }}
)

func newEntry(kind byte, data []byte) *entry {
	e := entryPool.Get().(*entry)
	e.kind, e.data = kind, data
	return e
}

func newDecision(index uint64, entries []*entry) *decision {
	c := decisionPool.Get().(*decision)
	c.index, c.entries = index, entries
	return c
}

func (c *decision) recycle() {
	if c == nil {
		return
	}
	for _, e := range c.entries {
		e.data = nil
		entryPool.Put(e)
	}
	c.index, c.entries = 0, nil
	decisionPool.Put(c)
}

// A queue holds what was committed and not yet applied. A nil in it says that
// the log was replayed.
type queue struct {
	sync.Mutex
	ready chan struct{}
	list  []*decision
}

func newQueue() *queue { return &queue{ready: make(chan struct{}, 1)} }

func (q *queue) push(c *decision) {
	q.Lock()
	q.list = append(q.list, c)
	q.Unlock()
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

func (q *queue) pop() []*decision {
	q.Lock()
	defer q.Unlock()
	list := q.list
	q.list = nil
	return list
}

// drain gives back what nobody will apply.
func (q *queue) drain() {
	for _, c := range q.pop() {
		c.recycle()
	}
}

type node struct {
	apply *queue
	index uint64
	bytes uint64
}

func (n *node) commit(index uint64, commands ...[]byte) {
	entries := make([]*entry, 0, len(commands))
	for _, data := range commands {
		entries = append(entries, newEntry(entryNormal, data))
	}
	n.apply.push(newDecision(index, entries))
}

func (n *node) applied(c *decision) (entries, bytes uint64) {
	n.index = c.index
	for _, e := range c.entries {
		n.bytes += uint64(len(e.data))
	}
	return n.index, n.bytes
}

var (
	errClosed = errors.New("closed")
	errSpace  = errors.New("no space left")
)

type store interface {
	Apply(kind byte, data []byte) error
	Snapshot()
	Full()
}

func apply(s store, c *decision, recovering bool) error {
	for _, e := range c.entries {
		if e.kind == entrySnapshot && !recovering {
			continue
		}
		if err := s.Apply(e.kind, e.data); err != nil {
			return err
		}
	}
	return nil
}

func followStream(n *node, s store, quit <-chan struct{}) {
	defer n.apply.drain()
	recovering := true
	for {
		select {
		case <-quit:
			s.Snapshot()
			return
		case <-n.apply.ready:
			var entries, bytes uint64
			list := n.apply.pop()
			for _, c := range list {
				if c == nil {
					recovering = false
					continue
				}
				if err := apply(s, c, recovering); err == nil {
					entries, bytes = n.applied(c)
					c.recycle()
				} else {
					if errors.Is(err, errClosed) {
						return
					}
					log.Printf("apply to the stream: %v", err)
					if errors.Is(err, errSpace) {
						s.Full()
					}
				}
			}
			if entries > 1<<16 || bytes > 8<<20 {
				s.Snapshot()
			}
		}
	}
}

func followConsumer(n *node, s store, quit <-chan struct{}) {
	defer n.apply.drain()
	recovering := true
	for {
		select {
		case <-quit:
			s.Snapshot()
			return
		case <-n.apply.ready:
			for _, c := range n.apply.pop() {
				if c == nil {
					recovering = false
				} else if err := apply(s, c, recovering); err == nil {
					entries, bytes := n.applied(c)
					c.recycle()
					if entries > 1<<16 || bytes > 8<<20 {
						s.Snapshot()
					}
				} else if !errors.Is(err, errClosed) {
					log.Printf("apply to the consumer: %v", err)
				}
			}
		}
	}
}
