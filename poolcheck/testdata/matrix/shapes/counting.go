// Structs that are not pooled, own a slice that is, and count their references. A release
// too many does nothing.
package matrix

type frame struct {
	refs atomic.Int32
	data *[]byte
}

var pool = sync.Pool{New: func() any { b := make([]byte, 4096); return &b }}

func newFrame() *frame {
	f := &frame{data: pool.Get().(*[]byte)}
	f.refs.Store(1)
	return f
}

func (f *frame) Retain() { f.refs.Add(1) }

func (f *frame) Release() {
	if f.refs.Add(-1) == 0 {
		pool.Put(f.data)
		f.data = nil
	}
}

type T = *frame

func acquire() T      { return newFrame() }
func release(v T)     { v.Release() }
func use(v T)         { (*v.data)[0] = 1 }
func view(v T) []byte { return (*v.data)[:3] }
