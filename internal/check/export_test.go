package check

import "time"

// Now returns the time as records have it.
func Now() time.Duration { return clock() }

// StacksSince returns the stacks that records have of what was acquired or released
// since then.
func StacksSince(then time.Duration) (list [][]uintptr) {
	allRecords(func(r *record) {
		if r.serial > 0 && r.acquiredAt >= then {
			list = append(list, r.acquired.trace())
		}
		if r.releasedAt >= then {
			list = append(list, r.released.trace())
		}
	})
	return list
}
