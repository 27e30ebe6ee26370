//go:build !octet_purego

package engine

import (
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

// TestInterleavings runs TestInterleaved, which explores every order of the steps of
// a holder that works on its record and of trimming that takes its stacks away. For
// that this package is built with copies of record.go and stack.go that take their
// atomic operations from package interleave, and stop before each access to a
// stack's items; otherwise they are the same. To show that it finds faults, it must
// find those of mutants of these files (flag -mutants).
func TestInterleavings(t *testing.T) {
	testenv.Exploration{
		Test:  "TestInterleaved",
		Files: []string{"record.go", "stack.go"},
		Steps: []testenv.Edit{
			{"\t\"sync/atomic\"\n", "\tatomic \"github.com/octet-go/octet/internal/interleave\"\n"},
			{"package engine\n\n// A stack is", "package engine\n\nimport \"github.com/octet-go/octet/internal/interleave\"\n\n// A stack is"},
			{"newest(top uint32) item { return", "newest(top uint32) item { interleave.Access(&s[top%64], false); return"},
			{"	s[i%uint32(len(s))] = item{} ", "	interleave.Access(&s[i%64], true)\n	s[i%uint32(len(s))] = item{} "},
			{"	copy(s[to-n:to]", "	for i := range worldLimit + 1 {\n		interleave.Access(&s[i], true)\n	}\n	copy(s[to-n:to]"},
			{"	s[i] = x\n", "	interleave.Access(&s[i], true)\n	s[i] = x\n"},
		},
		Finds: "beside program",
		Mutants: map[string]testenv.Edit{
			"trimming looks into the stack": {
				"	l.victim.Store(s)\n	l.stack.Store(&blocked)\n	return true\n",
				"	if x := s.pop(&l.top); x.some() {\n		salvaged = append(salvaged, x)\n	}\n	l.victim.Store(s)\n	l.stack.Store(&blocked)\n	return true\n",
			},
			"trimming looks into the stack once it is taken away": {
				"	l.victim.Store(s)\n	l.stack.Store(&blocked)\n	return true\n",
				"	l.stack.Store(&blocked)\n	if x, top := s.newest(l.top), l.top; x.some() {\n		salvaged = append(salvaged, x)\n		s.remove(&top)\n	}\n	return true\n",
			},
			"two records share a victim": {
				"	l.victim.Store(s)\n	l.stack.Store(&blocked)\n	return true\n",
				"	l.victim.Store(s)\n	l.stack.Store(&blocked)\n	neighbour(l).victim.Store(s)\n	neighbour(l).victimTop = l.top\n	return true\n",
			},
			"a thief pops from a fresh victim": {
				"	s, top := l.atHand()\n	return s.pop(top)\n",
				"	s, top := l.atHand()\n	if o := neighbour(l); !s.newest(*top).some() && o.victim.Load() != nil {\n		return o.victim.Load().pop(&o.top)\n	}\n	return s.pop(top)\n",
			},
			"push writes to blocked": {
				"	if i > slots || s == &blocked {\n		return false\n	}\n",
				"	if i > slots {\n		return false\n	}\n",
			},
			"blocked before victim": {
				"	l.victim.Store(s)\n	l.stack.Store(&blocked)\n	return true\n",
				"	l.stack.Store(&blocked)\n	l.victim.Store(s)\n	return true\n",
			},
			"victim after blocked in drop": {
				"	l.victim.Store(nil)\n	l.stack.Store(&blocked)\n	return n\n",
				"	l.stack.Store(&blocked)\n	l.victim.Store(nil)\n	return n\n",
			},
			"the top does not go with the stack": {
				"		l.victimTop, l.top = l.top, noTop\n",
				"		l.victimTop, l.top = noTop, noTop\n",
			},
			"a loan pops what it has only looked at": {
				"	s.remove(top)\n	l.gets++\n",
				"	l.gets++\n",
			},
			"a loan takes the top of another stack": {
				"		s, top = l.atHand()\n",
				"		s, _ = l.atHand()\n",
			},
			"a victim keeps the limit of before": {
				"		v.resize(&l.victimTop, l.limit, limit)\n",
				"		_ = v\n",
			},
			"a stack that has just become the victim grows twice": {
				"v != nil && v != s {\n		v.resize",
				"v != nil {\n		v.resize",
			},
			"a victim serves again that was not used": {
				"	if v == nil || l.victimTop < l.limit {\n",
				"	if v == nil {\n",
			},
		},
	}.Run(t)
}
