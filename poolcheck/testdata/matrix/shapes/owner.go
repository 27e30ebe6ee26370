// Structs that are not pooled, and own a slice that is. They forget it on release, so that
// another release does nothing.
package matrix

type frame struct{ data []byte }

var pool = sync.Pool{New: func() any { b := make([]byte, 4096); return &b }}

func newFrame() *frame { return &frame{data: *pool.Get().(*[]byte)} }

func (f *frame) Release() {
	if f.data == nil {
		return
	}
	b := f.data
	f.data = nil
	pool.Put(&b)
}

type T = *frame

func acquire() T      { return newFrame() }
func release(v T)     { v.Release() }
func use(v T)         { v.data[0] = 1 }
func view(v T) []byte { return v.data[:3] }
