package check

import (
	"strings"
	"testing"
)

// TestSamplesAreWeighted sees that a slice counts in the profile as often as it
// stands for requests.
func TestSamplesAreWeighted(t *testing.T) {
	before, _ := Set(Config{Mode: Sample})
	defer Set(before)
	kept := [][]byte{
		NewSampled(128, stubOwner{}, 7),
		NewSampled(1024, stubOwner{}, 1000),
	}
	object := new(int64) // shows its slices, which count themselves
	Track(object, (*int64)(nil), "Buffer", 1000, stubOwner{})
	got := make(map[int64]int64)
	for _, s := range InUse(nil) {
		got[s.Count] = s.Bytes
	}
	if got[7] != 7*128 || got[1000] != 1000*1024 || len(got) != 2 {
		t.Errorf("bytes by count: %v", got)
	}
	scope := new(Scope)
	sizes := make(map[int]bool)
	for _, f := range scope.Outstanding() {
		sizes[f.Size] = true
	}
	if !sizes[128] || !sizes[1024] || sizes[168] || sizes[1064] {
		t.Errorf("reports name the sizes %v, want those of the classes", sizes)
	}
	End(object, (*int64)(nil))
	for _, b := range kept {
		Release(b, stubOwner{})
	}
}

// TestProfileSaysWhy sees that a reader of the profile learns what it can show, and
// why it is empty.
func TestProfileSaysWhy(t *testing.T) {
	before, _ := Set(Config{})
	defer Set(before)
	for c, want := range map[Config]string{
		{}:                         "checking is off. Start the program with OCTETDEBUG=check=sample",
		{Mode: Sample, OneIn: 100}: "one request in 100 or fewer",
		{Mode: Full}:               "Mode full: every slice",
	} {
		Set(c)
		if text := strings.Join(Notes(), "\n"); !strings.HasPrefix(text, "Slices of octet's pools") || !strings.Contains(text, want) {
			t.Errorf("%+v: the notes are\n%s", c, text)
		}
	}
}
