// Package fixed gets many keys at once over a connection that several callers share.
package fixed

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"
)

// A container is what a bufferPool has.
type container interface {
	*cacheCommands | *results
	capacity() int
	resetLen(n int)
}

// A bufferPool has containers, and makes those that are not large enough anew.
type bufferPool[T container] struct {
	pool sync.Pool
	make func(capacity int) T
}

func newBufferPool[T container](make func(capacity int) T) *bufferPool[T] {
	return &bufferPool[T]{make: make}
}

func (p *bufferPool[T]) Get(n, capacity int) T {
	if v, ok := p.pool.Get().(T); ok && v.capacity() >= capacity {
		v.resetLen(n)
		return v
	}
	v := p.make(capacity)
	v.resetLen(n)
	return v
}

func (p *bufferPool[T]) Put(v T) { p.pool.Put(v) }

type cacheable struct {
	args []string
	ttl  time.Duration
}

type result struct {
	val string
	err error
}

type cacheCommands struct{ s []cacheable }

func (c *cacheCommands) capacity() int { return cap(c.s) }

func (c *cacheCommands) resetLen(n int) {
	clear(c.s)
	c.s = c.s[:n]
}

type results struct{ s []result }

func (r *results) capacity() int { return cap(r.s) }

func (r *results) resetLen(n int) {
	clear(r.s)
	r.s = r.s[:n]
}

var (
	commandPool = newBufferPool(func(capacity int) *cacheCommands {
		return &cacheCommands{s: make([]cacheable, 0, capacity)}
	})
	resultPool = newBufferPool(func(capacity int) *results {
		return &results{s: make([]result, 0, capacity)}
	})
)

// A Client gets the values of commands, from its cache if they are there.
type Client interface {
	DoAll(ctx context.Context, multi ...cacheable) *results
}

type task struct {
	multi []cacheable
	reply chan result // has room for all
}

// A pipe writes the commands of all callers in the order in which they came, and
// reads the replies in the same.
type pipe struct {
	queue   chan task
	written chan task
	w       *bufio.Writer
	r       *bufio.Reader
}

func newPipe(conn io.ReadWriter) *pipe {
	p := &pipe{
		queue: make(chan task, 64), written: make(chan task, 64),
		w: bufio.NewWriter(conn), r: bufio.NewReader(conn),
	}
	go p.writeLoop()
	go p.readLoop()
	return p
}

func (p *pipe) writeLoop() {
	for t := range p.queue {
		for _, c := range t.multi {
			p.w.WriteString(strings.Join(c.args, " "))
			p.w.WriteString("\r\n")
		}
		p.w.Flush()
		p.written <- t
	}
	close(p.written)
}

func (p *pipe) readLoop() {
	for t := range p.written {
		for range cap(t.reply) {
			line, err := p.r.ReadString('\n')
			t.reply <- result{strings.TrimRight(line, "\r\n"), err}
		}
	}
}

func (p *pipe) DoAll(ctx context.Context, multi ...cacheable) *results {
	resp := resultPool.Get(len(multi), len(multi))
	t := task{multi: multi, reply: make(chan result, len(multi))}
	select {
	case p.queue <- t:
	case <-ctx.Done():
		return failed(resp, 0, ctx.Err())
	}
	for i := range resp.s {
		select {
		case resp.s[i] = <-t.reply:
		case <-ctx.Done():
			return failed(resp, i, ctx.Err())
		}
	}
	return resp
}

func failed(resp *results, from int, err error) *results {
	for i := from; i < len(resp.s); i++ {
		resp.s[i] = result{err: err}
	}
	return resp
}

var errNoKey = errors.New("empty key")

// GetAll returns the values of keys.
func GetAll(ctx context.Context, c Client, ttl time.Duration, keys []string) (map[string]string, error) {
	if len(keys) == 0 {
		return map[string]string{}, nil
	}
	cmds := commandPool.Get(len(keys), len(keys))
	for i, key := range keys {
		cmds.s[i] = cacheable{args: []string{"GET", key}, ttl: ttl}
	}
	return collect(ctx, c, cmds, keys)
}

// GetAllPaths returns what is at a path of keys.
func GetAllPaths(ctx context.Context, c Client, ttl time.Duration, keys []string, path string) (map[string]string, error) {
	if len(keys) == 0 {
		return map[string]string{}, nil
	}
	if path == "" {
		return nil, errNoKey
	}
	cmds := commandPool.Get(len(keys), len(keys))
	for i, key := range keys {
		cmds.s[i] = cacheable{args: []string{"JSON.GET", key, path}, ttl: ttl}
	}
	return collect(ctx, c, cmds, keys)
}

// collect returns the replies by key, and puts the commands back unless
// somebody may still read them.
func collect(ctx context.Context, c Client, cmds *cacheCommands, keys []string) (map[string]string, error) {
	ret := make(map[string]string, len(keys))
	resps := c.DoAll(ctx, cmds.s...)
	defer resultPool.Put(resps)
	for i, r := range resps.s {
		if r.err != nil {
			return nil, r.err
		}
		ret[keys[i]] = r.val
	}
	commandPool.Put(cmds)
	return ret, nil
}
