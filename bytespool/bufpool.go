package bytespool

// A BufPool hands out slices of one length. It satisfies the interface BufferPool
// of [net/http/httputil]. Make one with [NewBufPool]. It is safe for concurrent
// use.
type BufPool struct {
	size int
	pool *Pool
}

// NewBufPool returns a pool of slices of length size. A size below 0 counts as
// 0. Slices above the largest class, 2 GiB or 1 GiB where int has 32 bits, are
// allocated each time. It takes every option of [NewPool] except
// [WithSizes]; the default name is "BufPool".
func NewBufPool(size int, opts ...Option) *BufPool {
	size = max(size, 0)
	opts = append(append([]Option{WithName("BufPool")}, opts...), WithSizes(size, size))
	return &BufPool{size: size, pool: NewPool(opts...)}
}

// Pools returns the pool behind p, for its [Pool.Stats] and
// [Pool.Trim].
func (p *BufPool) Pools() *Pool { return p.pool }

// Get returns a slice of exactly the pool's length, which may hold old bytes. It
// belongs to the caller until Put. Get panics if no slice can be that long.
func (p *BufPool) Get() []byte { return p.pool.pool.New(p.size) }

// Put gives buf back; it must not be used any more. Like [Pool.Release] it
// rejects slices that are too small or far too large, whoever made them.
func (p *BufPool) Put(buf []byte) { p.pool.pool.Release(buf) }
