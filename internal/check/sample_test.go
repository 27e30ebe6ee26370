package check

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octet-go/octet/internal/testenv"
)

// serves replaces, until the test ends, what says how many requests there were, and begins
// in mode off.
func serves(t *testing.T, requests func() uint64) {
	before, _ := Set(Config{})
	sampling.Lock()
	defer sampling.Unlock()
	pools := sampling.requests
	sampling.requests = requests
	t.Cleanup(func() {
		Set(Config{})
		sampling.Lock()
		sampling.requests = pools
		sampling.Unlock()
		Set(before)
	})
}

// TestProbability sees what share of the requests is said to be tracked.
func TestProbability(t *testing.T) {
	requests := uint64(1000) // of the time before
	serves(t, func() uint64 { return requests })
	says := func(when string, want float64) {
		t.Helper()
		if got := Probability(); got != want {
			t.Errorf("%s: Probability() = %v, want %v", when, got, want)
		}
	}
	says("mode off", 0)
	Set(Config{Mode: Sample, OneIn: 1 << 30})
	says("no request", 0)
	sampling.sampled.Add(1)
	says("a request that is not counted yet", 1)
	requests += 100
	says("one of a hundred", 0.01)
	requests += 100
	sampling.sampled.Add(1)
	sampling.sampled.Add(1)
	sampling.sampled.Add(1)
	says("four of two hundred", 0.02)
	Set(Config{})
	Set(Config{Mode: Sample, OneIn: 1 << 30})
	sampling.sampled.Add(1)
	sampling.sampled.Add(1)
	says("two that are not counted yet", 1)
	Set(Config{Mode: Full})
	says("mode full", 1)
	Set(Config{Mode: Sample, OneIn: 1 << 30})
	says("mode sample again", 0)
	Set(Config{})
	sampling.sampled.Add(1)
	serves(t, nil) // as before there are pools
	Set(Config{Mode: Sample})
	says("no pools", 0)
}

// TestTicks sees that the pools are called some times a second in mode sample, as
// soon as they are known, and not in other modes.
func TestTicks(t *testing.T) {
	sampling.Lock()
	pools, requests := sampling.tick, sampling.requests
	sampling.tick, sampling.requests = nil, nil
	sampling.Unlock()
	before, _ := Set(Config{Mode: Sample})
	var ticks atomic.Int64
	defer func() {
		Set(Config{})
		SetPools(pools, requests)
		Set(before)
	}()
	SetPools(func() { ticks.Add(1) }, func() uint64 { return 0 })
	Set(Config{Mode: Sample, OneIn: 3}) // the same epoch, and no second series
	began := time.Now()
	testenv.Eventually(t, "there are three ticks", func() bool { return ticks.Load() >= 3 })
	if n, most := ticks.Load(), int64(time.Since(began)/tickPeriod)+2; n > most {
		t.Errorf("%d ticks, want %d at most", n, most)
	}
	Set(Config{Mode: Full})
	n := ticks.Load()
	if time.Sleep(5 * tickPeriod); ticks.Load() > n+1 { // one may have begun
		t.Errorf("%d ticks in mode full", ticks.Load()-n)
	}
}

// TestWantsGuard sees that half of what is sampled is guarded, if that is chosen.
func TestWantsGuard(t *testing.T) {
	guarded := func(c Config) (n int) {
		for range 10 {
			if (&state{Config: c}).wantsGuard() {
				n++
			}
			sampling.sampled.Add(1)
		}
		return n
	}
	for c, want := range map[Config]int{
		{}:                                 0,
		{Mode: Sample}:                     0,
		{Mode: Sample, GuardSampled: true}: 5,
		{Mode: Full, GuardSampled: true}:   0,
		{Mode: Guard}:                      10,
	} {
		if n := guarded(c); n != want {
			t.Errorf("%+v: %d of ten are guarded, want %d", c, n, want)
		}
	}
}

// TestProbabilityCountsWhatIsTracked sees that it falls when so much is tracked that no
// more is.
func TestProbabilityCountsWhatIsTracked(t *testing.T) {
	var n uint64
	serves(t, func() uint64 { return n })
	Set(Config{Mode: Sample, OneIn: 1})
	var kept [][]byte
	for n = 1; n < 2*maxSampled; n++ {
		kept = append(kept, NewSampled(16, stubOwner{}, 1))
	}
	if p := Probability(); p < 0.4 || p > 0.6 {
		t.Errorf("the probability is %v, want a half", p)
	}
	runtime.KeepAlive(kept)
}
