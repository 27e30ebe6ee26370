package poolz

import (
	"encoding/json"
	"time"
)

// The documentation of the package says what the fields are for.
type (
	document struct {
		Pools []poolObject `json:"pools"`
	}

	poolObject struct {
		ID   uint64 `json:"id"`
		Name string `json:"name"`

		Gets   uint64 `json:"gets"`
		Hits   uint64 `json:"hits"`
		Misses uint64 `json:"misses"`
		Puts   uint64 `json:"puts"`

		OutGets  uint64 `json:"out_gets"`
		OutBytes uint64 `json:"out_bytes"`

		InUseBytes  int64   `json:"in_use_bytes"`
		IdleBytes   int64   `json:"idle_bytes"`
		BudgetBytes int64   `json:"budget_bytes"`
		Retain      float64 `json:"retain_seconds"`

		LimitBytes    int64   `json:"limit_bytes"`
		ReservedBytes int64   `json:"reserved_bytes"`
		PeakBytes     int64   `json:"peak_bytes"`
		Waiting       int     `json:"waiting"`
		Admitted      uint64  `json:"admitted"`
		Rejected      uint64  `json:"rejected"`
		Waited        float64 `json:"waited_seconds"`

		Dropped  droppedObject `json:"dropped"`
		LastDrop *time.Time    `json:"last_drop,omitempty"`

		Classes []classObject `json:"classes,omitempty"`
	}

	droppedObject struct {
		OverBudget uint64 `json:"over_budget"`
		OverBound  uint64 `json:"over_bound"`
		Aged       uint64 `json:"aged"`
		Pressure   uint64 `json:"pressure"`
		Trimmed    uint64 `json:"trimmed"`
		TooSmall   uint64 `json:"too_small"`
		TooLarge   uint64 `json:"too_large"`
	}

	classObject struct {
		Capacity  int    `json:"capacity"`
		Gets      uint64 `json:"gets"`
		Hits      uint64 `json:"hits"`
		Misses    uint64 `json:"misses"`
		Puts      uint64 `json:"puts"`
		InUse     int64  `json:"in_use"`
		IdleBytes int64  `json:"idle_bytes"`
	}
)

// encode returns the JSON of pools, with the classes of those that are open.
func encode(pools []pool, open selection) ([]byte, error) {
	d := document{Pools: make([]poolObject, len(pools))} // [] if there are none
	for i := range pools {
		d.Pools[i] = pools[i].object(open.has(pools[i].id))
	}
	return json.Marshal(d)
}

func (p *pool) object(classes bool) poolObject {
	o := poolObject{
		ID:            p.id,
		Name:          p.Name,
		Gets:          p.Gets,
		Hits:          p.Hits,
		Misses:        p.Misses,
		Puts:          p.Puts,
		OutGets:       p.OutGets,
		OutBytes:      p.OutBytes,
		InUseBytes:    p.InUseBytes,
		IdleBytes:     p.IdleBytes,
		BudgetBytes:   p.Budget,
		Retain:        p.Retain.Seconds(),
		LimitBytes:    p.Limit.Limit,
		ReservedBytes: p.Limit.Reserved,
		PeakBytes:     p.Limit.Peak,
		Waiting:       p.Limit.Waiting,
		Admitted:      p.Limit.Admitted,
		Rejected:      p.Limit.Rejected,
		Waited:        p.Limit.Waited.Seconds(),
		Dropped: droppedObject{
			OverBudget: p.Stats.Dropped.OverBudget,
			OverBound:  p.Stats.Dropped.OverBound,
			Aged:       p.Stats.Dropped.Aged,
			Pressure:   p.Stats.Dropped.Pressure,
			Trimmed:    p.Stats.Dropped.Trimmed,
			TooSmall:   p.TooSmall,
			TooLarge:   p.TooLarge,
		},
	}
	if !p.LastDrop.IsZero() {
		o.LastDrop = &p.LastDrop
	}
	if classes {
		for _, c := range p.Classes {
			o.Classes = append(o.Classes, classObject{c.Capacity, c.Gets, c.Hits, c.Misses, c.Puts, c.InUse, c.IdleBytes})
		}
	}
	return o
}
