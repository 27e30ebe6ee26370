package check

import (
	"os"
	"sync/atomic"

	"github.com/octet-go/octet/checked/finding"
)

// pattern fills released memory. It makes an unlikely length, text and pointer.
const pattern = 0xDB

func fill(b []byte) {
	if len(b) == 0 {
		return
	}
	b[0] = pattern
	for n := 1; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}

// intact reports whether b is still filled with the pattern. That each byte equals
// the one before it is compared at the speed of memory.
func intact(b []byte) bool {
	return len(b) == 0 || b[0] == pattern && string(b[1:]) == string(b[:len(b)-1])
}

// fillSaid says that the one place of a Fill was reported.
var fillSaid atomic.Bool

// selects reports whether a place has one of the numbers.
func (f Fill) selects(where *stack, report func() *finding.Report) bool {
	n := where.placeNumber()
	if n < f.First || n > f.Last {
		return false
	}
	if f.First == f.Last && !fillSaid.Swap(true) {
		os.Stderr.WriteString(report().Error() + "\n")
	}
	return true
}

// fillAcquired gives b, which is handed out as r says, the content that Config.Fill asks for.
func (now *state) fillAcquired(b []byte, r *record) {
	switch {
	case !now.Fill.On:
	case now.Fill.selects(r.acquired, func() *finding.Report { return r.finding("OCT009", "used with old bytes", nil) }):
		fill(b)
	default:
		clear(b)
	}
}

// fillReleased fills b, which is released as r says, unless Config.Fill asks for its content to stay. It reports whether
// it did.
func (now *state) fillReleased(b []byte, r *record) bool {
	if now.Fill.On && !now.Fill.selects(r.released, func() *finding.Report {
		return r.finding(finding.UseAfterRelease, "used after release", nil)
	}) {
		return false
	}
	fill(b)
	return true
}
