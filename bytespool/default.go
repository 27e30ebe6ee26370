package bytespool

import "time"

// The sizes of a pool unless WithSizes says otherwise.
const (
	defaultMinSize = 2
	defaultMaxSize = 64 << 20
)

// defaultRetain is how long pools keep what was used, unless WithRetain says otherwise.
const defaultRetain = time.Second

var defaultPool = NewPool(WithName("default"))

// Default returns the pool that the functions of this package use, for its [Pool.Stats] and
// [Pool.Trim]. For other options, make a pool by [NewPool].
func Default() *Pool { return defaultPool }

// New is [Pool.New] of the default pool.
func New(size int) []byte { return defaultPool.pool.New(size) }

// Make is [Pool.Make] of the default pool.
func Make(capacity int) []byte { return defaultPool.Make(capacity) }

// Append is [Pool.Append] of the default pool.
func Append(buf []byte, elems ...byte) []byte { return defaultPool.Append(buf, elems...) }

// Release is [Pool.Release] of the default pool.
func Release(buf []byte) { defaultPool.pool.Release(buf) }

// Abandon is [Pool.Abandon] of the default pool.
func Abandon(buf []byte) { defaultPool.Abandon(buf) }
