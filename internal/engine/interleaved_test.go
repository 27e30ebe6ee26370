//go:build octet_interleave && !octet_purego

package engine

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"unsafe"

	"github.com/octet-go/octet/internal/interleave"
)

// Mutants use these: salvaged is what trimming has taken from stacks, and neighbour
// returns the other record.
var (
	salvaged []item
	both     [2]*Record
)

func neighbour(l *Record) *Record {
	if l == both[0] {
		return both[1]
	}
	return both[0]
}

// A world is two records, and where each item is.
type world struct {
	l     *Record
	other *Record // of another processor
	items []item
	hands map[item]bool // held by a user
	gone  map[item]bool // dropped on purpose
	err   error
}

const worldLimit = 2

func newWorld() *world {
	w := &world{l: new(Record), other: new(Record), hands: make(map[item]bool), gone: make(map[item]bool)}
	both, salvaged = [2]*Record{w.l, w.other}, nil
	w.l.init(worldLimit)
	w.other.init(worldLimit)
	return w
}

// fresh returns an item that a user holds.
func (w *world) fresh() item {
	x := item{unsafe.Pointer(new([8]byte))}
	w.items = append(w.items, x)
	w.hands[x] = true
	return x
}

func (w *world) name(x item) string {
	for i, y := range w.items {
		if x == y {
			return fmt.Sprintf("item %d", i)
		}
	}
	return "an unknown item"
}

// get does what New does with a record, fast path and slow.
func (w *world) get(l *Record) {
	x := l.pop()
	if !x.some() {
		x = l.take()
	}
	if x.some() {
		w.took(x)
	}
}

// lend does what a request of another class does with a record of a class that lends.
func (w *world) lend(l *Record) {
	if x := l.lend(1); x.some() {
		w.took(x)
	}
}

func (w *world) took(x item) {
	if w.hands[x] && w.err == nil {
		w.err = fmt.Errorf("%s is in two hands", w.name(x))
	}
	w.hands[x] = true
}

// put does what Release does with a record, fast path and slow.
func (w *world) put(l *Record) {
	x := w.fresh()
	delete(w.hands, x)
	if l.push(x) {
		return
	}
	s := l.current()
	if s == &blocked {
		if s = l.usedVictim(); s == nil {
			s = new(stack)
		}
		l.install(s)
		w.resize(l, s, worldLimit)
	}
	if s.newest(l.top).some() && l.top == 0 {
		w.resize(l, s, worldLimit+1)
	}
	if !s.push(&l.top, x) {
		w.gone[x] = true // it is full, or was taken away at this moment
	}
}

// resize does what Release does with a record whose stacks hold more from now on, or less.
func (w *world) resize(l *Record, s *stack, limit uint32) {
	if l.limit == limit {
		return
	}
	v := l.victim.Load()
	if v == nil {
		v = &blocked
	}
	had := slices.Concat(s[:], v[:])
	l.resize(s, limit)
	for _, x := range had {
		w.gone[x] = w.gone[x] || !slices.Contains(s[:], x) && !slices.Contains(v[:], x)
	}
}

// check looks at the records when all is done.
func (w *world) check(mayLose map[item]bool) error {
	for _, x := range salvaged {
		w.took(x)
	}
	kept := 0
	for _, l := range both {
		n := l.idle()
		l.current()
		if n != l.idle() {
			return fmt.Errorf("%d items are idle, and then %d", n, l.idle())
		}
		var stacks []*stack
		if s := l.stack.Load(); s != &blocked {
			stacks = append(stacks, s)
		}
		if v := l.victim.Load(); v != nil && v != l.stack.Load() {
			stacks = append(stacks, v)
		}
		held := 0
		for _, s := range stacks {
			for _, x := range s {
				if x.some() {
					held++
					w.took(x)
				}
			}
		}
		if held != n && w.err == nil {
			w.err = fmt.Errorf("%d items are idle, and %d are on stacks", n, held)
		}
		kept += held
	}
	if w.err != nil {
		return w.err
	}
	for _, x := range w.items {
		if !w.hands[x] && !w.gone[x] && !mayLose[x] {
			return fmt.Errorf("%s was lost", w.name(x))
		}
	}
	for _, x := range blocked {
		if x.some() {
			blocked = stack{}
			return fmt.Errorf("blocked was written to")
		}
	}
	return nil
}

// beginnings are what may have happened to a record, each operation complete and
// each retire after a collection.
var beginnings = map[string]func(w *world){
	"nothing":                         func(w *world) {},
	"a wide stack":                    func(w *world) { w.put(w.l); w.put(w.l); w.put(w.l) },
	"a wide victim":                   func(w *world) { w.put(w.l); w.put(w.l); w.put(w.l); w.l.retire() },
	"a stack":                         func(w *world) { w.put(w.l); w.put(w.l) },
	"a stack with room":               func(w *world) { w.put(w.l) },
	"a stack that is used up":         func(w *world) { w.put(w.l); w.get(w.l) },
	"a victim that nobody has seen":   func(w *world) { w.put(w.l); w.put(w.l); w.l.retire() },
	"a victim":                        func(w *world) { w.put(w.l); w.put(w.l); w.l.retire(); w.get(w.l) },
	"a victim and a stack":            func(w *world) { w.put(w.l); w.put(w.l); w.l.retire(); w.put(w.l) },
	"a victim that is used up":        func(w *world) { w.put(w.l); w.l.retire(); w.get(w.l) },
	"no victim any more":              func(w *world) { w.put(w.l); w.l.retire(); w.l.retire() },
	"dropped before anybody has seen": func(w *world) { w.put(w.l); w.put(w.l); w.l.drop() },
}

// TestInterleaved runs the gets and puts of a holder, a step of trimming, and gets of
// another record's holder in every order.
func TestInterleaved(t *testing.T) {
	runs := 0
	for name, begin := range beginnings {
		for trimming, trim := range map[string]func(l *Record){
			"retire":     func(l *Record) { l.retire() },
			"dropVictim": func(l *Record) { l.dropVictim() },
			"drop":       func(l *Record) { l.drop() },
		} {
			for program := range 3 * 3 * 3 {
				var w *world
				mayLose := make(map[item]bool)
				n, err := interleave.Explore(func() interleave.Program {
					w = newWorld()
					begin(w)
					clear(mayLose)
					for _, x := range w.items {
						mayLose[x] = true
					}
					for _, x := range w.l.stack.Load() {
						delete(mayLose, x) // these two drop what was retired before alone
					}
					return interleave.Program{
						Threads: []func(){
							func() {
								for n := program + 27; n > 1; n /= 3 {
									switch n % 3 {
									case 0:
										w.get(w.l)
									case 1:
										w.put(w.l)
									default:
										w.lend(w.l)
									}
								}
							},
							func() { trim(w.l) },
							func() { w.get(w.other) },
						},
						Check: func() error {
							if trimming == "drop" {
								for _, x := range w.items {
									mayLose[x] = true
								}
							}
							return w.check(mayLose)
						},
					}
				})
				if runs += n; err != nil {
					t.Fatalf("%s, then %s beside program %s: %v", name, trimming, strconv.FormatInt(int64(program+27), 3)[1:], err)
				}
			}
		}
	}
	t.Logf("%d orders", runs)
}
