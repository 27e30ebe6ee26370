// A pool of slices whose Get takes a size.
package matrix

type bytesPool struct{ p sync.Pool }

func (p *bytesPool) Get(n int) []byte {
	if b, ok := p.p.Get().(*[]byte); ok {
		if cap(*b) >= n {
			return (*b)[:n]
		}
		p.p.Put(b)
	}
	return make([]byte, n)
}

func (p *bytesPool) Put(b []byte) { p.p.Put(&b) }

var pool = new(bytesPool)

type T = []byte

func acquire() T      { return pool.Get(64) }
func release(v T)     { pool.Put(v) }
func use(v T)         { v[0] = 1 }
func view(v T) []byte { return v[1:3] }
