// Pooled structs from a function that may fail.
package matrix

type frame struct {
	data []byte
	n    int
}

var pool = sync.Pool{New: func() any { return new(frame) }}

func decode() (*frame, error) {
	f := pool.Get().(*frame)
	if err := check(f.data); err != nil {
		f.Free()
		return nil, err
	}
	return f, nil
}

func mustDecode() *frame {
	f, err := decode()
	if err != nil {
		panic(err)
	}
	return f
}

func (f *frame) Free() {
	f.data = f.data[:0]
	f.n = 0
	pool.Put(f)
}

type T = *frame

func acquire() T      { return mustDecode() }
func release(v T)     { v.Free() }
func use(v T)         { v.n++ }
func view(v T) []byte { return v.data }
