package rules

import "github.com/octet-go/octet/poolcheck/internal/contract"

// race reports a release of what a goroutine may still use that nothing has waited for.
func (c *checker) race(e contract.Event) bool {
	if e.Life.Task == nil {
		return false
	}
	c.report("OCT005", e.Ref.Obj, e.By, e.Life.Task)
	return true
}
