package bytespool

// A BufPool hands out slices of one length. It satisfies the interface BufferPool
// of [net/http/httputil]. Make one with [NewBufPool]. It is safe for concurrent
// use.
type BufPool struct {
	size int
	pool *CapacityPools
}

// NewBufPool returns a pool of slices of length size. A size below 0 counts as
// 0. Slices above the largest class, 2 GiB or 1 GiB where int has 32 bits, are
// allocated each time. Options are those of [NewCapacityPools]; the name is "BufPool"
// unless they say otherwise.
func NewBufPool(size int, opts ...Option) *BufPool {
	size = max(size, 0)
	opts = append([]Option{WithName("BufPool")}, opts...)
	return &BufPool{size: size, pool: NewCapacityPools(size, size, opts...)}
}

// Pools returns the pools behind p, for their statistics and for Trim.
func (p *BufPool) Pools() *CapacityPools { return p.pool }

// Get returns a slice of exactly the pool's length, which may hold old bytes. It
// belongs to the caller until it is put back. Get panics if the pool's length is
// larger than any slice can have.
func (p *BufPool) Get() []byte { return p.pool.pool.New(p.size) }

// Put gives buf back. Like [CapacityPools.Release] it rejects slices that are
// too small, or far too large, whoever made them.
func (p *BufPool) Put(buf []byte) { p.pool.pool.Release(buf) }
