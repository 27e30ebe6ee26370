package oct004

import (
	"compress/gzip"
	"context"
	"io"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

var (
	bodies   buffer.Pool
	admitted = bytespool.NewPool(bytespool.WithSizes(64, 1<<20))
)

// bad: what writes to a Buffer that asks for room may fail.
func squeezed(ctx context.Context, p []byte) error {
	b, err := bodies.Acquire(ctx, 64) // want "OCT004: b is not released on every path"
	if err != nil {
		return err
	}
	if err := b.WriteByte(1); err != nil {
		b.Release()
		return err
	}
	w := gzip.NewWriter(b)
	if _, err := w.Write(p); err != nil {
		return err
	}
	b.Release()
	return nil
}

// bad: reading is no better.
func readBody(r io.Reader) (int, error) {
	b, err := bodies.TryGet(64) // want "OCT004: b is not released on every path"
	if err != nil {
		return 0, err
	}
	if _, err := b.ReadFrom(r); err != nil {
		return 0, err
	}
	defer b.Release()
	return b.Len(), nil
}

// ok: a Buffer of Get does not ask, and Write does not fail.
func wroteWhatever(p []byte) error {
	b := buffer.Get()
	if _, err := b.Write(p); err != nil {
		return err
	}
	if err := b.WriteByte(1); err != nil {
		return err
	}
	b.Release()
	return nil
}

// bad: the slice belongs to the Buffer now, which is not released.
func framed(ctx context.Context, n int) (int, error) {
	p, err := admitted.Acquire(ctx, n)
	if err != nil {
		return 0, err
	}
	b := bodies.NewBuffer(p) // want "OCT004: b is not released on every path"
	if n > 100 {
		return 0, io.ErrShortBuffer
	}
	b.Release()
	return n, nil
}
