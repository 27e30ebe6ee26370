package poolz

import (
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/internal/engine"
)

// A pool is what is known of a pool at one time.
type pool struct {
	id uint64 // of this pool alone; later pools have larger ones
	bytespool.Stats
	settings
}

// settings are how a pool was made, and how its limit stands.
type settings struct {
	budget int64 // 0 if there is none
	retain time.Duration
	steps  int
	limit  limit
}

// A limit is how a limit on bytes in use stands; zero if there is none.
type limit struct {
	bytes, inUse, reserved, peak int64

	waiting            int
	admitted, rejected uint64
	waited             time.Duration
}

// observe returns all pools that are alive, the oldest first.
func observe() (list []pool) {
	for p := range bytespool.Pools() {
		s := p.Stats()
		list = append(list, pool{id: engine.Of(p).ID(), Stats: s, settings: settingsOf(&s)})
	}
	return list
}

// settingsOf returns the settings in s.
func settingsOf(s *bytespool.Stats) settings {
	return settings{}
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
