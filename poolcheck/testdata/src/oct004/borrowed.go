package oct004

import (
	"sync"
)

var borrowedPool = sync.Pool{New: func() any { b := make([]byte, 4096); return &b }}

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
