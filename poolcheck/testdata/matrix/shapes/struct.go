// Structs that are pooled with the slice that they keep, and put themselves back.
package matrix

type frame struct {
	data []byte
	n    int
}

var pool = sync.Pool{New: func() any { return new(frame) }}

func newFrame() *frame {
	f := pool.Get().(*frame)
	f.n = 0
	return f
}

func (f *frame) Free() {
	f.data = f.data[:0]
	pool.Put(f)
}

type T = *frame

func acquire() T      { return newFrame() }
func release(v T)     { v.Free() }
func use(v T)         { v.n++ }
func view(v T) []byte { return v.data }
