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
	period                        float64 // of a sample
	caused, uncertain             float64 // of scheduling, what the collector causes, give or take
	part                          float64 // of the time of a site in the allocator that is left if the collector runs as often as here
	compared                      bool    // with a run with a large heap
}

// Collecting is the time of the collector.
func (t *Time) Collecting() float64 { return t.marking + t.sweeping }

// Measure adds up the processor time of a profile. It calls site with each stack that allocated, and the time
// that this took.
func Measure(s *profiles.Set, site func(profiles.Stack, float64)) *Time {
	t := &Time{period: s.Period, part: 1}
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
	// A server that is half idle schedules much, and collects little: the collector causes hardly more than it takes itself.
	t.caused = min(t.scheduling, t.marking) / 2
	t.uncertain = t.caused
	return t
}

// Compare finds out what the collector makes the scheduler do: what a run with a large heap does without. work is how much
// of the large run's work this one did.
func (t *Time) Compare(large *Time, work float64) {
	t.compared, large.compared = true, true
	t.caused = max(0, t.scheduling-large.scheduling*work)
	t.uncertain = t.chance(t.scheduling + large.scheduling*work*work)
	large.caused = min(large.scheduling, t.caused/work*smallHeap/LargeHeap)
	large.uncertain = large.chance(large.caused)
}

// Scale returns the time that the program would take if it was collected factor times as often.
func (t *Time) Scale(factor float64) *Time {
	scaled := *t
	scaled.marking *= factor
	scaled.scheduling -= (1 - factor) * t.caused
	scaled.caused *= factor
	scaled.uncertain *= factor
	scaled.part = 1 - (1-factor)*disturbed
	scaled.Total -= (1 - factor) * (t.marking + t.caused + disturbed*t.Allocating)
	scaled.Allocating *= scaled.part
	return &scaled
}

// chance returns by how much a time of which a profile saw samples may differ from the truth.
func (t *Time) chance(nanos float64) float64 { return 2 * math.Sqrt(nanos*t.period) }

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

// Parts is what a site costs, in percent of the program's processor time, and the time of the pool that
// would take its place.
type Parts struct {
	Allocating float64 `json:"allocating"`
	Collecting float64 `json:"collecting"`
	Scheduling float64 `json:"scheduling"`
	Cold       float64 `json:"cold_memory"`
	Pool       float64 `json:"pool"`
}

// A Range is a saving in percent. A pool that costs more than it saves has a negative one.
type Range struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

const (
	// elsewhere is the part of what is saved by which a program gains more or less elsewhere: as much as the programs of
	// docs/EVIDENCE.md did, most of them.
	elsewhere = 0.25
	// most is the percentage beyond which none of them was from the middle.
	most = 8
	// disturbed is the part of the allocator's time that it loses to collections: its caches and its spans are not where they were.
	// Of five servers it was 0.23, by the geometric mean of what was left.
	disturbed = 0.23
	// widest is half of the widest range.
	widest = 10
	// anyChange is the percentage of a program's time that any change of its code may cost or save.
	anyChange = 1
)

// Of returns what a use costs of the time, if all in all allocated bytes are allocated, and what
// a pool saves of it. large says that the heap is large.
//
// Allocating is measured. The collector's time is divided by bytes: sweeping follows them, marking follows how
// often they make it run, and so does what it makes the scheduler do. Cold memory is what this machine takes longer to
// fill new memory.
//
// A profile is a sample; the memory may be filled in part, or be read again when it is in no cache any more; and the rest
// of the program runs differently without collections, which no profile shows. These make the range.
func (t *Time) Of(u Use, allocated float64, m *Machine, large bool) (Parts, Range) {
	if t.Total <= 0 || allocated <= 0 || u.Bytes <= 0 {
		return Parts{}, Range{}
	}
	heap := 0
	if large {
		heap = 1
	}
	cold := u.Bytes * m.cold[heap]
	if large && !t.compared {
		cold /= 2 // in a server much else runs before a pooled slice is used again, so that it is in no near cache either
	}
	share := min(u.Bytes/allocated, 1)
	percent := 100 / t.Total
	p := Parts{
		Allocating: percent * u.Direct * t.part,
		Collecting: percent * share * t.Collecting(),
		Scheduling: percent * share * t.caused,
		Cold:       percent * min(cold, m.part[heap]*t.other()),
		Pool:       percent * u.Objects * m.pair,
	}
	middle := p.Allocating + p.Collecting + p.Scheduling + p.Cold - p.Pool
	// Where no sample was seen, one may have been missed.
	chance := percent * math.Hypot(t.chance(u.Direct+t.period), share*t.chance(t.Collecting()))
	either := math.Hypot(math.Hypot(chance, percent*share*t.uncertain), p.Cold/2)
	either = min(widest, math.Hypot(either, math.Hypot(min(elsewhere*math.Abs(middle), most), anyChange)))
	return p, Range{clamp(middle - either), clamp(middle + either)}
}

// other is the time that is neither the allocator's nor the collector's.
func (t *Time) other() float64 { return max(0, t.Total-t.Allocating-t.Collecting()-t.scheduling) }

func clamp(percent float64) float64 { return max(-100, min(percent, 100)) }
