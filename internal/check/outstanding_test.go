package check

import "testing"

// TestSamplesAreWeighted sees that a slice counts in the profile as often as it
// stands for requests.
func TestSamplesAreWeighted(t *testing.T) {
	before, _ := Set(Config{Mode: Sample})
	defer Set(before)
	kept := [][]byte{NewSampled(100+40, stubOwner{}, 7), NewSampled(1000+40, stubOwner{}, 1000)}
	object := new(int64) // shows its slices, which count themselves
	Track(object, (*int64)(nil), "Buffer", 1000, stubOwner{})
	got := make(map[int64]int64)
	for _, s := range samples() {
		got[s.Count] = s.Bytes
	}
	if got[7] != 7*140 || got[1000] != 1000*1040 || len(got) != 2 {
		t.Errorf("bytes by count: %v", got)
	}
	End(object, (*int64)(nil))
	for _, b := range kept {
		Release(b, stubOwner{})
	}
}
