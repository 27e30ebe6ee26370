package oct004

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// A parcel is given to functions that release it.
type parcel struct {
	kind byte
	data []byte
}

var parcels = sync.Pool{New: func() any { return &parcel{data: make([]byte, 0, 1024)} }}

func (p *parcel) release() {
	p.data = p.data[:0]
	parcels.Put(p)
}

var (
	errOutboxShut = errors.New("closed")
	errOutboxFull = errors.New("outbox is full")
)

type outbox struct {
	closed bool
	ch     chan *parcel
	w      io.Writer
}

// bad: the parcel is released when the context ends, and not when the check fails.
func (x *outbox) send(ctx context.Context, p *parcel) error {
	if err := x.check(p.kind); err != nil {
		return err // want "OCT004: p is not released where send fails here"
	}
	select {
	case x.ch <- p:
		return nil
	case <-ctx.Done():
		p.release()
		return ctx.Err()
	}
}

func (x *outbox) check(kind byte) error {
	if x.closed {
		return fmt.Errorf("kind %d: %w", kind, errOutboxShut)
	}
	return nil
}

// ok: whoever is told that the outbox is full has the parcel still.
func (x *outbox) try(ctx context.Context, p *parcel) error {
	select {
	case x.ch <- p:
		return nil
	case <-ctx.Done():
		p.release()
		return ctx.Err()
	default:
		return errOutboxFull
	}
}

// bad: the deferred release comes too late for one error.
func (x *outbox) write(p *parcel) error {
	if p.kind == 0 {
		return fmt.Errorf("write: %w", errKind) // want "OCT004: p is not released where write fails here"
	}
	defer p.release()
	_, err := x.w.Write(p.data)
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

// ok: every error releases it.
func (x *outbox) writeRight(p *parcel) error {
	if p.kind == 0 {
		p.release()
		return fmt.Errorf("write: %w", errKind)
	}
	defer p.release()
	_, err := x.w.Write(p.data)
	return err
}

// ok: who fails leaves it to the caller, each time.
func (x *outbox) writeIfKnown(p *parcel) error {
	if p.kind == 0 {
		return fmt.Errorf("write: %w", errKind)
	}
	if _, err := x.w.Write(p.data); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	p.release()
	return nil
}

// ok: the result says whether the parcel was taken.
func (x *outbox) offer(p *parcel) (bool, error) {
	if p.kind == 0 {
		return false, fmt.Errorf("offer: %w", errKind)
	}
	defer p.release()
	_, err := x.w.Write(p.data)
	if err != nil {
		return true, fmt.Errorf("offer: %w", err)
	}
	return true, nil
}

// A request has a parcel.
type parcelRequest struct {
	id     uint32
	parcel *parcel
}

// bad: the same with what is in a field.
func (x *outbox) serve(ctx context.Context, r *parcelRequest) error {
	if x.closed {
		return fmt.Errorf("request %d: %w", r.id, errOutboxShut) // want "OCT004: r.parcel is not released where serve fails here"
	}
	if err := ctx.Err(); err != nil {
		r.parcel.release()
		return err
	}
	x.ch <- r.parcel
	return nil
}

// ok: a request without a parcel has nothing to release.
func (x *outbox) serveAny(ctx context.Context, r *parcelRequest) error {
	if r.parcel == nil {
		return fmt.Errorf("request %d: %w", r.id, errKind)
	}
	if err := ctx.Err(); err != nil {
		r.parcel.release()
		return err
	}
	x.ch <- r.parcel
	return nil
}

// ok: a larger parcel takes the place of the small one, and is the request's.
func (x *outbox) grow(r *parcelRequest, n int) error {
	if n > 1<<20 {
		return fmt.Errorf("request %d: %w", r.id, errKind)
	}
	old := r.parcel
	r.parcel = &parcel{data: make([]byte, n)}
	copy(r.parcel.data, old.data)
	old.release()
	if _, err := x.w.Write(r.parcel.data); err != nil {
		return fmt.Errorf("grow: %w", err)
	}
	return nil
}
