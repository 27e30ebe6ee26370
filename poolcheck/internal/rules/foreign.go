package rules

import (
	"github.com/octet-go/octet/poolcheck/internal/contract"
	"github.com/octet-go/octet/poolcheck/internal/domain"
)

// foreign reports a release into another pool than the one that the memory came from.
func (c *checker) foreign(e contract.Event) bool {
	o := e.Ref.Obj
	if o.Kind != domain.Acquired || o.Pool == nil || e.Pool == nil || o.Pool == e.Pool {
		return false
	}
	c.report("OCT007", o, e.By, nil)
	return true
}
