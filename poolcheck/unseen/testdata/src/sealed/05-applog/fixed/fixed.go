// Package fixed decodes the logs that agents write of requests. A log and what is
// particular to its protocol are objects that are used again.
package fixed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

type protocol byte

const (
	protoHTTP protocol = iota + 1
	protoDNS
	protoSQL
	protoCache
)

var (
	errShort    = errors.New("the log is too short")
	errProtocol = errors.New("unknown protocol")
)

// A decoder reads what it is given and remembers whether there was enough.
type decoder struct {
	rest []byte
	err  error
}

func (d *decoder) take(n int) []byte {
	if d.err != nil || len(d.rest) < n {
		d.err = errShort
		return make([]byte, n)
	}
	p := d.rest[:n]
	d.rest = d.rest[n:]
	return p
}

func (d *decoder) byte() byte     { return d.take(1)[0] }
func (d *decoder) uint32() uint32 { return binary.BigEndian.Uint32(d.take(4)) }
func (d *decoder) string() string { return string(d.take(int(d.byte()))) }

// A detail is what one protocol adds to a log.
type detail interface {
	decode(d *decoder)
	String() string
}

type httpDetail struct{ method, host, path string }

var httpDetails = sync.Pool{New: func() any { return new(httpDetail) }}

func acquireHTTP() *httpDetail { return httpDetails.Get().(*httpDetail) }

func releaseHTTP(h *httpDetail) {
	*h = httpDetail{}
	httpDetails.Put(h)
}

func (h *httpDetail) decode(d *decoder) {
	h.method, h.host, h.path = d.string(), d.string(), d.string()
}
func (h *httpDetail) String() string { return h.method + " " + h.host + h.path }

type dnsDetail struct {
	name    string
	answers []string
}

var dnsDetails = sync.Pool{New: func() any { return new(dnsDetail) }}

func acquireDNS() *dnsDetail { return dnsDetails.Get().(*dnsDetail) }

func releaseDNS(n *dnsDetail) {
	*n = dnsDetail{answers: n.answers[:0]}
	dnsDetails.Put(n)
}

func (n *dnsDetail) decode(d *decoder) {
	n.name = d.string()
	for range d.byte() {
		n.answers = append(n.answers, d.string())
	}
}

func (n *dnsDetail) String() string { return fmt.Sprint(n.name, n.answers) }

type sqlDetail struct {
	command   byte
	statement []byte
}

var sqlDetails = sync.Pool{New: func() any { return new(sqlDetail) }}

func acquireSQL() *sqlDetail { return sqlDetails.Get().(*sqlDetail) }

func releaseSQL(s *sqlDetail) {
	*s = sqlDetail{statement: s.statement[:0]}
	sqlDetails.Put(s)
}

func (s *sqlDetail) decode(d *decoder) {
	s.command = d.byte()
	s.statement = append(s.statement[:0], d.string()...)
}

func (s *sqlDetail) String() string { return fmt.Sprint(s.command, string(s.statement)) }

type cacheDetail struct{ request, status string }

var cacheDetails = sync.Pool{New: func() any { return new(cacheDetail) }}

func acquireCache() *cacheDetail { return cacheDetails.Get().(*cacheDetail) }

func releaseCache(c *cacheDetail) {
	*c = cacheDetail{}
	cacheDetails.Put(c)
}

func (c *cacheDetail) decode(d *decoder) { c.request, c.status = d.string(), d.string() }
func (c *cacheDetail) String() string    { return c.request + " " + c.status }

// A log belongs to all who have a reference to it.
type log struct {
	protocol protocol
	agent    uint32
	micros   uint32
	detail   detail
	refs     atomic.Int32
}

var logs = sync.Pool{New: func() any { return new(log) }}

func acquireLog() *log {
	l := logs.Get().(*log)
	l.refs.Store(1)
	return l
}

func (l *log) retain() { l.refs.Add(1) }

func (l *log) release() {
	if l.refs.Add(-1) > 0 {
		return
	}
	switch d := l.detail.(type) {
	case *httpDetail:
		releaseHTTP(d)
	case *dnsDetail:
		releaseDNS(d)
	case *sqlDetail:
		releaseSQL(d)
	case *cacheDetail:
		releaseCache(d)
	}
	l.protocol, l.agent, l.micros, l.detail = 0, 0, 0, nil
	logs.Put(l)
}

func (l *log) decode(d *decoder) error {
	l.protocol = protocol(d.byte())
	l.agent = d.uint32()
	l.micros = d.uint32()
	switch l.protocol {
	case protoHTTP:
		h := acquireHTTP()
		h.decode(d)
		l.detail = h
	case protoDNS:
		n := acquireDNS()
		n.decode(d)
		l.detail = n
	case protoSQL:
		s := acquireSQL()
		s.decode(d)
		l.detail = s
	case protoCache:
		c := acquireCache()
		c.decode(d)
		l.detail = c
	default:
		return errProtocol
	}
	return d.err
}

func (l *log) write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%d %d %d %s\n", l.protocol, l.agent, l.micros, l.detail)
	return err
}

// A handler takes the logs of one agent.
type handler struct {
	file   io.Writer
	export chan *log
	failed int
}

// handle writes the logs of a message and exports those that the exporter has
// time for.
func (h *handler) handle(message []byte) error {
	d := &decoder{rest: message}
	for len(d.rest) > 0 {
		l := acquireLog()
		if err := l.decode(d); err != nil {
			l.release()
			h.failed++
			return err
		}
		l.retain()
		select {
		case h.export <- l:
		default:
			l.release()
		}
		err := l.write(h.file)
		l.release()
		if err != nil {
			return err
		}
	}
	return nil
}

// exportTo writes logs until there are no more.
func exportTo(w io.Writer, in <-chan *log) (failed int) {
	for l := range in {
		if err := l.write(w); err != nil {
			failed++
		}
		l.release()
	}
	return failed
}
