package idioms

import "sync"

// A notice is pooled where a setting says so; a scope lies in its notice.
type notice struct {
	body  []byte
	scope scope
	tags  []*tag
}

type scope struct{ name []byte }

type tag struct{ name []byte }

var (
	poolNotices bool

	notices = sync.Pool{New: func() any { return new(notice) }}
	scopes  = sync.Pool{New: func() any { return new(scope) }}
	tags    = sync.Pool{New: func() any { return new(tag) }}
)

func newNotice() *notice {
	if !poolNotices {
		return new(notice)
	}
	return notices.Get().(*notice)
}

func newScope() *scope {
	if !poolNotices {
		return new(scope)
	}
	return scopes.Get().(*scope)
}

func deleteNotice(m *notice) {
	if m == nil {
		return
	}
	deleteScope(&m.scope, false)
	for _, t := range m.tags {
		deleteTag(t)
	}
	*m = notice{}
	if poolNotices {
		notices.Put(m)
	}
}

func deleteScope(s *scope, boxed bool) {
	if s == nil {
		return
	}
	*s = scope{}
	if poolNotices && boxed {
		scopes.Put(s)
	}
}

func deleteTag(t *tag) {
	*t = tag{}
	if poolNotices {
		tags.Put(t)
	}
}

// ok: gives a new notice to a caller that has none
func copyNotice(to, from *notice) *notice {
	if from == nil || to == from {
		return to
	}
	if to == nil {
		to = newNotice()
	}
	to.body = append(to.body[:0], from.body...)
	copyScope(&to.scope, &from.scope)
	return to
}

// ok: the same for what lies in a notice
func copyScope(to, from *scope) *scope {
	if from == nil || to == from {
		return to
	}
	if to == nil {
		to = newScope()
	}
	to.name = append(to.name[:0], from.name...)
	return to
}

// ok: the notices are in the slice
func copyPointers(to, from []*notice) []*notice {
	var out []*notice
	if cap(to) < len(from) {
		out = make([]*notice, len(from))
		copy(out, to)
		for i := len(to); i < len(from); i++ {
			out[i] = newNotice()
		}
	} else {
		out = to[:len(from)]
		for i := len(from); i < len(to); i++ {
			deleteNotice(to[i])
			to[i] = nil
		}
		for i := len(to); i < len(from); i++ {
			out[i] = newNotice()
		}
	}
	for i := range from {
		copyNotice(out[i], from[i])
	}
	return out
}

func exampleScope() *scope {
	s := newScope()
	s.name = []byte("example")
	return s
}

// ok: the same in a literal
func exampleList() []scope {
	return []scope{{}, *exampleScope()}
}
