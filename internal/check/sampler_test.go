package check_test

import (
	"testing"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/check/checktest"
)

// The weights of the samples add up to the requests that were served since sampling began. A request that was
// sampled because its place was new has no weight.
func TestSamplesStandForRequests(t *testing.T) {
	const every = 10
	checktest.Start(t, check.Config{Mode: check.Sample, OneIn: every})
	var s check.Sampler
	s.Begin(100_000) // which are of no account
	served, early := uint64(100_000), 0
	for s.On() {
		served++
		w, off := s.Take()
		if w > 1 || off == s.On() {
			t.Fatalf("a request that looks stands for %d; off: %v", w, off)
		}
		early += w
	}
	if early == 0 {
		t.Error("the place is not new")
	}
	if s.Select(served); s.On() {
		for ; s.On(); s.Take() { // what is due, and what looks again
		}
	}
	served += 100 * every * check.MaxSamples
	if !s.Select(served) || !s.On() {
		t.Fatal("nothing is selected")
	}
	sum := 0
	for range check.MaxSamples {
		w, _ := s.Take()
		sum += w
	}
	if most := 100*every*check.MaxSamples + every*check.MaxSamples; sum < most-2*every*check.MaxSamples || sum > most {
		t.Errorf("the samples stand for %d requests of %d", sum, 100*every*check.MaxSamples)
	}
	if s.Weight() != sum/check.MaxSamples {
		t.Errorf("a sample stands for %d requests, not for %d", sum/check.MaxSamples, s.Weight())
	}
	for off := false; !off; {
		var w int
		if w, off = s.Take(); w > 1 { // or its place is new
			t.Fatalf("one more is sampled, for %d requests", w)
		}
	}
	if s.On() {
		t.Error("it is on after the last")
	}
}

// Outside of mode sample nothing is selected.
func TestSamplerOfOtherModes(t *testing.T) {
	for _, mode := range []check.Mode{check.Off, check.Full} {
		checktest.Start(t, check.Config{Mode: mode, OneIn: 10})
		var s check.Sampler
		if s.Begin(0); s.Select(1_000_000) || s.On() {
			t.Errorf("mode %v: the sampler is on", mode)
		}
	}
}
