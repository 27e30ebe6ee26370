package oct001

import (
	"bytes"
	"io"
	"sync"

	"github.com/octet-go/octet/bytespool"
)

// typedPool wraps sync.Pool with a type.
type typedPool[T any] struct{ p sync.Pool }

func (t *typedPool[T]) get() *T {
	if v := t.p.Get(); v != nil {
		return v.(*T)
	}
	return new(T)
}

func (t *typedPool[T]) put(v *T) { t.p.Put(v) }

var scratches typedPool[bytes.Buffer]

// bad: the wrapper's put releases like sync.Pool's.
func typedPoolUseAfterPut(w io.Writer) {
	sb := scratches.get()
	sb.Reset()
	sb.WriteString("x")
	scratches.put(sb)
	sb.WriteTo(w) // want "OCT001: .*sb.*"
}

// appender is what an encoder of T does.
type appender[T any] func(dst []byte, v T) []byte

// ok: a generic encoder that is done before it releases.
func encodeGenericRight[T any](w io.Writer, v T, enc appender[T]) bool {
	out := bytespool.Make(256)
	out = enc(out, v)
	w.Write(out)
	ok := len(out) > 0 && out[0] == '{'
	bytespool.Release(out)
	return ok
}

var chunkPool = sync.Pool{New: func() any { p := make([]byte, 16<<10); return &p }}

// bad: written back through the pointer after the pointer went back.
func slicePointerStoredAfterPut(w io.Writer, items []string) {
	bp := chunkPool.Get().(*[]byte)
	chunk := (*bp)[:0]
	for _, it := range items {
		chunk = append(chunk, it...)
	}
	w.Write(chunk)
	chunkPool.Put(bp)
	*bp = chunk // want "OCT001: .*bp.*"
}
