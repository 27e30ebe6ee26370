package rules

import (
	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/paths"
)

// part reports a release of a part of what the pool handed out.
func (c *checker) part(e paths.Event) bool {
	if e.Ref.Rel != domain.Part || e.Ref.Obj.Kind != domain.Acquired {
		return false
	}
	c.report("OCT006", e.Ref.Obj, e.By, nil)
	return true
}
