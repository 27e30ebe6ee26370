package rules

import (
	"github.com/octet-go/octet/poolcheck/internal/api"
	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/ir"
	"github.com/octet-go/octet/poolcheck/internal/paths"
)

// double reports a second release.
func (c *checker) double(e paths.Event) bool {
	if e.Life.Phase != domain.Released {
		return false
	}
	if e.Ref.Obj.Family == api.Owner {
		return true // it has forgotten what it had; fixture: alike/closed.go
	}
	switch {
	case e.Ref.Obj.Kind != domain.Acquired && ir.Loops(e.Life.By.Block()): // as many times as it was retained
		return true
	case exclusive(e.Life.By, e.By):
		return true
	}
	code := "OCT003"
	if e.Life.Grown != nil && e.Life.Grown == e.Life.By {
		code = "OCT008"
	}
	c.report(code, e.Ref.Obj, e.By, e.Life.By).Before = e.By == e.Life.By
	return true
}
