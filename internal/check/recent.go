package check

import (
	"slices"
	"sync"
	"time"

	"github.com/octet-go/octet/internal/finding"
)

// A Recent is a cause of findings that was seen lately.
type Recent struct {
	Latest      *finding.Report // of this cause
	Times       int             // how often it was found since it is listed
	First, Last time.Time       // when
	ID          uint64          // of the cause
}

// recent lists the causes that were seen last, the latest last. It is bounded, and
// has one entry for each cause, so that a misuse that happens all the time does not
// push out the others.
var recent struct {
	sync.Mutex
	list []Recent
}

const maxRecent = 32

// note lists a finding of a cause.
func note(key uint64, f *finding.Report) {
	now := time.Now()
	r := &recent
	r.Lock()
	defer r.Unlock()
	x := Recent{First: now, ID: key}
	if i := slices.IndexFunc(r.list, func(x Recent) bool { return x.ID == key }); i >= 0 {
		x = r.list[i]
		r.list = slices.Delete(r.list, i, i+1)
	} else if len(r.list) == maxRecent {
		r.list = slices.Delete(r.list, 0, 1)
	}
	x.Latest, x.Last = f, now
	x.Times++
	r.list = append(r.list, x)
}

// RecentFindings returns what was found lately, whatever became of it: one entry for
// each cause, the latest first, and no more than 32.
func RecentFindings() []Recent {
	recent.Lock()
	defer recent.Unlock()
	list := slices.Clone(recent.list)
	slices.Reverse(list)
	return list
}
