package flow

import (
	"go/types"
	"strings"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// misplaced reports a release of something that is no whole, or not the
// pool's.
func (e *explorer) misplaced(s *state, x ref, g giving) bool {
	o := x.obj
	if g.row == nil || g.row.Family == nil {
		return false
	}
	if x.rel == part && x.path == "" && (g.typ == nil || isBytes(g.typ)) && !isArraySlice(x) {
		e.report(s, PartReleased, o, g.at, nowhere)
		return true
	}
	if foreign := e.foreign(s, x, g); foreign {
		if r := e.report(s, ForeignRelease, o, g.at, nowhere); r != nil {
			r.rename(g.name)
		}
		return true
	}
	// A pointer to a slice, or a Buffer, goes back with a slice that has lost its
	// head.
	for _, inside := range []string{"", ".B"} {
		c, ok := s.mem[cell{o, inside}]
		if !ok || x.path != "" || x.rel != whole || o.acq == nil || inside != "" && o.acq.family != api.Buffers {
			continue
		}
		for _, y := range c.refs {
			if y.rel == part && y.obj.parent == o {
				e.report(s, PartReleased, o, g.at, nowhere)
				return true
			}
		}
	}
	return false
}

func isArraySlice(x ref) bool { return strings.HasSuffix(x.path, "[:]") }

// foreign reports whether x comes from another pool than g's, or belongs to
// somebody who still needs it.
func (e *explorer) foreign(s *state, x ref, g giving) bool {
	o, family := x.obj, g.row.Family
	if a := o.acq; a != nil && x.rel == whole {
		free := func(f *api.Family) bool { return f == api.User || f == api.Proxy || f == api.Likely }
		if o.asked || free(a.family) || free(family) {
			return false
		}
		if a.family != family {
			return true
		}
		if st := s.status[o]; otherPool(st.origin, g.pool) && (!st.judged || st.setting) { // its size tells
			return true
		}
		return family == api.SyncPool && g.typ != nil && o.typ != nil && !types.Identical(o.typ, g.typ) &&
			concrete(o.typ) && concrete(g.typ)
	}
	if g.typ == nil || !isBytes(g.typ) {
		return false
	}
	switch {
	case isArraySlice(x) && x.rel < view:
		return true
	case o.lent:
		return true
	case x.rel == view && o.typ != nil && (isString(o.typ) || isReader(o.typ) || o.acq != nil):
		return !abandoned(o, g.at.pos)
	case x.rel == whole && o.kind == inputObject && o.parent == nil && borrowsByContract(e.fn, o.site):
		return true
	}
	// The inside of what is itself pooled.
	if o.kind == contentObject && o.parent.acq != nil && o.parent.acq.family != family {
		return isBytes(o.typ) && o.path != "" && s.there(o)
	}
	return family == api.SyncPool && o.kind == contentObject && o.parent.acq != nil && o.path == ""
}
