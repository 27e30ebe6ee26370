package binary

import "encoding/binary"

// WriteSlice writes the elements of v to c, in c's byte order and without their number.
// Like WriteChain, it is for programs that migrate; new ones use [WriteNumbers].
//
// If the order is that of the machine, or the Writer is a *[bytes.Buffer], it calls the
// Writer once. Otherwise it calls the Writer for every 8 KiB. If each call of the
// Writer is a message of its own, use [AppendSlice] and [WriteChain.ByteSlice].
func WriteSlice[T Number](c *WriteChain, v []T) *WriteChain {
	if c == nil || c.err != nil || len(v) == 0 {
		return c
	}
	size, order := sizeOf[T](), sliceOrder[T](c.ByteOrder)
	if order == nil {
		return c.fail(errNoWriteOrder)
	}
	if b, ok := view(v); ok && endianOf(order) == host {
		return c.ByteSlice(b)
	}
	n := len(v) * size
	if b := spare(c.Writer, n); b != nil {
		storeSlice(b[:n], order, v)
		return c.ByteSlice(b[:n])
	}
	s := c.scratch.acquire()
	for len(v) > 0 && c.err == nil {
		k := min(len(v), piece/size)
		b := s.room(k * size)
		storeSlice(b, order, v[:k])
		c.Write(b)
		v = v[k:]
	}
	c.scratch.release(s)
	return c
}

// ReadSlice sets the elements of v from r, in r's byte order, and returns how many it
// has read. If that is fewer than len(v), r has failed, and the other elements are
// zero. Like Reader, it is for programs that migrate; new ones use [ReadNumbers].
//
// The io.Reader reads into the memory of v, where ReadSlice converts the elements in
// place.
func ReadSlice[T Number](r *Reader, v []T) int {
	if r.check() != nil {
		clear(v)
		return 0
	}
	if len(v) == 0 {
		return 0
	}
	size, order := sizeOf[T](), sliceOrder[T](r.ByteOrder)
	if order == nil {
		r.err = errNoReadOrder
		clear(v)
		return 0
	}
	n, before := 0, r.read
	if b, ok := view(v); ok {
		if r.fill(b) {
			r.read += len(b)
		}
		n = (r.read - before) / size
		loadSlice(v[:n], order, b[:n*size])
	} else {
		s := r.scratch.acquire()
		for n < len(v) && r.err == nil {
			b := s.room(min(len(v)-n, piece/size) * size)
			if r.fill(b) {
				r.read += len(b)
			}
			whole := (r.read-before)/size - n
			loadSlice(v[n:n+whole], order, b[:whole*size])
			n += whole
		}
		r.scratch.release(s)
		if n > 0 {
			r.insideField()
		}
	}
	clear(v[n:])
	return n
}

// sliceOrder returns o, or any order for elements of one byte, which need none.
func sliceOrder[T Number](o ByteOrder) ByteOrder {
	if sizeOf[T]() == 1 {
		return binary.NativeEndian
	}
	return o
}
