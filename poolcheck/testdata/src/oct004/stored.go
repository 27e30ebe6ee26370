package oct004

import (
	"bytes"
	"container/list"
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

func (q *jobQueue) remember(j *job, keep bool) {
	if keep {
		q.recent.PushBack(j)
	}
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

func (q *jobQueue) insert(j *job) {
	if q.byID != nil {
		q.byID[j.id] = j
	}
}

// ok: who cannot ask whether the job was taken knows that it was.
func (q *jobQueue) index() { q.insert(getJob()) }

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
