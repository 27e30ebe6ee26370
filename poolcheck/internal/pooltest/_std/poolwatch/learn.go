package poolwatch

// Whether a slice in a struct belongs to the struct is learnt in the run without
// poison, for each place of Put and each field. It does if an object came back with the
// array that it was taken with, and in between a byte that was not zero was overwritten;
// unless an array was ever replaced by a smaller one, began inside a heap object, was
// in two idle objects at once, or changed while the object was idle. A caller's
// buffer fails on one of these, and so does an arena, which does not overwrite.
type learnt struct {
	owned, foreign bool
}

// taken has the entries of objects that were taken and not put yet, where one with
// another address may take a place: an object that is not found teaches nothing.
var taken [4096]*entry

func takenSlot(id uintptr) **entry {
	return &taken[(uint64(id)*0x9e3779b97f4a7c15)>>52]
}

// learnAtGet keeps the entry of an object that is taken, and reports whether it did.
func learnAtGet(e *entry) bool {
	if !config.records || len(e.regions) == 0 || e.id == 0 {
		return false
	}
	slot := takenSlot(e.id)
	if *slot != nil {
		release(*slot)
	}
	e.obj = nil
	*slot = e
	return true
}

// learnAtPut compares the regions of an object with those that it had when it was taken.
func learnAtPut(e *entry) {
	if !config.records || len(e.regions) == 0 || e.id == 0 || len(e.place.learnt) == 0 {
		return
	}
	slot := takenSlot(e.id)
	before := *slot
	if before != nil && (before.id != e.id || before.typ != e.typ) {
		before = nil
	}
	for i := range e.regions {
		r := &e.regions[i]
		if r.field < 0 {
			continue
		}
		l := &e.place.learnt[r.field]
		if r.heap != uintptr(r.ptr) {
			l.foreign = true
			continue
		}
		if other := bases.get(r.heap); other != nil {
			l.foreign = true
			if r.field < len(other.place.learnt) {
				other.place.learnt[r.field].foreign = true
			}
		}
		if before == nil {
			continue
		}
		for j := range before.regions {
			b := &before.regions[j]
			if b.field != r.field {
				continue
			}
			if b.ptr != r.ptr {
				if b.n > r.n {
					l.foreign = true
				}
			} else if overwritten(before.saved[b.at:b.at+b.n], bytesAt(r.ptr, min(r.n, b.n))) {
				l.owned = true
			}
		}
	}
	if before != nil {
		release(before)
		*slot = nil
	}
}

// learnChanged notes that a region changed while its object was idle.
func learnChanged(e *entry, r *region) {
	if r.field >= 0 && r.field < len(e.place.learnt) {
		e.place.learnt[r.field].foreign = true
	}
}

func overwritten(was, now []byte) bool {
	for i := range min(len(was), len(now)) {
		if was[i] != 0 && was[i] != now[i] {
			return true
		}
	}
	return false
}

// reportLearnt reports what was learnt.
func reportLearnt() {
	if !config.records {
		return
	}
	for _, p := range allNames {
		for i := range p.learnt {
			l := p.learnt[i]
			switch {
			case l.foreign:
				reportOwnership("foreign", p, i)
			case l.owned:
				reportOwnership("owned", p, i)
			}
		}
	}
}
