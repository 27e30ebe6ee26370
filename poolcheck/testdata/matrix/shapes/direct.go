// A sync.Pool of buffers that the program uses directly.
package matrix

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

type T = *bytes.Buffer

func acquire() T      { return pool.Get().(*bytes.Buffer) }
func release(v T)     { pool.Put(v) }
func use(v T)         { v.Reset() }
func view(v T) []byte { return v.Bytes() }
