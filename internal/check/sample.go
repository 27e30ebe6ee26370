package check

import (
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
const (
	tickPeriod = 100 * time.Millisecond
	MaxSamples = 16 // per class and tick; each takes some microseconds
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
	sampled atomic.Uint64
}

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
	tick := s.tick
	rt.Go(func() {
		for load().epoch == now.epoch {
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
