package magazine

import "testing"

// What is stored is found last.
func TestStore(t *testing.T) {
	onBothEngines(t, func(t *testing.T, portable bool) {
		quietly(func() {
			c := oneRecord(portable, 1024)
			first, last := newItem(c), newItem(c)
			c.Put(first)
			c.Store(last)
			if !same(get(c), first) || !same(get(c), last) || get(c).Some() {
				t.Error("what was stored was not found last")
			}
		})
	})
}

// Puts say now and then that a record has seen more of them than requests: at once if it had no
// stack, or when a stack has just been filled. No put says so of a record that has not.
func TestSurplus(t *testing.T) {
	onBothEngines(t, func(t *testing.T, portable bool) {
		quietly(func() {
			c := oneRecord(portable, 64)
			first, said := false, 0
			for i := range 10_000 {
				_, surplus := c.Put(newItem(c))
				if surplus {
					said++
				}
				if i == 0 {
					first = surplus
				}
			}
			if !first || said < 2000 || said > 3000 {
				t.Errorf("of 10,000 puts in excess %d say so, the first %v", said, first)
			}
			c = oneRecord(portable, 64)
			x, y := get(c), get(c)
			c.Put(x)
			c.Put(y)
			for l := range c.all().each {
				for l.Push(newItem(c)) {
				}
			}
			if _, surplus := c.Put(newItem(c)); !surplus {
				t.Error("the put that finds the stack full does not say so")
			}
			c = oneRecord(portable, 64)
			for range 3000 {
				get(c)
				if _, surplus := c.Put(newItem(c)); surplus {
					t.Fatal("a put says that it is one too many")
				}
			}
		})
	})
}
