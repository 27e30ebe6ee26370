package rules

import (
	"github.com/octet-go/octet/poolcheck/internal/contract"
	"github.com/octet-go/octet/poolcheck/internal/domain"
)

// part reports a release of a part of what the pool handed out.
func (c *checker) part(e contract.Event) bool {
	if e.Ref.Rel != domain.Part || e.Ref.Obj.Kind != domain.Acquired {
		return false
	}
	c.report("OCT006", e.Ref.Obj, e.By, nil)
	return true
}
