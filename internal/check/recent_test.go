package check

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octet-go/octet/checked/finding"
)

// forgetRecent begins with an empty list.
func forgetRecent() {
	causes.Lock()
	defer causes.Unlock()
	causes.m = nil
}

// findingOf returns a finding of the cause with this number.
func findingOf(cause int) *finding.Report {
	return &finding.Report{Code: finding.DoubleRelease, What: "released twice " + strconv.Itoa(cause), Size: cause}
}

// TestRecentFindings sees that each cause is listed once, with its latest finding, the
// latest cause first, and that the oldest goes when the list is full.
func TestRecentFindings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forgetRecent()
		defer forgetRecent()
		defer Handle(func(*finding.Report) {})()
		began := time.Now()
		for i := range maxRecent {
			report(findingOf(i), load())
		}
		time.Sleep(time.Minute)
		latest := findingOf(1)
		report(latest, load())
		report(findingOf(maxRecent), load()) // pushes out cause 0
		list := RecentFindings()
		if len(list) != maxRecent {
			t.Fatalf("%d causes are listed, want %d", len(list), maxRecent)
		}
		if got := list[0].Latest.Size; got != maxRecent {
			t.Errorf("the latest is cause %d", got)
		}
		if r := list[1]; r.Latest != latest || r.Times != 2 || !r.First.Equal(began) || r.Last.Sub(began) != time.Minute {
			t.Errorf("cause 1 is listed as %+v", r)
		}
		for _, r := range list {
			if r.Latest.Size == 0 {
				t.Error("the oldest cause is listed still")
			}
		}
		list[0].Times = 100
		if RecentFindings()[0].Times != 1 {
			t.Error("a caller can change the list")
		}
	})
}
