//go:build !octet_purego

package magazine

import (
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

// exploration returns that of a test. For it this package is built with copies of some files
// whose atomic operations and locks are steps, that stop before each access to a stack's items,
// in which a goroutine is pinned to the processor that the test says, and a weak pointer is one
// that the test clears; otherwise they are the same. To show that the test finds faults, it must
// find those of mutants of these files (flag -mutants).
func exploration(test string, mutants map[string]testenv.Edit) testenv.Exploration {
	return testenv.Exploration{
		Test:    test,
		Mutants: mutants,
		Finds:   "beside program",
		Files:   []string{"record.go", "retired.go", "stack.go", "class.go", "take.go", "put.go", "list.go"},
		Steps: []testenv.Edit{
			{"import (\n	\"sync/atomic\"\n\n	\"github.com/octet-go/octet/internal/rt\"\n)\n", "import (\n	atomic \"github.com/octet-go/octet/internal/interleave\"\n	\"github.com/octet-go/octet/internal/rt\"\n)\n"},
			{"	\"time\"\n	\"weak\"\n", "	\"time\"\n"},
			{"weak.Pointer[stack] ", "*weakStack "},
			{"weak.Make(s)", "weakTo(s)"},
			{"rt.Pin()", "modelPin()"},
			{"rt.Unpin()", "modelUnpin()"},
			{"import (\n	\"slices\"\n	\"sync\"\n	\"sync/atomic\"\n\n	\"github.com/octet-go/octet/internal/rt\"\n)\n", "import (\n	\"slices\"\n\n	atomic \"github.com/octet-go/octet/internal/interleave\"\n)\n"},
			{"rt.Store(&l.n, ", "l.n.Store("},
			{"	mu      sync.Mutex\n", "	mu      atomic.Mutex\n"},
			{"	rest := len(l.items) - n\n", "	rest := len(l.items) - n\n	atomic.Access(&l.items, false)\n"},
			{"	l.items = ", "	atomic.Access(&l.items, true)\n	l.items = "},
			{"newest(top uint32) Item { return", "newest(top uint32) Item { access(&s[top%64], false); return"},
			{"	s[i%uint32(len(s))] = Item{} ", "	access(&s[i%64], true)\n	s[i%uint32(len(s))] = Item{} "},
			{"	s[i] = x\n", "	access(&s[i], true)\n	s[i] = x\n"},
			{"	n := min(*top, uint32(len(items)))\n", "	n := min(*top, uint32(len(items)))\n	for i := range n {\n		access(&s[*top-n+i], true)\n	}\n"},
			{"	keep := room / 2\n", "	for i := range room {\n		access(&s[i], true)\n	}\n	keep := room / 2\n"},
			{"l.idle() * capacity", "0"}, // what it reads matters to nothing here
			{"	n := l.idle()\n", "	n := 0\n"},
			{"		c.depot.give(l.processor, s[top:c.room])\n", "		for i := range uint32(c.room) - top {\n			access(&s[top+i], false)\n		}\n		c.depot.give(l.processor, s[top:c.room])\n"},
		},
	}
}

// TestInterleavings explores every order of the steps of holders at work on the records of their
// processors, and what follows a collection: stacks that are retired, dropped, or taken by the
// collector.
func TestInterleavings(t *testing.T) {
	const retires = "		l.retired.Store(retire(s, bytes, keep))\n		l.stack.Store(&blocked)\n"
	exploration("Test(Large|Holders|Holder)Interleaved", map[string]testenv.Edit{
		"blocked before retired": {
			retires,
			"		l.stack.Store(&blocked)\n		l.retired.Store(retire(s, bytes, keep))\n",
		},
		"a stack that is retired stays": {
			retires,
			"		l.retired.Store(retire(s, bytes, keep))\n",
		},
		"aging looks into the stack": {
			retires,
			"		if x := s.newest(l.top); x.Some() {\n			s.remove(&l.top)\n			salvage(x)\n		}\n" + retires,
		},
		"aging looks into the stack once it is retired": {
			retires,
			retires + "		if x, top := s.newest(l.top), l.top; x.Some() {\n			s.remove(&top)\n			salvage(x)\n		}\n",
		},
		"aging takes what it has retired": {
			"	return !l.retired.CompareAndSwap(r, nil) // or the holder has just taken it back\n",
			"	if l.retired.Load() == r {\n		l.retired.Store(nil)\n		if s := r.take(); s != nil {\n			salvage(s.newest(l.top))\n		}\n	}\n	return false\n",
		},
		"two records share what is retired": {
			retires,
			retires + "		neighbour(l).retired.Store(l.retired.Load())\n		neighbour(l).top = l.top\n",
		},
		"a neighbour takes what is retired": {
			"	if r = l.retired.Load(); r == nil || !l.retired.CompareAndSwap(r, nil) {\n		r = nil // or it has just been dropped\n	}\n",
			"	if r = l.retired.Load(); r == nil {\n		r = neighbour(l).retired.Load()\n		neighbour(l).retired.Store(nil)\n		l.top = neighbour(l).top\n	} else {\n		l.retired.Store(nil)\n	}\n",
		},
		"install clears what was retired": {
			"	l.top = top\n	l.stack.Store(s)\n",
			"	l.top = top\n	l.stack.Store(s)\n	l.retired.Store(nil)\n",
		},
		"the top does not go with the stack": {
			"	top, l.top = l.top, noTop\n",
			"	top, l.top = noTop, noTop\n",
		},
		"a stack is taken back beside another one": {
			"	if s = l.stack.Load(); s != &blocked {\n		return s, nil, noTop\n	}\n",
			"	s = l.stack.Load()\n",
		},
		"push writes to blocked": {
			"	if i > slots || s == &blocked { ",
			"	if i > slots { ",
		},
		"a pop leaves the item": {
			"		s.remove(&l.top)\n		l.gets++\n",
			"		l.top++\n		l.gets++\n",
		},
		"a new stack takes the place of another": {
			"	return c.restore(c.repin(l), s, uint32(c.room))\n",
			"	l = c.repin(l)\n	l.install(s, uint32(c.room))\n	return l, s\n",
		},
		"the stack is looked for again": {
			"		case own == &blocked && l.room > 0:\n",
			"		case l.stack.Load() == &blocked && l.room > 0:\n",
		},
		"a stack is installed beside one that is retired": {
			"		own, r, its := l.restore()\n		switch {\n",
			"		own, r, its := l.restore()\n		if r == nil && s != nil {\n			c.Unpin(l)\n			l = c.repin(l)\n		}\n		switch {\n",
		},
		"what a stack has goes to the depot while it is installed": {
			"			l.install(s, top)\n			return l, s\n",
			"			l.install(s, top)\n			c.spill(l, s, top)\n			return l, s\n",
		},
		"what was brought along is lost where a stack is retired": {
			"				c.spill(l, s, top) // which only a record that was pinned before has had\n",
			"",
		},
		"what was brought along is lost where there is a stack": {
			"		c.Unpin(l)\n		c.spill(l, s, top)\n		s = nil\n",
			"		c.Unpin(l)\n		s = nil\n",
		},
		"the depot has what a stack keeps": {
			"		c.depot.give(l.processor, batch[:n])\n	}\n	return true, surplus\n",
			"		c.depot.give(l.processor, batch[:n])\n		c.depot.give(l.processor, []Item{x})\n	}\n	return true, surplus\n",
		},
		"a batch that finds no room is lost": {
			"	if n > 0 {\n		c.depot.give(l.processor, batch[:n])\n	}\n	return x\n",
			"	return x\n",
		},
		"a request takes two": {
			"		n = s.fill(&l.top, batch[:n])\n",
			"		n = s.fill(&l.top, batch[:n+1])\n",
		},
	}).Run(t)
}

// TestListInterleavings explores the same of two processors at work on the lists of a depot.
func TestListInterleavings(t *testing.T) {
	exploration("TestListsInterleaved", map[string]testenv.Edit{
		"a list is taken from without its lock": {
			"		l.mu.Lock()\n		n = l.remove(batch)\n		l.mu.Unlock()\n",
			"		n = l.remove(batch)\n",
		},
		"what is retired is taken back without the lock": {
			"	l.mu.Lock()\n	defer l.mu.Unlock()\n	for last := len(l.retired) - 1;",
			"	for last := len(l.retired) - 1;",
		},
		"a list is retired without its lock": {
			"	l.mu.Lock()\n	defer l.mu.Unlock()\n	old := l.retired\n",
			"	old := l.retired\n",
		},
		"what the collector took is counted for ever": {
			"			l.add(-r.items)\n",
			"",
		},
		"what is dropped is counted for ever": {
			"	l.add(-dropped)\n",
			"",
		},
	}).Run(t)
}
