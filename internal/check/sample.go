package check

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octet-go/octet/internal/rt"
)

// In mode sample the pools keep their fast paths, which do not count towards a
// sample. Instead, at each tick each pool looks at how many requests its classes
// have served since the last one, and for every Config.OneIn of them, up to a bound,
// sends one request to the slow path, where it is sampled. So the cost is bounded in
// time, and Probability says what share of all requests was tracked.
//
// Beside that, some requests after each tick take the slow path to see whether their
// place is new, and are sampled if it is. Otherwise a short program would end before a
// request is due, and a place that seldom requests would wait for long beside one that
// often does.
const (
	tickPeriod = 100 * time.Millisecond
	MaxSamples = 16 // per class and tick; each takes some microseconds

	NewFor       = 32      // requests of one place: as many are sampled before it is not new any more
	firstLooks   = 1 << 12 // requests of a pool, after a tick, that look for a new place; each takes a tenth of a microsecond
	laterLooks   = 1 << 5  // the same when settlesAfter ticks are over
	settlesAfter = 600
)

// SetPools connects this package with the pools. In mode sample, onTick is called at
// each tick; it selects about one request in [Config.OneIn]. The
// function requests returns how many requests there were so far; it never decreases.
func SetPools(onTick func(), requests func() uint64) {
	sampling.Lock()
	sampling.tick, sampling.requests = onTick, requests
	sampling.Unlock()
	startSampling()
}

// sampling is what mode sample needs of the pools, and its latest epoch.
var sampling struct {
	sync.Mutex
	tick     func()        // see SetPools
	requests func() uint64 // see SetPools

	epoch   uint32 // in which it runs
	before  uint64 // requests when it began
	ticks   atomic.Int64
	sampled atomic.Uint64

	// places says how many requests were sampled at a place because it was new. The place is a hash of the stack, so
	// that two may share a number, and have half as many each.
	places [1 << 12]atomic.Uint32
}

// looks returns how many requests of a pool are to look whether their place is new, until the next tick; 0 if the mode
// is not sample.
func looks() int32 {
	switch {
	case Current() != Sample:
		return 0
	case sampling.ticks.Load() < settlesAfter:
		return firstLooks
	}
	return laterLooks
}

// isNewPlace reports whether the place that requests now is new, and counts the request if it is.
func isNewPlace() bool {
	var frames [frameDepth]uintptr
	n := rt.ReturnAddresses(&frames)
	if n == 0 {
		n = runtime.Callers(2, frames[:])
	}
	sampled := &sampling.places[hash(frames[:min(n, placeDepth)])>>52]
	return sampled.Load() < NewFor && sampled.Add(1) <= NewFor
}

// placeDepth is how many calls tell one place from another. Up to half of them are octet's own.
const placeDepth = 10

// startSampling starts a goroutine that ticks until the mode changes, if the mode is
// sample and there is none yet.
func startSampling() {
	s := &sampling
	s.Lock()
	defer s.Unlock()
	now := load()
	if now.Mode != Sample || s.epoch == now.epoch || s.requests == nil {
		return // without pools, SetPools is still to come: the program is starting
	}
	s.epoch = now.epoch
	s.before = s.requests()
	s.sampled.Store(0)
	s.ticks.Store(0)
	for i := range s.places {
		s.places[i].Store(0)
	}
	tick := s.tick
	rt.Go(func() {
		for load().epoch == now.epoch {
			s.ticks.Add(1)
			tick()
			time.Sleep(tickPeriod)
		}
	})
}

// maxSampled bounds the records of mode sample, to some megabytes. A program that
// leaks finds out long before it has so many.
const maxSampled = 1 << 15

// countSampled reports whether the request that was selected for a sample is to be
// tracked, and counts it if so.
func (now *state) countSampled() bool {
	if now.Mode != Sample {
		return true
	}
	if table.entries.Load() >= maxSampled {
		return false
	}
	sampling.sampled.Add(1)
	return true
}

// Probability returns the share of requests that is tracked, from 0 to 1, which is
// also the probability that a single misuse is found. In mode sample it is the share
// since the mode began.
func Probability() float64 {
	now := load()
	switch now.Mode {
	case Off:
		return 0
	case Sample:
		tracked, requests := Sampled()
		return min(1, float64(tracked)/float64(max(requests, 1)))
	}
	return 1
}

// Sampled returns how many requests were tracked since mode sample began, and of how many; 0 in other modes.
func Sampled() (tracked, requests uint64) {
	now := load()
	s := &sampling
	s.Lock()
	defer s.Unlock()
	if now.Mode != Sample || s.epoch != now.epoch {
		return 0, 0
	}
	return s.sampled.Load(), s.requests() - s.before
}

// wantsGuard reports whether the next slice is to be guarded.
func (now *state) wantsGuard() bool {
	return now.Mode == Guard || now.Mode == Sample && now.GuardSampled && sampling.sampled.Load()%2 == 0
}
