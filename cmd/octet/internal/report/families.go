package report

import (
	"slices"
	"strings"

	"github.com/octet-go/octet/cmd/octet/internal/summary"
)

// A family is a set of rows that share a table: they do the same operation,
// with nearly the same contestants.
type family struct {
	op          string // the value of the key "op", "" if the rows have none
	contestants []string
	rows        []*summary.Row
}

// families divides the rows into families, in the order in which they first
// appear.
func families(rows []*summary.Row) []*family {
	var all []*family
	for _, r := range rows {
		names := contestants(r)
		op := value(r.Name, "op")
		at := slices.IndexFunc(all, func(f *family) bool { return f.op == op && f.takes(names) })
		if at < 0 {
			at = len(all)
			all = append(all, &family{op: op})
		}
		f := all[at]
		if len(names) > len(f.contestants) {
			f.contestants = names
		}
		f.rows = append(f.rows, r)
	}
	return joinSmall(all)
}

// takes reports whether a row with these contestants fits into the table of the
// family: one of the two has all contestants of the other, and no line of the
// table would be less than half full.
func (f *family) takes(names []string) bool {
	few, many := names, f.contestants
	if len(few) > len(many) {
		few, many = many, few
	}
	for _, name := range few {
		if !slices.Contains(many, name) {
			return false
		}
	}
	return len(few)*2 >= len(many) && !slices.ContainsFunc(f.rows, func(r *summary.Row) bool {
		return len(r.Contestants)*2 < len(many)
	})
}

// joinSmall joins families of one or two rows that have the same contestants,
// because tables of their own would be mostly headings.
func joinSmall(all []*family) []*family {
	var out []*family
	small := func(f *family) bool { return len(f.rows) <= 2 }
	joined := make(map[*family]bool)
	for _, f := range all {
		at := -1
		if small(f) {
			at = slices.IndexFunc(out, func(o *family) bool {
				return (small(o) || joined[o]) && slices.Equal(o.contestants, f.contestants)
			})
		}
		if at < 0 {
			out = append(out, f)
			continue
		}
		out[at].rows = append(out[at].rows, f.rows...)
		joined[out[at]] = true
	}
	return out
}

// contestants returns the names of the contestants of the row.
func contestants(r *summary.Row) []string {
	var names []string
	for _, c := range r.Contestants {
		names = append(names, c.Name)
	}
	return names
}

// labels returns the part of the names that all rows of the family share, and
// the keys in which they differ.
func (f *family) labels() (common string, keys []string) {
	var shared []string
	for _, key := range f.keys() {
		first := value(f.rows[0].Name, key)
		if first == "" || slices.ContainsFunc(f.rows, func(r *summary.Row) bool { return value(r.Name, key) != first }) {
			keys = append(keys, key)
		} else {
			shared = append(shared, key+"="+first)
		}
	}
	return strings.Join(shared, "/"), keys
}

// keys returns the keys of all rows, in the order of their first appearance.
func (f *family) keys() []string {
	var keys []string
	for _, r := range f.rows {
		for pair := range strings.SplitSeq(r.Name, "/") {
			if key, _, _ := strings.Cut(pair, "="); !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// value returns the value of a key in the name of a row, or "".
func value(row, key string) string {
	for pair := range strings.SplitSeq(row, "/") {
		if k, v, _ := strings.Cut(pair, "="); k == key {
			return v
		}
	}
	return ""
}
