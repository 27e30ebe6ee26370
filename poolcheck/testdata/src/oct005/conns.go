package oct005

import (
	"net"
	"sync"
)

var leaves = sync.Pool{New: func() any {
	p := make([]byte, 4096)
	return &p
}}

// A reading is a connection that reads ahead.
type reading struct {
	net.Conn
	page *[]byte
	have []byte
}

func newReading(c net.Conn) *reading { return &reading{Conn: c, page: leaves.Get().(*[]byte)} }

func (r *reading) Read(p []byte) (int, error) {
	if len(r.have) == 0 {
		n, err := r.Conn.Read(*r.page)
		if err != nil {
			return 0, err
		}
		r.have = (*r.page)[:n]
	}
	n := copy(p, r.have)
	r.have = r.have[n:]
	return n, nil
}

// bad: another goroutine may be in Read.
func (r *reading) Close() error {
	leaves.Put(r.page) // want "OCT005: page is released here while .*Read.* may still use it"
	return r.Conn.Close()
}

// A guarded is one whose Close waits for Read.
type guarded struct {
	net.Conn
	mu   sync.Mutex
	page *[]byte
}

func newGuarded(c net.Conn) *guarded { return &guarded{Conn: c, page: leaves.Get().(*[]byte)} }

func (l *guarded) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.page == nil {
		return 0, net.ErrClosed
	}
	n, err := l.Conn.Read(*l.page)
	return copy(p, (*l.page)[:n]), err
}

// ok: it has the lock.
func (l *guarded) Close() error {
	err := l.Conn.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.page != nil {
		leaves.Put(l.page)
		l.page = nil
	}
	return err
}

// A greeting has a page for its name alone.
type greeting struct {
	net.Conn
	name *[]byte
}

func newGreeting(c net.Conn) *greeting { return &greeting{Conn: c, name: leaves.Get().(*[]byte)} }

func (g *greeting) Name() string { return string(*g.name) }

// ok: Read and Write do not use it.
func (g *greeting) Close() error {
	leaves.Put(g.name)
	return g.Conn.Close()
}
