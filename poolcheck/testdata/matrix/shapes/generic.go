// A generic type around a sync.Pool.
package matrix

type Pool[E any] struct{ p sync.Pool }

func NewPool[E any](f func() E) *Pool[E] {
	return &Pool[E]{sync.Pool{New: func() any { return f() }}}
}

func (p *Pool[E]) Get() E  { return p.p.Get().(E) }
func (p *Pool[E]) Put(v E) { p.p.Put(v) }

var pool = NewPool(func() *bytes.Buffer { return new(bytes.Buffer) })

type T = *bytes.Buffer

func acquire() T      { return pool.Get() }
func release(v T)     { pool.Put(v) }
func use(v T)         { v.WriteString("x") }
func view(v T) []byte { return v.Bytes() }
