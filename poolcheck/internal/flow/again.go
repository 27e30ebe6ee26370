package flow

import "slices"

// A method that releases what is in a field, and leaves its receiver as it was, releases the
// same again when it is called again. Who calls it may do that: a Read at the end returns
// io.EOF as often as it is asked.

// calledAgain are the names of methods that may be called again whatever they have returned.
var calledAgain = []string{"Read", "ReadByte", "ReadAt", "WriteTo", "Write", "WriteString", "Next", "Scan", "Flush", "String", "Len"}

// releasedAgain returns the reports on releases of what a field still has, in a method that
// may be called again.
func (e *explorer) releasedAgain(exits []exit) []*Report {
	if e.fn.Signature.Recv() == nil || !slices.Contains(calledAgain, e.fn.Name()) {
		return nil
	}
	var reports []*Report
	for _, x := range exits {
		for _, o := range sortedObjects(x.state.status) {
			st := x.state.status[o]
			if f := fieldOfInput(o); f == nil || o.parent.site != e.fn.Params[0] || st.phase != released || st.rider || !x.state.unchanged(o.parent) || !e.comesBack(o.typ) {
				continue
			}
			known := slices.ContainsFunc(reports, func(r *Report) bool { return r.object == o })
			if at := st.at.level(0).pos; !known {
				reports = append(reports, &Report{Code: DoubleRelease, Pos: at, Name: o.name(nil), Type: o.typ, Why: Repeated, By: e.fn.Name(), object: o})
			}
		}
	}
	return reports
}

// unchanged reports whether o, a struct, is live and was not written to.
func (s *state) unchanged(o *object) bool {
	if st := s.status[o]; st.phase != live {
		return false
	}
	for c := range s.stored {
		if c.obj.root() == o {
			return false
		}
	}
	for c, v := range s.mem {
		if c.obj == o && v.stale {
			return false
		}
	}
	return true
}
