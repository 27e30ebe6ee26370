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

// ok: the wrapper's put comes last.
func typedPoolPutLast(w io.Writer) {
	sb := scratches.get()
	sb.Reset()
	sb.WriteString("x")
	sb.WriteTo(w)
	scratches.put(sb)
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

// number is a constraint over widths.
type number interface{ ~uint16 | ~uint32 | ~uint64 }

// ok: the conversion by the type parameter copies values out.
func sumGeneric[N number](r io.Reader, n int) (total N) {
	raw := bytespool.Get(n)
	io.ReadFull(r, raw)
	for _, c := range raw {
		total += N(c)
	}
	bytespool.Release(raw)
	return total
}

var chunkPool = sync.Pool{New: func() any { p := make([]byte, 16<<10); return &p }}

// bad: the slice behind the pointer is used after the pointer went back.
func slicePointerAfterPut(w io.Writer, r io.Reader) {
	bp := chunkPool.Get().(*[]byte)
	chunk := *bp
	n, _ := r.Read(chunk)
	chunkPool.Put(bp)
	w.Write(chunk[:n]) // want "OCT001: .*(chunk|bp).*"
}

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

// ok: the grown slice is written back, then put.
func slicePointerStoredBeforePut(w io.Writer, items []string) {
	bp := chunkPool.Get().(*[]byte)
	chunk := (*bp)[:0]
	for _, it := range items {
		chunk = append(chunk, it...)
	}
	w.Write(chunk)
	*bp = chunk
	chunkPool.Put(bp)
}

// ok: io.CopyBuffer borrows the buffer for the call only.
func copyBufferBorrowed(w io.Writer, r io.Reader) (int64, error) {
	bp := chunkPool.Get().(*[]byte)
	n, err := io.CopyBuffer(w, r, *bp)
	chunkPool.Put(bp)
	return n, err
}

// ok: sync.Once guards the release; nothing is used after it.
func onceGuard(w io.Writer) func() {
	var once sync.Once
	buf := bytespool.NewString("bye")
	return func() {
		once.Do(func() {
			w.Write(buf)
			bytespool.Release(buf)
		})
	}
}
