// Pooled structs that count their references. The count is pooled, too: a release too many
// takes the reference of the next user.
package matrix

type frame struct {
	refs atomic.Int32
	data []byte
	n    int
}

var pool = sync.Pool{New: func() any { return new(frame) }}

func newFrame() *frame {
	f := pool.Get().(*frame)
	f.refs.Store(1)
	return f
}

func (f *frame) Retain() { f.refs.Add(1) }

func (f *frame) Release() {
	if f.refs.Add(-1) == 0 {
		f.data = f.data[:0]
		pool.Put(f)
	}
}

type T = *frame

func acquire() T      { return newFrame() }
func release(v T)     { v.Release() }
func use(v T)         { v.n++ }
func view(v T) []byte { return v.data }
