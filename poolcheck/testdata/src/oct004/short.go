package oct004

import (
	"errors"
	"io"
	"sync"
)

var scratches sync.Pool

// ok: a slice from the pool that is shorter than needed is dropped.
func shortDropped(r io.Reader, n int) error {
	var buf []byte
	if bp, ok := scratches.Get().(*[]byte); ok && len(*bp) >= n {
		defer scratches.Put(bp)
		buf = *bp
	} else {
		buf = make([]byte, n)
		defer scratches.Put(&buf)
	}
	_, err := r.Read(buf)
	return err
}

// bad: what is short is what was read, not the slice.
func shortRead(r io.Reader, n int) error {
	bp := scratches.Get().(*[]byte) // want "OCT004: bp is not released on every path"
	k, err := r.Read(*bp)
	if *bp = (*bp)[:k]; len(*bp) < n {
		return errors.New("short")
	}
	scratches.Put(bp)
	return err
}
