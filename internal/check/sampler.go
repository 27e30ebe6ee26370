package check

import "sync/atomic"

// A Sampler selects the requests of a pool that mode sample tracks: after each tick some, for those that the pool has
// served since, and those whose place is new. While it is on, the pool sends its requests to Take. The methods are safe
// for concurrent use, except Begin, Look and Select: the pool calls these under a lock.
type Sampler struct {
	seen    uint64        // requests that Select looked at
	samples atomic.Int32  // requests still to be sampled
	weight  atomic.Uint64 // how many requests each of them stands for
	looks   atomic.Int32  // requests that still see whether their place is new
	early   atomic.Uint64 // of these, those that were sampled: each stands for itself
}

// On reports whether requests are to be sampled, or to look whether their place is new.
func (s *Sampler) On() bool { return s.samples.Load() > 0 || s.looks.Load() > 0 }

// Begin follows a change of the mode. The pool has served so many requests.
func (s *Sampler) Begin(requests uint64) {
	s.samples.Store(0)
	s.Look()
	s.early.Store(0)
	s.seen = requests
}

// Look makes some of the next requests see whether their place is new, if the mode is sample. It reports whether none
// did before.
func (s *Sampler) Look() bool {
	n := looks()
	return s.looks.Swap(n) <= 0 && n > 0
}

// Select follows a tick of mode sample. It selects the requests to sample, if any are due because the pool has served at
// least as many since the last ones, and has others look whether their place is new. It reports whether the Sampler may
// be on now, and was not.
func (s *Sampler) Select(requests uint64) bool {
	now := Settings()
	if now.Mode != Sample {
		return false
	}
	looks := s.Look()
	served, every := requests-s.seen, uint64(now.OneIn)
	due := (served - min(served, s.early.Load())) / every
	if due == 0 {
		return looks
	}
	s.seen += due * every
	samples := min(due, MaxSamples)
	s.weight.Store(every * due / samples)
	s.samples.Store(int32(samples))
	return true
}

// Take decides whether to track the request that is being served. If so, it returns how many requests this one stands
// for, and otherwise 0. It reports whether the Sampler may be off now, and was not.
func (s *Sampler) Take() (weight int, off bool) {
	if Settings().OneIn == 1 {
		return 1, false
	}
	taken, off := countDown(&s.samples)
	if taken {
		return s.Weight(), off
	}
	if taken, off = countDown(&s.looks); taken && isNewPlace() {
		s.early.Add(1)
		weight = 1
	}
	return weight, off
}

// Weight returns how many requests a sample stands for that was selected because it was due, at least 1.
func (s *Sampler) Weight() int { return max(1, int(s.weight.Load())) }

// countDown takes one of what is left, and reports whether there was one, and whether it was the last.
func countDown(left *atomic.Int32) (taken, last bool) {
	if left.Load() <= 0 {
		return false, false
	}
	n := left.Add(-1)
	return n >= 0, n == 0
}
