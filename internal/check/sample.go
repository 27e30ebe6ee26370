package check

import (
	"sync"
	"sync/atomic"
	"time"
)

// In mode sample the pools keep their fast paths, and nothing there counts. So
// time gives the beat: some times a second each pool looks how many requests its
// classes have served, and for each Config.Sample of them, up to a bound, it lets
// one take the slow path, where it is picked. How much is tracked is therefore
// bounded by time, and Probability tells what share of all that is.
const (
	beat     = 100 * time.Millisecond
	MaxPicks = 16 // a class and beat: some microseconds each
)

var (
	onBeat  func() // set by SetPools
	traffic func() uint64
)

// SetPools tells this package how to reach the pools: beat is called regularly
// in mode sample, and has about one request in [Config.Sample] call Picked;
// requests returns how many there were, and never less than before.
func SetPools(beat func(), requests func() uint64) {
	setting.Lock()
	defer setting.Unlock()
	onBeat, traffic = beat, requests
	if Current() == Sample {
		startSampling()
	}
}

var sampling struct {
	sync.Mutex
	turn   uint32 // in which it runs
	before uint64 // requests when it began
	picked atomic.Uint64
}

// startSampling has the pools called until the mode changes. The caller holds
// setting.
func startSampling() {
	s := &sampling
	s.Lock()
	defer s.Unlock()
	now := turn.Load()
	if s.turn == now || traffic == nil {
		return // when the program starts there are no pools yet: SetPools follows
	}
	s.turn = now
	s.before = traffic()
	s.picked.Store(0)
	go func() {
		for turn.Load() == now {
			onBeat()
			time.Sleep(beat)
		}
	}()
}

// maxSampled bounds what mode sample keeps records of, which takes some megabytes.
// A program that leaks finds out long before.
const maxSampled = 1 << 15

// Picked notes that a request was picked.
func Picked() { sampling.picked.Add(1) }

// Probability returns what share of all requests is tracked, from 0 to 1: in
// mode sample as it turned out so far, which is also the probability that a
// single misuse is found.
func Probability() float64 {
	switch Current() {
	case Off:
		return 0
	case Sample:
		s := &sampling
		s.Lock()
		defer s.Unlock()
		if s.turn != turn.Load() {
			return 0
		}
		return min(1, float64(s.picked.Load())/float64(max(traffic()-s.before, 1)))
	}
	return 1
}

// wantsGuard reports whether the next slice is to be guarded.
func wantsGuard() bool {
	c := current.Load()
	return c.Mode == Guard || c.Mode == Sample && c.Faults && sampling.picked.Load()%2 == 0
}
