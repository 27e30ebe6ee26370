// Package bug carries the streams and the datagrams of a tunnel over work
// connections, compressed.
package bug

import (
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

var (
	inflaters = sync.Pool{New: func() any { return flate.NewReader(nil) }}
	deflaters = sync.Pool{New: func() any {
		w, _ := flate.NewWriter(io.Discard, flate.BestSpeed)
		return w
	}}
	copyBuffers = sync.Pool{New: func() any { b := make([]byte, 16<<10); return &b }}
)

// A compressed connection sends each write at once.
type compressed struct {
	r    io.ReadCloser
	w    *flate.Writer
	conn net.Conn
}

func (c *compressed) Read(p []byte) (int, error) { return c.r.Read(p) }

func (c *compressed) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	if err == nil {
		err = c.w.Flush()
	}
	return n, err
}

func (c *compressed) Close() error { return c.conn.Close() }

// compress returns a connection whose other side compresses, too.
func compress(conn net.Conn) io.ReadWriteCloser {
	w, _ := flate.NewWriter(conn, flate.BestSpeed)
	return &compressed{r: flate.NewReader(conn), w: w, conn: conn}
}

// compressFromPool does the same with what other connections had. The function
// that it returns gives it back.
func compressFromPool(conn net.Conn) (io.ReadWriteCloser, func()) {
	r := inflaters.Get().(io.ReadCloser)
	r.(flate.Resetter).Reset(conn, nil)
	w := deflaters.Get().(*flate.Writer)
	w.Reset(conn)
	return &compressed{r: r, w: w, conn: conn}, func() {
		inflaters.Put(r)
		deflaters.Put(w)
	}
}

// splice copies in both directions and returns when both have ended.
func splice(a, b io.ReadWriteCloser) {
	var wg sync.WaitGroup
	pipe := func(to, from io.ReadWriteCloser) {
		defer wg.Done()
		defer to.Close()
		defer from.Close()
		buf := copyBuffers.Get().(*[]byte)
		defer copyBuffers.Put(buf)
		io.CopyBuffer(to, from, *buf)
	}
	wg.Add(2)
	go pipe(a, b)
	go pipe(b, a)
	wg.Wait()
}

// A streamProxy connects each work connection with a local service.
type streamProxy struct{ local string }

func (p *streamProxy) handle(conn net.Conn) error {
	local, err := net.DialTimeout("tcp", p.local, 10*time.Second)
	if err != nil {
		conn.Close()
		return err
	}
	remote, giveBack := compressFromPool(conn)
	defer giveBack()
	splice(local, remote)
	return nil
}

// A control connection has the commands of a tunnel.
type control struct{ conn io.ReadWriteCloser }

func newControl(conn net.Conn) *control { return &control{conn: compress(conn)} }

func (c *control) send(command []byte) error { return writePacket(c.conn, command) }

// A packet is a datagram. An empty one says that the sender is there.
type packet []byte

var errPacket = errors.New("packet too long")

func writePacket(w io.Writer, p packet) error {
	if len(p) > 1<<16-1 {
		return errPacket
	}
	framed := binary.BigEndian.AppendUint16(make([]byte, 0, 2+len(p)), uint16(len(p)))
	_, err := w.Write(append(framed, p...))
	return err
}

func readPacket(r io.Reader) (packet, error) {
	var size [2]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, err
	}
	p := make(packet, binary.BigEndian.Uint16(size[:]))
	_, err := io.ReadFull(r, p)
	return p, err
}

// A datagramProxy has one work connection, over which all datagrams of a local
// service go.
type datagramProxy struct {
	local string

	mu   sync.Mutex
	conn io.Closer
	done chan struct{}
}

func (p *datagramProxy) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn != nil {
		p.conn.Close()
		close(p.done)
		p.conn = nil
	}
}

// handle puts a connection in the place of the one before.
func (p *datagramProxy) handle(conn net.Conn) error {
	p.close()

	remote, giveBack := compressFromPool(conn)
	defer giveBack()
	done := make(chan struct{})
	p.mu.Lock()
	p.conn = remote
	p.done = done
	p.mu.Unlock()

	in := make(chan packet, 1024)
	out := make(chan packet, 1024)
	go receive(remote, in, done)
	go send(remote, out, done)
	go sayAlive(out, done)
	if err := serve(p.local, in, out, done); err != nil {
		p.close()
		return err
	}
	return nil
}

func receive(r io.Reader, in chan<- packet, done <-chan struct{}) {
	for {
		p, err := readPacket(r)
		if err != nil {
			return
		}
		select {
		case in <- p:
		case <-done:
			return
		}
	}
}

func send(w io.Writer, out <-chan packet, done <-chan struct{}) {
	for {
		select {
		case p := <-out:
			if err := writePacket(w, p); err != nil {
				return
			}
		case <-done:
			return
		}
	}
}

func sayAlive(out chan<- packet, done <-chan struct{}) {
	t := time.NewTicker(30 * time.Second)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			select {
			case out <- nil:
			case <-done:
				return
			}
		case <-done:
			return
		}
	}
}

// serve sends what comes in to the local service, and its answers out.
func serve(addr string, in <-chan packet, out chan<- packet, done <-chan struct{}) error {
	local, err := net.Dial("udp", addr)
	if err != nil {
		return err
	}
	go func() {
		defer local.Close()
		for {
			select {
			case p := <-in:
				if len(p) > 0 {
					local.Write(p)
				}
			case <-done:
				return
			}
		}
	}()
	go func() {
		b := make([]byte, 1<<16)
		for {
			n, err := local.Read(b)
			if err != nil {
				return
			}
			select {
			case out <- append(packet(nil), b[:n]...):
			case <-done:
				return
			}
		}
	}()
	return nil
}
