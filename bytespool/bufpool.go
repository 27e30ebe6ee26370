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
// allocated each time.
func NewBufPool(size int) *BufPool {
	size = max(size, 0)
	return &BufPool{size: size, pool: NewCapacityPools(size, size, WithName("BufPool"))}
}

// Get returns a slice of exactly the pool's length, which may hold old bytes. It
// belongs to the caller until it is put back. Get panics if the pool's length is
// larger than any slice can have.
func (p *BufPool) Get() []byte { return p.pool.pool.New(p.size) }

// Put gives buf back. Like [CapacityPools.Release] it turns down slices that are
// too small, or far too large, whoever made them.
func (p *BufPool) Put(buf []byte) { p.pool.pool.Release(buf) }
