package poolz

import (
	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/internal/engine"
)

// A pool is what is known of a pool at one time.
type pool struct {
	id uint64 // of this pool alone; later pools have larger ones
	bytespool.Stats
}

// observe returns all pools that are alive, the oldest first.
func observe() (list []pool) {
	for p := range bytespool.Pools() {
		list = append(list, pool{engine.Of(p).ID(), p.Stats()})
	}
	return list
}

// A drop is how many slices were dropped for a reason, by the name that it has in JSON
// and on the page.
type drop struct {
	reason, text string
	slices       uint64
}

// drops returns the reasons for which slices are dropped, in the order in which they
// are shown.
func (p *pool) drops() [7]drop {
	d := &p.Dropped
	return [...]drop{
		{"over_budget", "over budget", d.OverBudget},
		{"bound", "not needed lately", d.OverBound},
		{"age", "unused for long", d.Aged},
		{"pressure", "short of memory", d.Pressure},
		{"trim", "trimmed", d.Trimmed},
		{"too_small", "too small", p.TooSmall},
		{"too_large", "too large", p.TooLarge},
	}
}
