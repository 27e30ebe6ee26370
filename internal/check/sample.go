package check

import (
	"sync"
	"sync/atomic"
	"time"
)

// In mode sample the pools keep their fast paths, and nothing there counts. So
// time gives the beat: at each tick each pool looks how many requests its classes
// have served, and for each Config.OneIn of them, up to a bound, it lets one take
// the slow path, where it is sampled. So time bounds how much is tracked, and
// Probability says what share of all requests that is.
const (
	tickPeriod = 100 * time.Millisecond
	MaxSamples = 16 // a class and tick: some microseconds each
)

var (
	tick    func() // set by SetPools
	traffic func() uint64
)

// SetPools tells this package how to reach the pools: onTick is called at each
// tick in mode sample, and lets about one request in [Config.OneIn] call
// CountSampled; requests returns how many there were, and never less than before.
func SetPools(onTick func(), requests func() uint64) {
	setting.Lock()
	defer setting.Unlock()
	tick, traffic = onTick, requests
	if Current() == Sample {
		startSampling()
	}
}

var sampling struct {
	sync.Mutex
	epoch   uint32 // in which it runs
	before  uint64 // requests when it began
	sampled atomic.Uint64
}

// startSampling has the pools called until the mode changes. The caller holds
// setting.
func startSampling() {
	s := &sampling
	s.Lock()
	defer s.Unlock()
	now := load().epoch
	if s.epoch == now || traffic == nil {
		return // when the program starts there are no pools yet: SetPools follows
	}
	s.epoch = now
	s.before = traffic()
	s.sampled.Store(0)
	go func() {
		for load().epoch == now {
			tick()
			time.Sleep(tickPeriod)
		}
	}()
}

// maxSampled bounds what mode sample keeps records of, which takes some megabytes.
// A program that leaks finds out long before.
const maxSampled = 1 << 15

// CountSampled notes that a request was sampled.
func CountSampled() { sampling.sampled.Add(1) }

// Probability returns what share of all requests is tracked, from 0 to 1: in
// mode sample as it turned out so far, which is also the probability that a
// single misuse is found.
func Probability() float64 {
	now := load()
	switch now.Mode {
	case Off:
		return 0
	case Sample:
		s := &sampling
		s.Lock()
		defer s.Unlock()
		if s.epoch != now.epoch {
			return 0
		}
		return min(1, float64(s.sampled.Load())/float64(max(traffic()-s.before, 1)))
	}
	return 1
}

// wantsGuard reports whether the next slice is to be guarded.
func (now *state) wantsGuard() bool {
	return now.Mode == Guard || now.Mode == Sample && now.GuardSampled && sampling.sampled.Load()%2 == 0
}
