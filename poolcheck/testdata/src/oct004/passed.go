package oct004

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// A packet comes from the network. Whoever receives one puts it back.
type packet struct {
	kind byte
	body []byte
}

var packets = sync.Pool{New: func() any { return new(packet) }}

var errKind = errors.New("unexpected kind")

type inbox struct {
	ch   chan *packet
	done chan struct{}
}

func (x *inbox) receive(ctx context.Context) (*packet, error) {
	select {
	case p := <-x.ch:
		return p, nil
	case <-x.done:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// bad: a packet of another kind is not handed on, and lost.
func (x *inbox) receiveKind(ctx context.Context, kind byte) (*packet, error) {
	p, err := x.receive(ctx) // want "OCT004: p is not released on every path"
	if err != nil {
		return nil, err
	}
	if p.kind != kind {
		return nil, fmt.Errorf("%w: %d", errKind, p.kind)
	}
	return p, nil
}

// ok: its caller puts back what it gets.
func (x *inbox) answer(ctx context.Context) (string, error) {
	p, err := x.receiveKind(ctx, 1)
	if err != nil {
		return "", err
	}
	s := string(p.body)
	packets.Put(p)
	return s, nil
}

// bad: an empty packet is skipped.
func (x *inbox) drainTo(ctx context.Context, w io.Writer) error {
	for {
		p, err := x.receive(ctx) // want "OCT004: p is not released on every path"
		if err != nil {
			return err
		}
		if p.kind == 0 {
			continue
		}
		_, err = w.Write(p.body)
		packets.Put(p)
		if err != nil {
			return err
		}
	}
}

// ok: a packet is handed on to whoever waits for it, or put back.
func (x *inbox) route(ctx context.Context, to map[byte]*inbox) error {
	for {
		p, err := x.receive(ctx)
		if err != nil {
			return err
		}
		if y := to[p.kind]; y != nil {
			y.ch <- p
			continue
		}
		packets.Put(p)
	}
}

// ok: nothing here puts packets back.
func (x *inbox) kinds(ctx context.Context, n int) ([]byte, error) {
	var kinds []byte
	for range n {
		p, err := x.receive(ctx)
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, p.kind)
	}
	return kinds, nil
}
