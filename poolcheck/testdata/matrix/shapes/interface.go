// Pooled structs behind an interface.
package matrix

type frame interface {
	Bytes() []byte
	Grow(n int)
	Release()
}

type memoryFrame struct{ data []byte }

var pool = sync.Pool{New: func() any { return new(memoryFrame) }}

func newFrame() frame { return pool.Get().(*memoryFrame) }

func (f *memoryFrame) Bytes() []byte { return f.data }
func (f *memoryFrame) Grow(n int)    { f.data = append(f.data, make([]byte, n)...) }

func (f *memoryFrame) Release() {
	f.data = f.data[:0]
	pool.Put(f)
}

type T = frame

func acquire() T      { return newFrame() }
func release(v T)     { v.Release() }
func use(v T)         { v.Grow(1) }
func view(v T) []byte { return v.Bytes() }
