// Package buffer has the names of github.com/fufuok/bytespool/buffer, for programs that
// were written for it: they change their import path and nothing else.
//
// Buffers are those of package [github.com/octet-go/octet/bytespool/buffer], which has one
// name for each thing, and what is new. The two packages may be mixed.
package buffer

import (
	"bytes"
	"math"
	"sync"

	octet "github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	"github.com/octet-go/octet/compat/bytespool"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/earlier"
)

func init() { check.RegisterPackage() }

// A Buffer is a [buffer.Buffer]. Its deprecated methods are there for programs that use this
// package: a type cannot have methods under one name only.
type Buffer = buffer.Buffer

var (
	ErrTooLarge   = buffer.ErrTooLarge    // content would exceed 2 GiB - 1
	ErrClose      = buffer.ErrClose       // what Close returns if the Buffer was released
	ErrTruncation = earlier.ErrTruncation // what Truncate panics with
	ErrGrow       = earlier.ErrGrow       // what Grow and Guarantee panic with if the count is negative
)

// usualSize is DefaultBufferSize unless the program changes it.
const usualSize = 64

// DefaultBufferSize is the capacity that [Get] asks for if its caller does not.
// Set it before goroutines use the package.
var DefaultBufferSize = usualSize

// Get returns an empty Buffer with room for at least capacity bytes, as [buffer.Make] does.
// Without a capacity it has room for at least DefaultBufferSize bytes; unless the program
// has changed that, the size follows recent use, as that of [buffer.Get] does.
func Get(capacity ...int) *Buffer {
	switch {
	case len(capacity) > 0:
		return buffer.Make(capacity[0])
	case DefaultBufferSize == usualSize:
		return buffer.Get()
	}
	return buffer.Make(DefaultBufferSize)
}

// New returns a Buffer whose content is size bytes, which may be old bytes.
func New(size int) *Buffer {
	b := buffer.Make(size)
	b.B = b.B[:max(size, 0)]
	return b
}

// Make is [buffer.Make].
func Make(capacity int) *Buffer { return buffer.Make(capacity) }

// Make64 is [Make]. It panics with [ErrTooLarge] if capacity is above 2 GiB - 1.
func Make64(capacity uint64) *Buffer {
	if capacity > math.MaxInt32 {
		panic(ErrTooLarge)
	}
	return buffer.Make(int(capacity))
}

// MakeMin returns a Buffer with room for MinSize bytes.
func MakeMin() *Buffer { return buffer.Make(MinSize()) }

// MakeMax returns a Buffer with room for MaxSize bytes.
func MakeMax() *Buffer { return buffer.Make(MaxSize()) }

// NewBuffer is [buffer.NewBuffer].
func NewBuffer(buf []byte) *Buffer { return buffer.NewBuffer(buf) }

// NewBytes is [buffer.NewBytes].
func NewBytes(bs []byte) *Buffer { return buffer.NewBytes(bs) }

// NewString is [buffer.NewString].
func NewString(s string) *Buffer { return buffer.NewString(s) }

// Clone is the method Clone of b.
func Clone(b *Buffer) *Buffer { return b.Clone() }

// Release is the method Release of b.
func Release(b *Buffer) bool { return b.Release() }

// Put is the method Release of b, without a result.
func Put(b *Buffer) { b.Release() }

// GetReader is [buffer.GetReader].
func GetReader(p []byte) *bytes.Reader { return buffer.GetReader(p) }

// PutReader is [buffer.PutReader].
func PutReader(r *bytes.Reader) { buffer.PutReader(r) }

// MinSize returns the smallest size of the pools.
func MinSize() int { return buffer.Pools().MinSize() }

// MaxSize returns the largest size of the pools. Larger buffers are allocated.
func MaxSize() int { return buffer.Pools().MaxSize() }

// SetCapacity makes the package, and [github.com/octet-go/octet/bytespool/buffer], use new
// pools for arrays of minSize to maxSize bytes: see [buffer.SetPools]. Until it is called,
// they use those of package bytespool.
func SetCapacity(minSize, maxSize int) {
	buffer.SetPools(octet.NewCapacityPools(minSize, maxSize, octet.WithName("buffer")))
}

// own are the pools that the package used last instead of the default ones, with what the
// RuntimeStats family has counted of them.
var own struct {
	sync.Mutex
	pools *bytespool.CapacityPools
}

// pools returns the pools that the package uses.
func pools() *bytespool.CapacityPools {
	now := buffer.Pools()
	if p := bytespool.DefaultCapacityPools; p.CapacityPools == now {
		return p
	}
	own.Lock()
	defer own.Unlock()
	if own.pools == nil || own.pools.CapacityPools != now {
		own.pools = &bytespool.CapacityPools{CapacityPools: now}
	}
	return own.pools
}

// SetWithStats switches [RuntimeStats] and [RuntimeStatsSummary] on or off.
func SetWithStats(on bool) { pools().SetWithStats(on) }

// GetWithStats reports whether they are switched on.
func GetWithStats() bool { return pools().GetWithStats() }

// RuntimeStats is [bytespool.RuntimeStats] of the package's pools.
func RuntimeStats() map[string]uint64 { return bytespool.RuntimeStats(pools()) }

// RuntimeStatsSummary is [bytespool.RuntimeStatsSummary] of the package's pools.
func RuntimeStatsSummary(topN int) bytespool.RuntimeSummary {
	return bytespool.RuntimeStatsSummary(topN, pools())
}
