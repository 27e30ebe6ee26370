package rules

import (
	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/paths"
)

// raced reports a release of what another goroutine was given, where nothing has waited since, or nothing can.
func (c *checker) raced(e paths.Event) bool {
	handed := e.Life.Handed
	if handed == nil || e.Ref.Obj.Kind != domain.Acquired || e.Life.Waited && !e.Life.Left || exclusive(handed, e.By) || choice(guard(e.By)) && handed.Parent() != e.By.Parent() {
		return false
	}
	c.report("OCT005", e.Ref.Obj, e.By, handed)
	return true
}
