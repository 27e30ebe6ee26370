package oct004

import (
	"context"
	"sync"
)

var borrowedPool = sync.Pool{New: func() any { b := make([]byte, 4096); return &b }}

// A blockDevice is implemented elsewhere.
type blockDevice interface {
	ReadBlock(p []byte, at int64) (int, error)
	WriteBlock(p []byte, at int64) error
	WriteAsync(p []byte, at int64) error
	Submit(p []byte) error
	Close() error
}

// ok: the device takes over what is submitted to it.
func submit(d blockDevice) error {
	b := borrowedPool.Get().(*[]byte)
	clear(*b)
	return d.Submit(*b)
}

// A dialect is a struct of functions.
type dialect struct {
	compress func(p []byte) (int, error)
	frame    func(p []byte) []byte
	handle   func(ctx context.Context, p []byte) error
}

// ok: what is returned may show the memory.
func (d *dialect) framed(src []byte) []byte {
	b := borrowedPool.Get().(*[]byte)
	copy(*b, src)
	return d.frame(*b)
}

// ok: a handler may take over what it is given.
func (d *dialect) handled(ctx context.Context, src []byte) error {
	b := borrowedPool.Get().(*[]byte)
	copy(*b, src)
	return d.handle(ctx, *b)
}

// A frameHolder has pooled memory in a field.
type frameHolder struct{ data *[]byte }

type frameCodec interface {
	MarshalFrame(f *frameHolder) error
}

// ok: what was put into the struct is in it still.
func marshalFrameRight(c frameCodec) error {
	f := &frameHolder{data: borrowedPool.Get().(*[]byte)}
	err := c.MarshalFrame(f)
	borrowedPool.Put(f.data)
	return err
}
