// Package fixed joins a connection from outside with one to a local service. What
// goes outside may be compressed.
package fixed

import (
	"compress/flate"
	"io"
	"net"
	"sync"
	"sync/atomic"

	"github.com/fatedier/golib/pool"
)

var (
	inflaters sync.Pool
	deflaters sync.Pool
)

// inflater reads what a deflater wrote.
type inflater struct {
	fr io.ReadCloser
}

func newInflater(r io.Reader) *inflater { return &inflater{fr: flate.NewReader(r)} }

func (d *inflater) Read(p []byte) (int, error) { return d.fr.Read(p) }

func (d *inflater) Reset(r io.Reader) { d.fr.(flate.Resetter).Reset(r, nil) }

// deflater sends every Write at once.
type deflater struct {
	fw *flate.Writer
}

func newDeflater(w io.Writer) *deflater {
	fw, err := flate.NewWriter(w, flate.BestSpeed)
	if err != nil {
		panic(err)
	}
	return &deflater{fw: fw}
}

func (d *deflater) Write(p []byte) (int, error) {
	n, err := d.fw.Write(p)
	if err != nil {
		return n, err
	}
	return n, d.fw.Flush()
}

func (d *deflater) Reset(w io.Writer) { d.fw.Reset(w) }

func getInflater(r io.Reader) *inflater {
	x := inflaters.Get()
	if x == nil {
		return newInflater(r)
	}
	d := x.(*inflater)
	d.Reset(r)
	return d
}

func putInflater(d *inflater) { inflaters.Put(d) }

func getDeflater(w io.Writer) *deflater {
	x := deflaters.Get()
	if x == nil {
		return newDeflater(w)
	}
	d := x.(*deflater)
	d.Reset(w)
	return d
}

func putDeflater(d *deflater) { deflaters.Put(d) }

// wrapped reads from one thing, writes to another, and is closed once.
type wrapped struct {
	r       io.Reader
	w       io.Writer
	closeFn func() error

	mu     sync.Mutex
	closed bool
}

func wrap(r io.Reader, w io.Writer, closeFn func() error) io.ReadWriteCloser {
	return &wrapped{r: r, w: w, closeFn: closeFn}
}

func (c *wrapped) Read(p []byte) (int, error) { return c.r.Read(p) }

func (c *wrapped) Write(p []byte) (int, error) { return c.w.Write(p) }

func (c *wrapped) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	c.mu.Unlock()

	if c.closeFn != nil {
		return c.closeFn()
	}
	return nil
}

// compressed gives a connection that compresses what is written to it, and what
// to call when nobody reads or writes any more.
func compressed(conn io.ReadWriteCloser) (io.ReadWriteCloser, func()) {
	in := getInflater(conn)
	out := getDeflater(conn)
	release := func() {
		putInflater(in)
		putDeflater(out)
	}
	return wrap(in, out, conn.Close), release
}

// join copies both ways until both are done. The first that ends closes both
// connections, so that the other ends, too.
func join(c1, c2 io.ReadWriteCloser) (in, out int64, errs []error) {
	var wait sync.WaitGroup
	ended := make([]error, 2)
	pipe := func(i int, to, from io.ReadWriteCloser, count *int64) {
		defer to.Close()
		defer from.Close()
		defer wait.Done()

		buf := pool.GetBuf(16 * 1024)
		defer pool.PutBuf(buf)
		*count, ended[i] = io.CopyBuffer(to, from, buf)
	}

	wait.Add(2)
	go pipe(0, c1, c2, &in)
	go pipe(1, c2, c1, &out)
	wait.Wait()

	for _, err := range ended {
		if err != nil {
			errs = append(errs, err)
		}
	}
	return in, out, errs
}

type proxy struct {
	local    string
	compress bool
	logf     func(format string, args ...any)

	received, sent atomic.Int64
}

// handle serves a connection from outside.
func (p *proxy) handle(conn net.Conn) {
	local, err := net.Dial("tcp", p.local)
	if err != nil {
		conn.Close()
		p.logf("%s does not answer: %v", p.local, err)
		return
	}
	var remote io.ReadWriteCloser = conn
	if p.compress {
		var release func()
		remote, release = compressed(remote)
		defer release()
	}
	in, out, errs := join(local, remote)
	p.received.Add(in)
	p.sent.Add(out)
	for _, err := range errs {
		p.logf("%s: %v", conn.RemoteAddr(), err)
	}
}

// serve takes connections until the listener is closed.
func (p *proxy) serve(l net.Listener) error {
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		go p.handle(conn)
	}
}
