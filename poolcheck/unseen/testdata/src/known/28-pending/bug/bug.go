// Package bug sends batches and keeps each until the other side confirms it.
package bug

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"time"
)

var batchPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func getBatch() *bytes.Buffer {
	b := batchPool.Get().(*bytes.Buffer)
	b.Reset()
	return b
}

type sendRequest struct {
	payload  []byte
	callback func(id uint64, err error)
}

type pending struct {
	sync.Mutex
	batch    *bytes.Buffer
	sequence uint64
	sentAt   time.Time
	requests []*sendRequest
	done     bool
}

// A queue may be used by several goroutines at the same time.
type queue struct {
	mu    sync.Mutex
	items []*pending
}

func (q *queue) put(p *pending) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, p)
}

func (q *queue) peek() *pending {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return nil
	}
	return q.items[0]
}

func (q *queue) poll() *pending {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return nil
	}
	p := q.items[0]
	q.items = q.items[1:]
	return p
}

// remove takes an item out, unless it is out already.
func (q *queue) remove(p *pending) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.items, p); i >= 0 {
		q.items = slices.Delete(q.items, i, i+1)
	}
}

func (q *queue) view() []*pending {
	q.mu.Lock()
	defer q.mu.Unlock()
	return append([]*pending(nil), q.items...)
}

type connection interface {
	// WriteData copies the batch before it returns.
	WriteData(batch *bytes.Buffer)
	Close()
}

var (
	errTimeout = errors.New("no receipt in time")
	errClosed  = errors.New("closed")
)

// One goroutine calls the methods of a producer, except received, which the
// connection calls.
type producer struct {
	conn    connection
	queue   queue
	timeout time.Duration
	slots   chan struct{}
	closed  chan struct{}
	next    uint64
}

func newProducer(c connection, timeout time.Duration) *producer {
	p := &producer{conn: c, timeout: timeout, slots: make(chan struct{}, 1000), closed: make(chan struct{})}
	go p.failTimeouts()
	return p
}

func (p *producer) send(requests []*sendRequest) {
	batch := getBatch()
	for _, r := range requests {
		p.slots <- struct{}{}
		batch.Write(r.payload)
	}
	p.next++
	item := &pending{batch: batch, sequence: p.next, sentAt: time.Now(), requests: requests}
	item.Lock()
	defer item.Unlock()
	p.queue.put(item)
	p.conn.WriteData(batch)
}

// reconnected sends again what has not been confirmed.
func (p *producer) reconnected(c connection) {
	p.conn = c
	for _, item := range p.queue.view() {
		item.Lock()
		if !item.done {
			p.conn.WriteData(item.batch)
		}
		item.Unlock()
	}
}

func (p *producer) failTimeouts() {
	t := time.NewTimer(p.timeout)
	defer t.Stop()
	for {
		select {
		case <-p.closed:
			for item := p.queue.poll(); item != nil; item = p.queue.poll() {
				item.Lock()
				p.fail(item, errClosed)
				item.Unlock()
			}
			return
		case <-t.C:
		}
		view := p.queue.view()
		t.Reset(p.timeout)
		if len(view) == 0 {
			continue
		}
		last := view[len(view)-1]
		for range view {
			item := p.queue.peek()
			if item == nil {
				break
			}
			item.Lock()
			if wait := p.timeout - time.Since(item.sentAt); wait > 0 {
				t.Reset(wait)
				item.Unlock()
				break
			}
			p.queue.remove(item)
			p.fail(item, errTimeout)
			item.Unlock()
			if item == last {
				break
			}
		}
	}
}

func (p *producer) fail(item *pending, err error) {
	p.answer(item, err)
	item.done = true
	batchPool.Put(item.batch)
}

// received handles the receipt of a batch.
func (p *producer) received(sequence uint64) {
	item := p.queue.peek()
	if item == nil || sequence < item.sequence {
		return
	}
	if sequence > item.sequence {
		p.conn.Close()
		return
	}
	p.queue.remove(item)

	item.Lock()
	defer item.Unlock()
	p.answer(item, nil)
	item.done = true
	batchPool.Put(item.batch)
}

func (p *producer) answer(item *pending, err error) {
	for _, r := range item.requests {
		<-p.slots
		if r.callback != nil {
			r.callback(item.sequence, err)
		}
	}
}
