package bytespool

import (
	"strconv"
	"time"

	"github.com/octet-go/octet/internal/engine"
)

// An Option changes what [NewPool] and [NewBufPool] make. All of them may
// be combined, except [WithLimit] and [WithSharedLimit].
type Option interface {
	apply(*engine.Config)
}

type sizesOption struct{ min, max int }

func (o sizesOption) apply(c *engine.Config) { c.MinSize, c.MaxSize = o.min, o.max }

// WithSizes gives the pool classes for slices of min to max bytes: the powers of two from
// min rounded up to max rounded up (see [WithSteps] and [WithExactMax] for others). The
// smallest possible is 2 bytes, the largest 2 GiB, or 1 GiB where int has 32 bits. A min
// above max counts as max. Smaller requests get a slice of the smallest class; larger ones
// are allocated, and not kept.
func WithSizes(min, max int) Option { return sizesOption{min, max} }

type nameOption string

func (o nameOption) apply(c *engine.Config) { c.Name = string(o) }

// WithName gives the pool a name, which [Pool.Stats] and reports of
// misuse show. The default is no name.
func WithName(name string) Option { return nameOption(name) }

type budgetOption int64

func (o budgetOption) apply(c *engine.Config) { c.Budget = int64(o) }

// WithIdleBudget bounds the bytes that the pool keeps idle. A slice that is
// released beyond it is dropped, and counted in OverBudget of [github.com/octet-go/octet/bytespool/stats.Dropped]. By default,
// and with 0 or less, there is no budget; idle memory is then bounded by what recent
// use needed, and by [WithRetain].
//
// Half of the budget is divided among processors and classes. The other half is
// shared, and an operation on it takes a lock. A class too large for a processor's
// share uses only the shared half. To avoid that, give a budget of many times the
// largest class, or bounds that leave out sizes that are not needed.
func WithIdleBudget(bytes int64) Option { return budgetOption(bytes) }

type retainOption time.Duration

func (o retainOption) apply(c *engine.Config) { c.Retain, c.Ordered = time.Duration(o), true }

// WithRetain makes the pool keep what was used within the last d, whatever the
// number of collections and however much that is: only [WithIdleBudget] bounds it, and what
// GOMEMLIMIT leaves beyond twice the live heap. With 0 or less,
// what is not used between two collections is gone, as from a sync.Pool. A program without
// traffic has a collection every two minutes, and so keeps nothing after d and four minutes
// more.
//
// By default pools retain for a second, and all of them together no more than
// [github.com/octet-go/octet/bytespool/stats.Pressure] says: 16 MiB, or a tenth of the live
// heap; no more than the tenth where they use more than 20 MiB.
//
// A pool that had to drop something for its budget retains nothing until the next
// collection. Services whose load comes in bursts want retention, because without it the
// collections between two bursts empty the pools.
func WithRetain(d time.Duration) Option { return retainOption(d) }

type stepsOption int

func (o stepsOption) apply(c *engine.Config) {
	if o != 1 && o != 2 && o != 4 {
		panic("bytespool: WithSteps(" + strconv.Itoa(int(o)) + "): use 1, 2 or 4 classes a doubling")
	}
	c.Steps = int(o)
}

// WithSteps gives the pool n classes for each doubling of the size, n being 1, 2 or
// 4; other values panic. The default is 1: powers of two. With 4, a slice of more than
// 256 bytes has at most 1.25 times the capacity asked for, and with 2 at most 1.5.
// Classes up to 256 bytes are powers of two in any case.
//
// More classes save memory where slices are large and live long. But requests of
// different sizes then share a class less often, so that each class is used less. Go's
// allocator rounds 3,584 and 7,168 bytes up to the next classes, so these two save
// nothing.
//
// Release a slice whose capacity is no power of two into a pool with the same steps:
// others file it under the next class below, and so lose a part of it.
func WithSteps(n int) Option { return stepsOption(n) }

type exactOption struct{}

func (exactOption) apply(c *engine.Config) { c.Exact = true }

// WithExactMax gives the largest class exactly maxSize bytes (see [NewPool]), in
// place of the next power of two or step. It is for arrays of odd size, such as the
// *[65535]byte of an API, which the program then takes from the pool and gives back as
// slices: New(65535) has a capacity of 65535, and so has a[:] of the array. It also saves memory
// where most slices are a little larger than a power of two.
//
// New and Release take about a nanosecond more. A maxSize above 1 GiB is rounded up as usual.
func WithExactMax() Option { return exactOption{} }

// A ClearPolicy says when pools clear memory.
type ClearPolicy uint8

const (
	// ClearNever leaves old bytes in the slices. It is the default.
	ClearNever ClearPolicy = iota

	// ClearOnGet clears a slice, up to the length asked for, when it is handed out.
	// What lies between its length and its capacity is not cleared.
	ClearOnGet

	// ClearOnRelease clears the whole capacity of a slice when it is released, even
	// if the pool rejects it, so that what it held does not stay in memory. This
	// does not make new slices clean: those that are allocated may show other old
	// memory of the program.
	ClearOnRelease
)

func (o ClearPolicy) apply(c *engine.Config) {
	switch o {
	case ClearNever:
		c.Clear = engine.ClearNever
	case ClearOnGet:
		c.Clear = engine.ClearOnGet
	case ClearOnRelease:
		c.Clear = engine.ClearOnRelease
	default:
		panic("bytespool: unknown ClearPolicy; use ClearNever, ClearOnGet or ClearOnRelease")
	}
}

// WithClear makes the pool clear memory. That takes 10 to 20 ns for a kilobyte, and the
// calls that clear leave the fastest path.
func WithClear(policy ClearPolicy) Option { return policy }
