package oct005

import (
	"net"
	"sync"
	"sync/atomic"
)

var closingSlices = sync.Pool{New: func() any { p := make([]byte, 1500); return &p }}

// A listening connection reads until it is closed.
type listening struct {
	conn   net.Conn
	buf    *[]byte
	handle func([]byte)
}

func listen(conn net.Conn, handle func([]byte)) *listening {
	l := &listening{conn: conn, buf: closingSlices.Get().(*[]byte), handle: handle}
	go l.loop()
	return l
}

func (l *listening) loop() {
	for {
		n, err := l.conn.Read(*l.buf)
		if err != nil {
			return
		}
		l.handle((*l.buf)[:n])
	}
}

// bad: the loop may be about to use the buffer.
func (l *listening) Close() error {
	err := l.conn.Close()
	closingSlices.Put(l.buf) // want "OCT005: buf is released here while the goroutine that runs loop may still use it"
	return err
}

// A patient connection waits for its goroutine.
type patient struct {
	conn net.Conn
	buf  *[]byte
	done chan struct{}
}

func newPatient(conn net.Conn) *patient {
	p := &patient{conn: conn, buf: closingSlices.Get().(*[]byte), done: make(chan struct{})}
	go p.loop()
	return p
}

func (p *patient) loop() {
	defer close(p.done)
	for {
		if _, err := p.conn.Read(*p.buf); err != nil {
			return
		}
	}
}

// ok: the loop has ended.
func (p *patient) Close() error {
	err := p.conn.Close()
	<-p.done
	closingSlices.Put(p.buf)
	return err
}

// A locked connection is read under a lock.
type locked struct {
	conn net.Conn
	mu   sync.Mutex
	buf  *[]byte
}

func newLocked(conn net.Conn) *locked {
	l := &locked{conn: conn, buf: closingSlices.Get().(*[]byte)}
	go l.loop()
	return l
}

func (l *locked) loop() {
	for l.step() {
	}
}

func (l *locked) step() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.buf == nil {
		return false
	}
	_, err := l.conn.Read(*l.buf)
	return err == nil
}

// ok: the loop sees that there is no buffer any more.
func (l *locked) Close() error {
	err := l.conn.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	closingSlices.Put(l.buf)
	l.buf = nil
	return err
}

// A leaving connection gives its buffer back by itself.
type leaving struct {
	conn net.Conn
	buf  *[]byte
}

func newLeaving(conn net.Conn) *leaving {
	l := &leaving{conn: conn, buf: closingSlices.Get().(*[]byte)}
	go l.loop()
	return l
}

// ok: nobody else calls close.
func (l *leaving) loop() {
	defer l.close()
	for {
		if _, err := l.conn.Read(*l.buf); err != nil {
			return
		}
	}
}

func (l *leaving) close() {
	l.conn.Close()
	closingSlices.Put(l.buf)
}

// A shared page is counted: the goroutine has a reference.
type sharedPage struct {
	refs atomic.Int64
	buf  *[]byte
}

func (p *sharedPage) Release() {
	if p.refs.Add(-1) == 0 {
		closingSlices.Put(p.buf) // ok: nobody has a reference any more.
		p.buf = nil
	}
}

func (p *sharedPage) copyTo(conn net.Conn) {
	for {
		if _, err := conn.Write(*p.buf); err != nil {
			p.done()
			return
		}
	}
}

func (p *sharedPage) done() {}

func sendShared(conn net.Conn) *sharedPage {
	p := &sharedPage{buf: closingSlices.Get().(*[]byte)}
	p.refs.Store(2)
	go p.copyTo(conn)
	return p
}

// A drop of water goes from one goroutine to the next, and is released by the last.
type drop struct{ page []byte }

var rain = sync.Pool{New: func() any {
	p := make([]byte, 64)
	return &p
}}

func (d *drop) Release() {
	page := d.page
	d.page = nil
	rain.Put(&page)
}

func fall(n int) chan *drop {
	out := make(chan *drop)
	go func() {
		defer close(out)
		for range n {
			out <- &drop{page: *rain.Get().(*[]byte)}
		}
	}()
	return out
}

func flow(in chan *drop) chan *drop {
	out := make(chan *drop)
	go func() {
		defer close(out)
		for d := range in {
			d.page[0]++
			out <- d
		}
	}()
	return out
}

// ok: the drops of flow's goroutine are those that it has not sent on.
func drink(n int) {
	for d := range flow(fall(n)) {
		d.page[0]++
		d.Release()
	}
}
