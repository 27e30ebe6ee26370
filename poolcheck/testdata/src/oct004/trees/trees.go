// Package trees gives back the pages of a tree, in which a page leads to others of its type.
package trees

import "sync"

type entry struct {
	kid any
	key []byte
}

type page struct {
	n       int
	entries [8]entry
}

type leaf struct{ data []byte }

type tree struct {
	root   any
	pages  sync.Pool
	leaves sync.Pool
}

func (t *tree) join(p, q, r *page, i int) {
	q.n += r.n + 1
	q.entries[q.n].kid = r.entries[r.n].kid
	*r = page{}
	t.pages.Put(r)
	if p.n > 1 {
		p.entries[i].kid = q
		return
	}
	switch x := t.root.(type) {
	case *page:
		*x = page{}
		t.pages.Put(x)
	case *leaf:
		t.leaves.Put(x)
	}
	t.root = q
}

func (t *tree) underflow(p, q *page, i int) (*page, int) {
	var l, r *page
	if i >= 0 {
		if i > 0 {
			l = p.entries[i-1].kid.(*page)
		}
		if i < p.n {
			r = p.entries[i+1].kid.(*page)
		}
	}
	if l != nil {
		t.join(p, l, q, i-1)
		return l, i
	}
	t.join(p, q, r, i)
	return q, i
}

// ok: q is a page below p, which is a page below another.
func (t *tree) remove(key byte) {
	i := -1
	var p *page
	q := t.root
	for {
		switch x := q.(type) {
		case *page:
			if x.n < 4 && q != t.root {
				x, i = t.underflow(p, x, i)
			}
			p = x
			q = x.entries[i].kid
		case *leaf:
			x.data = nil
			return
		}
	}
}
