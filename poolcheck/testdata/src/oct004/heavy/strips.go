package heavy

import "io"

type strip struct {
	mem     allocator
	columns [][]byte
}

func (s *strip) release() {
	for _, c := range s.columns {
		s.mem.free(c)
	}
	s.columns = nil
}

type stripReader struct {
	src   io.Reader
	mem   allocator
	head  []byte
	strip *strip
}

func newStripReader(src io.Reader, mem allocator) (*stripReader, error) {
	r := &stripReader{src: src, mem: mem, head: mem.allocate(8)}
	if _, err := io.ReadFull(src, r.head); err != nil {
		r.release()
		return nil, err
	}
	return r, nil
}

func (r *stripReader) release() {
	if r.strip != nil {
		r.strip.release()
		r.strip = nil
	}
	if r.head != nil {
		r.mem.free(r.head)
		r.head = nil
	}
}

func (r *stripReader) next() bool {
	if r.strip != nil {
		r.strip.release()
		r.strip = nil
	}
	if _, err := io.ReadFull(r.src, make([]byte, 4)); err != nil {
		return false
	}
	r.strip = &strip{mem: r.mem}
	for range 10 {
		r.strip.columns = append(r.strip.columns, r.mem.allocate(10))
	}
	return true
}

// ok: the reader is released in the end.
func skipStrips(r *stripReader) {
	for r.next() {
	}
	r.release()
}

// ok: skipStrips releases the reader.
func skipAll(src io.Reader, mem allocator) {
	r, err := newStripReader(src, mem)
	if err != nil {
		return
	}
	skipStrips(r)
}
