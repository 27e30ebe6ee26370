package oct004

import (
	"io"
	"net"
	"sync"
)

type segment struct{ data []byte }

var segments = sync.Pool{New: func() any { return new(segment) }}

func freeSegments(list []*segment) {
	for _, s := range list {
		segments.Put(s)
	}
}

// bad: the segments that were read before are lost.
func readSegments(rs []io.Reader, w io.Writer) error {
	var list []*segment
	for _, r := range rs {
		s := segments.Get().(*segment) // want "OCT004: list is not released on every path"
		if _, err := r.Read(s.data); err != nil {
			segments.Put(s)
			return err
		}
		list = append(list, s)
	}
	for _, s := range list {
		w.Write(s.data)
	}
	freeSegments(list)
	return nil
}

// bad: a slice that is filled by index.
func indexSegments(rs []io.Reader) error {
	list := make([]*segment, len(rs))
	for i, r := range rs {
		list[i] = segments.Get().(*segment) // want "OCT004: .* is not released on every path"
		if _, err := r.Read(list[i].data); err != nil {
			return err
		}
	}
	freeSegments(list)
	return nil
}

// bad: an error ends the loop that releases.
func writeSegments(rs []io.Reader, w io.Writer) error {
	var list []*segment
	for range rs {
		list = append(list, segments.Get().(*segment)) // want "OCT004: .* is not released on every path"
	}
	for _, s := range list {
		if _, err := w.Write(s.data); err != nil {
			return err
		}
		segments.Put(s)
	}
	return nil
}

// ok: a deferred loop releases what there is.
func deferredSegments(rs []io.Reader) error {
	var list []*segment
	defer func() {
		for _, s := range list {
			segments.Put(s)
		}
	}()
	for _, r := range rs {
		s := segments.Get().(*segment)
		list = append(list, s)
		if _, err := r.Read(s.data); err != nil {
			return err
		}
	}
	return nil
}

// ok: the error path releases, the other returns.
func returnedSegments(rs []io.Reader) ([]*segment, error) {
	var list []*segment
	for _, r := range rs {
		s := segments.Get().(*segment)
		list = append(list, s)
		if _, err := r.Read(s.data); err != nil {
			for i := range list {
				segments.Put(list[i])
			}
			return nil, err
		}
	}
	return list, nil
}

// ok: the rest is released before the error is returned.
func restOfSegments(rs []io.Reader, w io.Writer) error {
	var list []*segment
	for range rs {
		list = append(list, segments.Get().(*segment))
	}
	for i, s := range list {
		if _, err := w.Write(s.data); err != nil {
			freeSegments(list[i:])
			return err
		}
		segments.Put(s)
	}
	return nil
}

// ok: each goes to a queue.
func queueSegments(rs []io.Reader, queue chan<- *segment) error {
	var list []*segment
	for _, r := range rs {
		s := segments.Get().(*segment)
		list = append(list, s)
		if _, err := r.Read(s.data); err != nil {
			freeSegments(list)
			return err
		}
	}
	for _, s := range list {
		queue <- s
	}
	return nil
}

// ok: what is in front goes first, as long as there is any.
func drainSegments(rs []io.Reader, w io.Writer) {
	var list []*segment
	for range rs {
		list = append(list, segments.Get().(*segment))
	}
	for len(list) > 0 {
		s := list[0]
		list = list[1:]
		w.Write(s.data)
		segments.Put(s)
	}
}

// ok: a batch is released and filled again.
func batches(rs []io.Reader, conn net.Conn) error {
	var list []*segment
	for _, r := range rs {
		s := segments.Get().(*segment)
		r.Read(s.data)
		list = append(list, s)
		if len(list) < 16 {
			continue
		}
		for _, s := range list {
			conn.Write(s.data)
		}
		freeSegments(list)
		list = list[:0]
	}
	freeSegments(list)
	return nil
}

// bad: the caller gets all of them, or nothing and an error.
func (r *tableReader) some(n int) ([]*[]byte, error) {
	var list []*[]byte
	for range n {
		p := listSlices.Get().(*[]byte) // want "OCT004: list is not released on every path"
		if _, err := r.r.Read(*p); err != nil {
			listSlices.Put(p)
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// ok: the caller gets those that there are.
func (r *tableReader) upTo(n int) ([]*[]byte, error) {
	var list []*[]byte
	for range n {
		p := listSlices.Get().(*[]byte)
		if _, err := r.r.Read(*p); err != nil {
			listSlices.Put(p)
			return list, err
		}
		list = append(list, p)
	}
	return list, nil
}

type tableReader struct{ r io.Reader }

var listSlices = sync.Pool{New: func() any { p := make([]byte, 512); return &p }}
