package bytespool

import (
	"math"
	"strconv"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/rt"
)

func init() {
	check.RegisterPackage()
	InitDefaultPools(2, 4<<20)
}

// A BufPool is a [bytespool.BufPool].
type BufPool = bytespool.BufPool

// NewBufPool is [bytespool.NewBufPool] without options.
func NewBufPool(size int) *BufPool { return bytespool.NewBufPool(size) }

// CapacityPools is a [bytespool.Pool] with more methods. Make one with
// [NewCapacityPools], or from pools that have options:
//
//	p := &CapacityPools{Pool: pools}
//
// All methods are safe for concurrent use. A CapacityPools must not be copied.
type CapacityPools struct {
	*bytespool.Pool

	tally tally // of the RuntimeStats family
}

// DefaultCapacityPools is what the functions of this package use: at first, the pools that
// package [github.com/octet-go/octet/bytespool] uses, too. They serve 2 bytes to 4 MiB, as the
// original's do, in a program that imports this package. Programs may replace the variable
// before they start goroutines that use it.
var DefaultCapacityPools = &CapacityPools{Pool: bytespool.Default()}

// NewCapacityPools is [bytespool.NewPool] with sizes and no other options.
func NewCapacityPools(minSize, maxSize int) *CapacityPools {
	return &CapacityPools{Pool: bytespool.NewPool(bytespool.WithSizes(minSize, maxSize))}
}

// InitDefaultPools changes the bounds of [DefaultCapacityPools] as if it had been
// made with them. It is safe at any time: slices in use stay valid. Those that no
// longer fit are rejected when they are released, and [bytespool.Pool.Stats] goes on counting
// them as in use.
func InitDefaultPools(minSize, maxSize int) {
	engine.Of(DefaultCapacityPools.Pool).Reconfigure(minSize, maxSize)
}

// Bytes returns a slice of the given length and capacity whose memory was not
// cleared. It is not from a pool; it belongs to the caller for good. It panics
// if len is negative or larger than cap.
func Bytes(len, cap int) []byte {
	if len < 0 || len > cap {
		panic("bytespool: Bytes: length " + strconv.Itoa(len) + " is not between 0 and the capacity " + strconv.Itoa(cap))
	}
	return rt.DirtyBytes(cap)[:len]
}

// Get is the same as New.
func (p *CapacityPools) Get(size int) []byte { return p.New(size) }

// NewBytes returns a copy of bs, which belongs to the caller until it is released.
func (p *CapacityPools) NewBytes(bs []byte) []byte {
	b := p.New(len(bs))
	copy(b, bs)
	return b
}

// NewString returns a copy of s, which belongs to the caller until it is released.
func (p *CapacityPools) NewString(s string) []byte {
	b := p.New(len(s))
	copy(b, s)
	return b
}

// AppendString is Append for the bytes of a string.
func (p *CapacityPools) AppendString(buf []byte, elems string) []byte {
	return p.Append(buf, []byte(elems)...) // which makes no copy of elems
}

// Release is [bytespool.Pool.Release], and reports whether the pool kept buf.
func (p *CapacityPools) Release(buf []byte) bool { return engine.Of(p.Pool).Release(buf) }

// Put is Release without a result.
func (p *CapacityPools) Put(buf []byte) { p.Pool.Release(buf) }

// MinSize returns the lower bound that the pools were made with, at least 2.
func (p *CapacityPools) MinSize() int {
	n, _ := engine.Of(p.Pool).Sizes()
	return n
}

// MaxSize returns the upper bound that the pools were made with, at most 2 GiB - 1.
func (p *CapacityPools) MaxSize() int {
	_, n := engine.Of(p.Pool).Sizes()
	return n
}

// Clone is the same as NewBytes. The caller keeps buf as well.
func (p *CapacityPools) Clone(buf []byte) []byte { return p.NewBytes(buf) }

// New64 is New. It panics if size does not fit an int.
func (p *CapacityPools) New64(size uint64) []byte { return p.New(toInt(size)) }

// Make64 is Make. It panics if capacity does not fit an int.
func (p *CapacityPools) Make64(capacity uint64) []byte { return p.Make(toInt(capacity)) }

func toInt(n uint64) int {
	if n > math.MaxInt {
		panic("bytespool: size " + strconv.FormatUint(n, 10) + " does not fit an int")
	}
	return int(n)
}

// NewMin returns a slice of length MinSize.
func (p *CapacityPools) NewMin() []byte { return p.New(p.MinSize()) }

// NewMax returns a slice of length MaxSize.
func (p *CapacityPools) NewMax() []byte { return p.New(p.MaxSize()) }

// MakeMin returns a slice of length 0 with room for MinSize bytes.
func (p *CapacityPools) MakeMin() []byte { return p.Make(p.MinSize()) }

// MakeMax returns a slice of length 0 with room for MaxSize bytes.
func (p *CapacityPools) MakeMax() []byte { return p.Make(p.MaxSize()) }

// These are the methods of the default pools.

func New(size int) []byte                     { return DefaultCapacityPools.New(size) }
func Get(size int) []byte                     { return DefaultCapacityPools.New(size) }
func New64(size uint64) []byte                { return DefaultCapacityPools.New64(size) }
func NewMin() []byte                          { return DefaultCapacityPools.NewMin() }
func NewMax() []byte                          { return DefaultCapacityPools.NewMax() }
func Make(capacity int) []byte                { return DefaultCapacityPools.Make(capacity) }
func Make64(capacity uint64) []byte           { return DefaultCapacityPools.Make64(capacity) }
func MakeMin() []byte                         { return DefaultCapacityPools.MakeMin() }
func MakeMax() []byte                         { return DefaultCapacityPools.MakeMax() }
func NewBytes(bs []byte) []byte               { return DefaultCapacityPools.NewBytes(bs) }
func NewString(s string) []byte               { return DefaultCapacityPools.NewString(s) }
func Clone(buf []byte) []byte                 { return DefaultCapacityPools.NewBytes(buf) }
func Append(buf []byte, elems ...byte) []byte { return DefaultCapacityPools.Append(buf, elems...) }
func AppendString(buf []byte, elems string) []byte {
	return DefaultCapacityPools.AppendString(buf, elems)
}
func Release(buf []byte) bool { return DefaultCapacityPools.Release(buf) }
func Put(buf []byte)          { DefaultCapacityPools.Put(buf) }
func MinSize() int            { return DefaultCapacityPools.MinSize() }
func MaxSize() int            { return DefaultCapacityPools.MaxSize() }
func SetWithStats(on bool)    { DefaultCapacityPools.SetWithStats(on) }
func GetWithStats() bool      { return DefaultCapacityPools.GetWithStats() }
