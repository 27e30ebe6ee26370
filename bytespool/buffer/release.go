package buffer

import "github.com/octet-go/octet/internal/sanitize"

// Put is b.Release() without a result.
func Put(b *Buffer) { b.Release() }

// Release is b.Release().
func Release(b *Buffer) bool { return b.Release() }

// Put is [Buffer.Release] without a result.
func (b *Buffer) Put() { b.Release() }

// Close is [Buffer.Release] for an [io.Closer]: it returns [ErrClose] where
// Release returns false.
func (b *Buffer) Close() error {
	if b.Release() {
		return nil
	}
	return ErrClose
}

// Release gives one reference back. Whoever gives back the last one, which finds
// the count at 0, ends the buffer: it goes to the pool with its array, and
// nobody may use it any more. Only that call returns true, and only if the array
// went to the pool too: false means that others still have references, that the
// Buffer is in the pool already, or that its array did not fit the pool because
// there was none, or it is smaller or larger than what the pool has, or the
// pool's budget was full.
//
// Releasing a Buffer that is in the pool does nothing. One that was handed out
// again is its new owner's, and an old pointer to it cannot be told from the
// owner's. A Buffer that the program declared itself is not put in the pool: it
// gives its array away, and is empty and ready to use.
//
// Release of a nil Buffer returns false.
func (b *Buffer) Release() bool {
	if b == nil {
		return false
	}
	switch n := b.refs.Load(); {
	case n%unit != 0 || b.link != nil: // see release. In this order: link is the last owner's to read
	case uint64(n-1) < tracked-1: // above 0, and not tracked
		if sanitize.Enabled {
			break
		}
		if fits := b.home.fits(cap(b.B)); b.refs.CompareAndSwap(n, -n) {
			return fits // back at its seat
		}
	case n == 0 && b.home != nil:
		if b.refs.CompareAndSwap(0, pooled) {
			return b.home.put(b)
		}
	}
	return b.release()
}

// release is Release for everything.
func (b *Buffer) release() bool {
	for {
		n := b.refs.Load()
		switch m := mark(n); {
		case m < 0:
			b.releasedAgain()
			return false // in the pool
		case n != m:
			if b.refs.CompareAndSwap(n, n-1) {
				return false
			}
		case b.refs.CompareAndSwap(n, ending(m)):
			return b.end()
		}
	}
}

// end ends b, whose count is ending's, so that only the caller has it.
func (b *Buffer) end() (ok bool) {
	tracked := isBuried(b.refs.Load())
	if tracked && !b.endTracked() {
		return false
	}
	if b.link != nil {
		if b.lent {
			b.B = nil
		}
		ok = b.unlink()
	}
	if tracked {
		return b.bury() || ok
	}
	if b.home != nil {
		return b.goBack() || ok
	}
	ok = current().shelf.objects.Pool().Release(b.B) || ok
	b.B = nil
	b.reset()
	b.refs.Store(0) // the program's, and ready to use
	return ok
}

// goBack puts b, whose count is ending's, at its seat or with the objects, and
// reports whether its array went to the pool.
func (b *Buffer) goBack() bool {
	if b.refs.Load() < 0 {
		return b.home.put(b)
	}
	fits := b.home.fits(cap(b.B))
	if sanitize.Enabled {
		sanitize.Released(b.B)
	}
	for {
		n := b.refs.Load()
		switch m := mark(n); {
		case m > 0:
			if b.refs.CompareAndSwap(n, -m) {
				return fits
			}
		case m < 0: // not unless RefStore was called meanwhile
			return false
		case b.refs.CompareAndSwap(n, pooled): // evicted meanwhile
			if sanitize.Enabled {
				sanitize.Reused(b.B) // put tells it
			}
			return b.home.put(b)
		}
	}
}

// RefValue returns the count: the references beside the first. It is below 0 if
// the Buffer is in the pool.
func (b *Buffer) RefValue() int64 {
	n := b.refs.Load()
	if m := mark(n); m >= 0 {
		return n - m
	}
	return -1
}

// RefInc adds a reference: Release has to be called once more.
func (b *Buffer) RefInc() { b.refs.Add(1) }

// RefDec takes a reference away. Other than Release it never ends the buffer.
func (b *Buffer) RefDec() { b.refs.Add(-1) }

// RefAdd adds delta references.
func (b *Buffer) RefAdd(delta int64) { b.refs.Add(delta) }

// RefStore sets the count, except that of a Buffer in the pool.
func (b *Buffer) RefStore(count int64) {
	for {
		n := b.refs.Load()
		m := mark(n)
		if m < 0 || b.refs.CompareAndSwap(n, m+count) {
			return
		}
	}
}

// RefReset sets the count to 0.
func (b *Buffer) RefReset() { b.RefStore(0) }

// RefSwapDec takes a reference away and returns what the count was, or a number
// below 0 if the Buffer is in the pool.
func (b *Buffer) RefSwapDec() int64 {
	n := b.refs.Add(-1) + 1
	if m := mark(n); m >= 0 {
		return n - m
	}
	return -1
}
