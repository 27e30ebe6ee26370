// A pair of functions around a sync.Pool, which keeps large buffers out of it.
package matrix

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func getBuffer() *bytes.Buffer {
	b := pool.Get().(*bytes.Buffer)
	b.Reset()
	return b
}

func putBuffer(b *bytes.Buffer) {
	if b.Cap() > 1<<16 {
		return
	}
	pool.Put(b)
}

type T = *bytes.Buffer

func acquire() T      { return getBuffer() }
func release(v T)     { putBuffer(v) }
func use(v T)         { v.WriteString("x") }
func view(v T) []byte { return v.Bytes() }
