package check

import "testing"

// TestProbability sees what share of the requests is said to be tracked.
func TestProbability(t *testing.T) {
	before, _ := Set(Config{})
	defer Set(before)
	requests := uint64(1000) // of the time before
	setting.Lock()
	pools := traffic
	traffic = func() uint64 { return requests }
	setting.Unlock()
	defer func() {
		Set(Config{})
		setting.Lock()
		traffic = pools
		setting.Unlock()
	}()
	says := func(when string, want float64) {
		t.Helper()
		if got := Probability(); got != want {
			t.Errorf("%s: Probability() = %v, want %v", when, got, want)
		}
	}
	says("mode off", 0)
	Set(Config{Mode: Sample, OneIn: 1 << 30})
	says("no request", 0)
	CountSampled()
	says("a request that is not counted yet", 1)
	requests += 100
	says("one of a hundred", 0.01)
	requests += 100
	CountSampled()
	CountSampled()
	CountSampled()
	says("four of two hundred", 0.02)
	Set(Config{Mode: Full})
	says("mode full", 1)
	Set(Config{Mode: Sample, OneIn: 1 << 30})
	says("mode sample again", 0)
}
