package rules

import (
	"github.com/octet-go/octet/poolcheck/internal/api"
	"github.com/octet-go/octet/poolcheck/internal/contract"
	"github.com/octet-go/octet/poolcheck/internal/domain"
)

// use reports a use of memory that was released, moved, or given to a goroutine that releases it.
func (c *checker) use(e contract.Event) {
	if e.Ref.Obj.Family == api.Owner && e.Ref.Rel == domain.Whole {
		return // what it had went back, and not the struct
	}
	if exclusive(e) {
		return
	}
	code := "OCT001"
	switch {
	case e.Life.Phase == domain.Handed:
		code = "OCT005"
	case e.Life.Grown != nil && e.Life.Grown == e.Life.By:
		code = "OCT008"
	}
	c.report(code, e.Ref.Obj, e.By, e.Life.By).Before = e.By == e.Life.By
}
