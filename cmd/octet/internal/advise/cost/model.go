package cost

import (
	"math"

	"github.com/octet-go/octet/cmd/octet/internal/advise/profiles"
)

// Time is the processor time of a program, in nanoseconds, by what it was spent on.
type Time struct {
	Total                         float64
	Allocating                    float64
	marking, sweeping, scheduling float64
	period                        float64
}

// Collecting is the time of the collector.
func (t *Time) Collecting() float64 { return t.marking + t.sweeping }

// Measure adds up the processor time of a profile. It calls site with each stack that allocated, and the time
// that this took.
func Measure(s *profiles.Set, site func(profiles.Stack, float64)) *Time {
	t := &Time{period: s.Period}
	for _, sample := range s.CPU {
		t.Total += sample.Nanos
		switch class, stack := classify(sample.Stack); class {
		case allocating:
			t.Allocating += sample.Nanos
			site(stack, sample.Nanos)
		case marking:
			t.marking += sample.Nanos
		case sweeping:
			t.sweeping += sample.Nanos
		case scheduling:
			t.scheduling += sample.Nanos
		}
	}
	return t
}

// Scale returns the time that the program would take if it was collected factor times as often.
func (t *Time) Scale(factor float64) *Time {
	scaled := *t
	scaled.marking *= factor
	scaled.scheduling *= factor
	scaled.Total -= (1 - factor) * t.marking
	return &scaled
}

// Use is what a site allocates, and the time that this took.
type Use struct {
	Bytes, Objects, InUse float64
	Direct                float64 // nanoseconds in the allocator
}

// Add adds another use.
func (u *Use) Add(v Use) {
	u.Bytes += v.Bytes
	u.Objects += v.Objects
	u.InUse += v.InUse
	u.Direct += v.Direct
}

// Size returns the bytes of an object on average.
func (u *Use) Size() float64 { return u.Bytes / max(u.Objects, 1) }

// Parts is what a site costs, in percent of the program's processor time, and the time of the pool that
// would take its place.
type Parts struct {
	Allocating float64 `json:"allocating"`
	Collecting float64 `json:"collecting"`
	Scheduling float64 `json:"scheduling"`
	Cold       float64 `json:"cold_memory"`
	Pool       float64 `json:"pool"`
}

// A Range is a saving in percent.
type Range struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Add adds two savings.
func (r Range) Add(s Range) Range { return Range{clamp(r.Low + s.Low), clamp(r.High + s.High)} }

// Of returns what a use costs of the time, if all in all allocated bytes are allocated, and what
// a pool saves of it. large says that the heap is large.
//
// Allocating is measured. The collector's time is divided by bytes: sweeping follows them, marking follows how
// often they make it run. The collector wakes threads, which profiles show as scheduling: that the program
// waits for work anyway makes part of it remain. Cold memory is what this machine takes longer to write
// to memory that is not in its cache. The last two are inferred, and make the range.
func (t *Time) Of(u Use, allocated float64, m *Machine, large bool) (Parts, Range) {
	if t.Total <= 0 || allocated <= 0 {
		return Parts{}, Range{}
	}
	heap := 0
	if large {
		heap = 1
	}
	share := min(u.Bytes/allocated, 1)
	percent := 100 / t.Total
	p := Parts{
		Allocating: percent * u.Direct,
		Collecting: percent * share * t.Collecting(),
		Cold:       percent * min(u.Bytes*nearest(m.cold[heap], u.Size()), 0.5*t.other()),
		Pool:       percent * u.Objects * nearest(m.pair, u.Size()),
	}
	p.Scheduling = min(percent*share*0.85*t.scheduling, 0.9*p.Collecting)
	sure := p.Allocating + p.Collecting - p.Pool
	// A profile is a sample: that so many were seen says how many there may be.
	chance := percent * math.Sqrt((p.Allocating+p.Collecting)/percent*t.period)
	r := Range{
		Low:  0.92*sure + 0.65*p.Scheduling + 0.6*p.Cold - chance,
		High: 1.05*sure + 1.25*p.Scheduling + 1.6*p.Cold + chance,
	}
	return p, Range{clamp(r.Low), clamp(r.High)}
}

// other is the time that is neither the allocator's nor the collector's.
func (t *Time) other() float64 { return max(0, t.Total-t.Allocating-t.Collecting()-t.scheduling) }

func clamp(percent float64) float64 { return max(0, min(percent, 100)) }
