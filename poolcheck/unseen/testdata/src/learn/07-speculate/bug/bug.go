// Package bug runs queries that may be tried on several hosts at once.
package bug

import (
	"context"
	"sync"
	"time"
)

type metrics struct {
	mu       sync.Mutex
	attempts int
	latency  time.Duration
}

func (m *metrics) attempt(d time.Duration) {
	m.mu.Lock()
	m.attempts++
	m.latency += d
	m.mu.Unlock()
}

// A query comes from a pool and goes back with Release.
type query struct {
	stmt    string
	values  []any
	metrics *metrics
	session *session
}

var queries = &sync.Pool{New: func() any { return new(query) }}

type executable interface {
	execute(ctx context.Context, host string) *iter
	attempt(start, end time.Time)
}

type iter struct {
	rows [][]byte
	err  error
}

type session struct {
	hosts    []string
	delay    time.Duration
	attempts int
	send     func(ctx context.Context, host, stmt string, values []any) *iter
}

func (s *session) Query(stmt string, values ...any) *query {
	q := queries.Get().(*query)
	q.session = s
	q.stmt = stmt
	q.values = values
	q.metrics = new(metrics)
	return q
}

func (q *query) execute(ctx context.Context, host string) *iter {
	return q.session.send(ctx, host, q.stmt, q.values)
}

func (q *query) attempt(start, end time.Time) { q.metrics.attempt(end.Sub(start)) }

func (q *query) reset() { *q = query{} }

// Release ends q, which must not be used afterwards.
func (q *query) Release() {
	q.reset()
	queries.Put(q)
}

func (s *session) run(ctx context.Context, x executable, host string, results chan<- *iter) {
	start := time.Now()
	it := x.execute(ctx, host)
	x.attempt(start, time.Now())
	select {
	case results <- it:
	case <-ctx.Done():
	}
}

func (s *session) executeQuery(ctx context.Context, x executable) *iter {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan *iter, 1)
	go s.run(ctx, x, s.hosts[0], results)

	ticker := time.NewTicker(s.delay)
	defer ticker.Stop()
	for i := 0; i < s.attempts; i++ {
		select {
		case <-ticker.C:
			go s.run(ctx, x, s.hosts[(i+1)%len(s.hosts)], results)
		case <-ctx.Done():
			return &iter{err: ctx.Err()}
		case it := <-results:
			return it
		}
	}
	select {
	case it := <-results:
		return it
	case <-ctx.Done():
		return &iter{err: ctx.Err()}
	}
}

func (q *query) Iter(ctx context.Context) *iter { return q.session.executeQuery(ctx, q) }

func lookup(ctx context.Context, s *session, key string) ([][]byte, error) {
	q := s.Query("SELECT value FROM items WHERE key = ?", key)
	defer q.Release()
	it := q.Iter(ctx)
	return it.rows, it.err
}
