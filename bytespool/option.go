package bytespool

import "github.com/octet-go/octet/internal/engine"

// An Option changes what [NewCapacityPools] makes. The options are [WithName],
// [WithIdleBudget] and [WithClear].
type Option interface {
	apply(*engine.Config)
}

type nameOption string

func (o nameOption) apply(c *engine.Config) { c.Name = string(o) }

// WithName gives the pools a name, which [CapacityPools.Stats] and reports of
// misuse show. The default is no name.
func WithName(name string) Option { return nameOption(name) }

type budgetOption int64

func (o budgetOption) apply(c *engine.Config) { c.Budget = int64(o) }

// WithIdleBudget bounds the bytes that the pools keep idle. A slice that is
// released beyond it is dropped, and counted in [ClassStats.OverBudget]. The
// default, and what a budget of 0 or less means, is no bound: then idle memory
// goes back after two collections without use.
//
// Such pools drop a slice from elsewhere whose capacity is not that of a class: it
// holds more memory than would be counted.
//
// Half of the budget is divided over processors and classes and the other half
// is shared, where an operation costs a lock. A class of which a processor's
// share cannot hold one slice lives in the shared half alone: give a budget of
// many times the largest class, or bounds that leave out what is not needed. So
// do classes that [InitDefaultPools] adds later.
func WithIdleBudget(bytes int64) Option { return budgetOption(bytes) }

// A ClearPolicy says when pools clear memory.
type ClearPolicy uint8

const (
	// ClearNever leaves old bytes in the slices. It is the default.
	ClearNever ClearPolicy = iota

	// ClearOnGet clears the length asked for when a slice is handed out. What
	// lies between its length and its capacity is not cleared.
	ClearOnGet

	// ClearOnRelease clears the whole capacity of a slice when it is released,
	// so that what it held does not stay in memory, also if the pools turn it
	// down. It does not make new slices clean: those that are allocated may show
	// other old memory of the program.
	ClearOnRelease
)

func (o ClearPolicy) apply(c *engine.Config) {
	switch o {
	case ClearNever:
		c.Clear = engine.ClearNever
	case ClearOnGet:
		c.Clear = engine.ClearNew
	case ClearOnRelease:
		c.Clear = engine.ClearRelease
	default:
		panic("bytespool: unknown ClearPolicy; use ClearNever, ClearOnGet or ClearOnRelease")
	}
}

// WithClear makes the pools clear memory. Clearing costs about 10 ns a kilobyte.
func WithClear(policy ClearPolicy) Option { return policy }
