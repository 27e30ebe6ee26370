package engine

import "testing"

// A class lends freely until as many slices were made as may be, with those that were made while
// they were counted.
func TestFree(t *testing.T) {
	const k, meanwhile = 7, 3
	for n := range int64(6) {
		f := new(free)
		f.made() // before, which does not matter
		f.count()
		for range meanwhile {
			f.made()
		}
		if f.lends(k) {
			t.Error("a class lends freely while slices are counted")
		}
		if lends := f.set(k, n); lends != (n > meanwhile) || lends != f.lends(k) || f.lends(k+1) {
			t.Errorf("%d may be made, and %d were: %v, %v", n, meanwhile, lends, f.lends(k))
		}
		made := int64(0)
		for ; f.lends(k) && made <= n; made++ {
			f.made()
		}
		if made != max(0, n-meanwhile) {
			t.Errorf("%d may be made, and %d were: a class lends freely until %d more were", n, meanwhile, made)
		}
		if f.set(k, n) {
			t.Error("a class lends freely, and nothing was counted")
		}
	}
}
