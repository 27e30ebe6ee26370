// Package fixed answers requests of a kernel; large answers are in pooled buffers.
package fixed

import (
	"encoding/binary"
	"io"
	"os"
	"sync"
)

var pageSize = os.Getpagesize()

// A bufferPool has a pool for each number of pages.
type bufferPool struct {
	mu    sync.Mutex
	pools []*sync.Pool
}

func (p *bufferPool) get(pages int) *sync.Pool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.pools) <= pages {
		p.pools = append(p.pools, nil)
	}
	if p.pools[pages] == nil {
		p.pools[pages] = &sync.Pool{New: func() any { return make([]byte, pageSize*pages) }}
	}
	return p.pools[pages]
}

func (p *bufferPool) Alloc(size int) []byte {
	if size < pageSize {
		size = pageSize
	}
	pages := (size + pageSize - 1) / pageSize
	return p.get(pages).Get().([]byte)[:size]
}

func (p *bufferPool) Free(b []byte) {
	if cap(b)%pageSize != 0 || cap(b) == 0 {
		return
	}
	pages := cap(b) / pageSize
	p.get(pages).Put(b[:cap(b)])
}

type request struct {
	op      uint32
	size    int
	input   []byte
	status  int32
	payload []byte
	head    [16]byte

	pooledInput  []byte
	pooledOutput []byte
}

func (r *request) clear() { *r = request{} }

type server struct {
	rw       io.ReadWriter
	requests sync.Pool
	inputs   sync.Pool
	buffers  bufferPool
	ops      map[uint32]func(r *request)
}

func newServer(rw io.ReadWriter) *server {
	s := &server{rw: rw, ops: make(map[uint32]func(*request))}
	s.requests.New = func() any { return new(request) }
	s.inputs.New = func() any { return make([]byte, 128<<10) }
	return s
}

func (s *server) readRequest() (*request, error) {
	r := s.requests.Get().(*request)
	buf := s.inputs.Get().([]byte)
	n, err := s.rw.Read(buf)
	if err != nil || n < 8 {
		s.inputs.Put(buf)
		s.requests.Put(r)
		if err == nil {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	r.pooledInput = buf[:cap(buf)]
	r.op = binary.LittleEndian.Uint32(buf)
	r.size = int(binary.LittleEndian.Uint32(buf[4:]))
	r.input = buf[8:n]
	return r, nil
}

// returnRequest puts back what r has.
func (s *server) returnRequest(r *request) {
	if r.pooledOutput != nil {
		s.buffers.Free(r.pooledOutput)
		r.pooledOutput = nil
	}
	if p := r.pooledInput; p != nil {
		r.pooledInput = nil
		s.inputs.Put(p)
	}
	r.clear()
	s.requests.Put(r)
}

func (s *server) handle(r *request) {
	defer s.returnRequest(r)
	if r.size > 0 {
		r.payload = s.buffers.Alloc(r.size)
		r.pooledOutput = r.payload
	}
	if op, ok := s.ops[r.op]; ok {
		op(r)
	} else {
		r.status = -38
		r.payload = nil
	}
	binary.LittleEndian.PutUint32(r.head[:], uint32(len(r.head)+len(r.payload)))
	binary.LittleEndian.PutUint32(r.head[4:], uint32(r.status))
	if _, err := s.rw.Write(r.head[:]); err == nil {
		s.rw.Write(r.payload)
	}
}

func (s *server) serve() error {
	for {
		r, err := s.readRequest()
		if err != nil {
			return err
		}
		s.handle(r)
	}
}
