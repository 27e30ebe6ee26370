package oct004

import (
	"bytes"
	"container/list"
	"encoding/json"
	"errors"
	"io"
	"sync"
)

// A job waits in a queue, or goes back.
type job struct {
	id   int
	body []byte
}

var jobs = sync.Pool{New: func() any { return new(job) }}

func getJob() *job {
	j := jobs.Get().(*job)
	j.id, j.body = 0, j.body[:0]
	return j
}

func putJob(j *job) { jobs.Put(j) }

type jobQueue struct {
	mu     sync.Mutex
	closed bool
	items  []*job
	byID   map[int]*job
	recent *list.List
}

func (q *jobQueue) push(j *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	q.items = append(q.items, j)
}

// bad: a queue that is closed drops the job.
func (q *jobQueue) submit(v any) error {
	j := getJob() // want "OCT004: j is not released on every path"
	b, err := json.Marshal(v)
	if err != nil {
		putJob(j)
		return err
	}
	j.body = append(j.body, b...)
	q.push(j)
	return nil
}

func (q *jobQueue) remember(j *job, keep bool) {
	if keep {
		q.recent.PushBack(j)
	}
}

// bad: what is not kept goes nowhere.
func (q *jobQueue) handle(p []byte, w io.Writer) {
	j := getJob() // want "OCT004: j is not released on every path"
	j.body = append(j.body, p...)
	if _, err := w.Write(j.body); err != nil {
		putJob(j)
		return
	}
	q.remember(j, len(p) > 4)
}

// ok: who is told puts back what was not kept.
func (q *jobQueue) handleRight(p []byte) {
	j := getJob()
	j.body = append(j.body, p...)
	keep := len(p) > 4
	q.remember(j, keep)
	if !keep {
		putJob(j)
	}
}

func (q *jobQueue) offer(j *job) bool {
	if _, ok := q.byID[j.id]; ok {
		return false
	}
	q.byID[j.id] = j
	return true
}

// ok: who does not look whether the job was taken knows that it was.
func (q *jobQueue) add(id int, p []byte) {
	j := getJob()
	j.id, j.body = id, append(j.body, p...)
	q.offer(j)
}

// ok: a job that was not taken goes back.
func (q *jobQueue) addRight(id int, p []byte) {
	j := getJob()
	j.id, j.body = id, append(j.body, p...)
	if !q.offer(j) {
		putJob(j)
	}
}

// bad: the same, but who calls cannot know.
func (q *jobQueue) addBlind(id int, p []byte) {
	j := getJob() // want "OCT004: j is not released on every path"
	j.id, j.body = id, append(j.body, p...)
	if _, ok := q.byID[id]; !ok {
		q.byID[id] = j
	}
}

func (q *jobQueue) tryPush(j *job) error {
	if q.closed {
		return errors.New("closed")
	}
	q.items = append(q.items, j)
	return nil
}

// ok: the error says that the job was not taken.
func (q *jobQueue) pushRight(p []byte) error {
	j := getJob()
	j.body = append(j.body, p...)
	if err := q.tryPush(j); err != nil {
		putJob(j)
		return err
	}
	return nil
}

type textNode struct {
	next *textNode
	buf  *bytes.Buffer
}

type textChain struct{ head *textNode }

func (c *textChain) insert(n *textNode) {
	if c.head == nil {
		c.head = n
		return
	}
	last := c.head
	for last.next != nil {
		last = last.next
	}
	last.next = n
}

var texts = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// ok: every way through insert stores the node.
func (c *textChain) add(p []byte) {
	b := texts.Get().(*bytes.Buffer)
	b.Write(p)
	c.insert(&textNode{buf: b})
}

// ok: the buffers of a chain go back.
func (c *textChain) drain() {
	for n := c.head; n != nil; n = n.next {
		n.buf.Reset()
		texts.Put(n.buf)
	}
}
