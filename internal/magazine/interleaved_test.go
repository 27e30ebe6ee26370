//go:build octet_interleave && !octet_purego

package magazine

import (
	"fmt"
	"maps"
	"strconv"
	"testing"
	"time"
	"unsafe"

	"github.com/octet-go/octet/internal/interleave"
)

// A world is a class with two processors, and where each item is.
type world struct {
	class  *Class
	items  []Item
	hands  map[Item]bool // held by a user
	gone   map[Item]bool // dropped before the threads begin
	weak   []*weakStack  // pointers; see collect
	pinned [2]interleave.Mutex
	routes [4][]int // by thread: the processors that it is pinned to, in turn; then always the last
	on     [4]int   // by thread: the processor that it is pinned to
	err    error
}

// now is the world of the current run.
var now *world

// worldRoom is how many items a stack holds: a batch of two is the least that leaves one on a
// stack.
var worldRoom = 4

func newWorld() *world {
	w := &world{class: new(Class), hands: make(map[Item]bool), gone: make(map[Item]bool)}
	w.class.Init(&Head{Capacity: 8}, new(Shared), worldRoom, 8)
	w.class.extend(len(w.pinned))
	lists := make([]list, len(w.pinned))
	w.class.depot.lists.Store(&lists)
	now = w
	return w
}

// modelPin and modelUnpin are rt.Pin and rt.Unpin.
func modelPin() int {
	w, thread := now, interleave.Thread()
	route, p := &w.routes[thread], 0
	if len(*route) > 0 {
		p = (*route)[0]
	}
	if len(*route) > 1 {
		*route = (*route)[1:]
	}
	w.pinned[p].Lock()
	w.on[thread] = p
	return p
}

func modelUnpin() { now.pinned[now.on[interleave.Thread()]].Unlock() }

// access goes before an access to an item of a stack.
func access(x *Item, write bool) { interleave.Access(x, write) }

// A weakStack stands for a weak pointer to a stack.
type weakStack struct {
	to   *stack
	gone bool
}

func weakTo(s *stack) *weakStack {
	interleave.Access(&now.weak, true)
	x := &weakStack{to: s}
	now.weak = append(now.weak, x)
	return x
}

func (x *weakStack) Value() *stack {
	interleave.Access(&now.weak, false)
	if x.gone {
		return nil
	}
	return x.to
}

// collect does what a collection does: it clears all weak pointers there are. In truth a
// goroutine that is at work on a stack refers to it; here what it puts there may be lost.
func (w *world) collect() {
	interleave.Access(&w.weak, true)
	for _, x := range w.weak {
		x.gone = true
	}
}

func (w *world) records() table { return (*w.class.tables.Load())[0] }

// Mutants use these: salvage keeps what was taken from a stack, and neighbour returns the
// other record.
func salvage(x Item) {
	if x.Some() {
		now.took(x)
	}
}

func neighbour(l *Record) *Record {
	t := now.records()
	if l == &t[0] {
		return &t[1]
	}
	return &t[0]
}

func (w *world) name(x Item) string {
	for i, y := range w.items {
		if x == y {
			return fmt.Sprintf("item %d", i)
		}
	}
	return "an unknown item"
}

// took notes that a user has x.
func (w *world) took(x Item) {
	if w.hands[x] && w.err == nil {
		w.err = fmt.Errorf("%s is in two hands", w.name(x))
	}
	w.hands[x] = true
}

// fresh returns a new item.
func (w *world) fresh() Item {
	x := Item{unsafe.Pointer(new([8]byte))}
	w.items = append(w.items, x)
	return x
}

// The operations of a holder.
func (w *world) get() {
	x, l := w.class.AtHand()
	if !x.Some() {
		x = w.class.Stored(l)
	}
	if x.Some() {
		w.took(x)
	}
}

func (w *world) atHand() {
	if x, _ := w.class.AtHand(); x.Some() {
		w.took(x)
	}
}

func (w *world) put() { w.class.Put(w.fresh()) }

func (w *world) lend() {
	l := w.class.Pin()
	y := l.Newest()
	x := l.Pop()
	w.class.Unpin(l)
	if !x.Some() {
		x = w.class.Take()
	} else if x != y {
		w.err = fmt.Errorf("%s was looked at, and %s taken", w.name(y), w.name(x))
	}
	if x.Some() {
		w.took(x)
	}
}

// step has processor p's record take a step that holds everything, or nothing.
func (w *world) step(p int, holds bool) {
	room := int64(1 << 30)
	keep := Keep{Room: &room}
	if holds {
		keep.Retain = time.Hour
	}
	w.records()[p].step(8, &keep)
}

func (w *world) drop(p int) { w.records()[p].drop() }

// forget is drop before the threads begin: what it drops is not lost.
func (w *world) forget(p int) {
	for _, x := range w.records()[p].stack.Load() {
		w.gone[x] = true
	}
	w.drop(p)
}

// onProcessor calls fs on a processor, before the threads begin.
func (w *world) onProcessor(p int, fs ...func()) {
	w.routes[0] = []int{p}
	for _, f := range fs {
		f()
	}
}

// fill leaves a batch on a processor's list, before the threads begin, and nothing on its stack.
func (w *world) fill(p int) {
	w.onProcessor(p, w.put, w.put, w.put, w.put, w.put)
	w.forget(p)
}

// retired returns what the records and the depot have retired.
func (w *world) retired() map[Item]bool {
	all := make(map[Item]bool)
	for i := range w.records() {
		l := &w.records()[i]
		if r := l.retired.Load(); r != nil {
			for _, x := range r.stack() {
				all[x] = true
			}
		}
	}
	for l := range w.class.depot.from(0).each {
		for _, r := range l.retired {
			for _, x := range r.stack()[:r.items] {
				all[x] = true
			}
		}
	}
	return all
}

// stack returns the stack, whether it was collected or not.
func (r *retired) stack() *stack {
	if r.held != nil {
		return r.held
	}
	return r.weak.to
}

// check looks at the records and the depot when all is done.
func (w *world) check(mayLose func(Item) bool) error {
	collected := make(map[*stack]bool)
	for _, x := range w.weak {
		collected[x.to] = x.gone
	}
	for i := range w.records() {
		collected[w.records()[i].stack.Load()] = false // it was taken back before
	}
	gone := maps.Clone(w.gone)
	for s, is := range collected {
		for _, x := range s {
			gone[x] = gone[x] || is
		}
	}
	place := func(x Item) {
		if x.Some() && !gone[x] {
			w.took(x)
		}
	}
	for i := range w.records() {
		l := &w.records()[i]
		n, held := l.idle(), 0
		s, r := l.stack.Load(), l.retired.Load()
		if s != &blocked && r != nil {
			return fmt.Errorf("processor %d has a stack, and has retired one", i)
		}
		if r != nil {
			s = r.stack()
		}
		for _, x := range s {
			if x.Some() {
				held++
			}
			place(x)
		}
		if held != n && w.err == nil {
			w.err = fmt.Errorf("on processor %d %d items are idle, and %d are on its stack", i, n, held)
		}
	}
	kept := 0
	for l := range w.class.depot.from(0).each {
		n := len(l.items)
		for _, x := range l.items {
			place(x)
		}
		for _, r := range l.retired {
			for _, x := range r.stack()[:r.items] {
				place(x)
			}
			n += r.items
		}
		if counts := int(l.n.Load()); counts != n && w.err == nil {
			w.err = fmt.Errorf("a list has %d items, and counts %d", n, counts)
		}
		kept += n
	}
	if n := w.class.depot.len(); n != kept && w.err == nil {
		w.err = fmt.Errorf("the depot has %d items, and counts %d", kept, n)
	}
	if w.err != nil {
		return w.err
	}
	for _, x := range w.items {
		if !w.hands[x] && !gone[x] && !mayLose(x) {
			return fmt.Errorf("%s was lost", w.name(x))
		}
	}
	for _, x := range blocked {
		if x.Some() {
			blocked = stack{}
			return fmt.Errorf("blocked was written to")
		}
	}
	return nil
}

// beginnings are what may have happened before, each operation complete.
var beginnings = map[string]func(w *world){
	"nothing":                 func(w *world) {},
	"a full stack":            func(w *world) { w.onProcessor(0, w.put, w.put, w.put, w.put) },
	"a stack with room":       func(w *world) { w.onProcessor(0, w.put) },
	"a stack that is used up": func(w *world) { w.onProcessor(0, w.put, w.get) },
	"a stack and a depot":     func(w *world) { w.onProcessor(0, w.put, w.put, w.put, w.put, w.put, w.get, w.get, w.get) },
	"a depot":                 func(w *world) { w.fill(0) },
	"a retired stack":         func(w *world) { w.onProcessor(0, w.put, w.put); w.step(0, true) },
	"a weak stack":            func(w *world) { w.onProcessor(0, w.put); w.step(0, false) },
	"a stack was taken back":  func(w *world) { w.onProcessor(0, w.put, w.put); w.step(0, false); w.onProcessor(0, w.get) },
}

// bothBeginnings are the same where there are two holders.
var bothBeginnings = map[string]func(w *world){
	"nothing":                func(w *world) {},
	"a depot":                func(w *world) { w.fill(1) },
	"two lists":              func(w *world) { w.fill(0); w.fill(1) },
	"a stack":                func(w *world) { w.onProcessor(1, w.put, w.put) },
	"two stacks":             func(w *world) { w.onProcessor(0, w.put); w.onProcessor(1, w.put) },
	"a retired stack":        func(w *world) { w.onProcessor(0, w.put); w.step(0, true) },
	"two retired stacks":     func(w *world) { w.onProcessor(0, w.put); w.onProcessor(1, w.put); w.step(0, true); w.step(1, true) },
	"a depot, a full stack":  func(w *world) { w.fill(0); w.onProcessor(1, w.put, w.put, w.put, w.put) },
	"one of two was dropped": func(w *world) { w.onProcessor(0, w.put); w.step(0, true); w.onProcessor(1, w.put); w.forget(1) },
	"one of two is retired":  func(w *world) { w.onProcessor(0, w.put); w.step(0, true); w.onProcessor(1, w.put) },
}

// aftermaths are what follows a collection, and what it may lose: what was retired before, or
// anything.
var aftermaths = map[string]struct {
	do             func(w *world, p int)
	drops, dropAll bool
}{
	"a step that holds":  {func(w *world, p int) { w.step(p, true) }, false, false},
	"a step":             {func(w *world, p int) { w.step(p, false) }, true, false},
	"a drop":             {func(w *world, p int) { w.drop(p) }, true, true},
	"a step and another": {func(w *world, p int) { w.step(p, false); w.step(p, false) }, true, true},
}

// explore explores what follows a collection, on processor p, beside threads of holders on
// their routes.
func explore(t *testing.T, begin func(w *world), after string, p int, routes [][]int, threads ...func(w *world)) (runs int, err error) {
	aftermath := aftermaths[after]
	return interleave.Explore(func() interleave.Program {
		w := newWorld()
		begin(w)
		before := w.retired()
		clear(w.routes[:])
		program := interleave.Program{Check: func() error {
			return w.check(func(x Item) bool { return aftermath.dropAll || aftermath.drops && before[x] })
		}}
		for i, f := range threads {
			w.routes[i] = routes[i]
			program.Threads = append(program.Threads, func() { f(w) })
		}
		program.Threads = append(program.Threads, func() { aftermath.do(w, p) })
		return program
	})
}

var operations = []func(w *world){(*world).get, (*world).put, (*world).lend}

// exploreOne explores all programs of so many operations of one holder, what follows a
// collection, and the next collection.
func exploreOne(t *testing.T, length int) {
	sum, programs := 0, 1
	for range length {
		programs *= len(operations)
	}
	for name, begin := range beginnings {
		for after := range aftermaths {
			for program := range programs {
				runs, err := explore(t, begin, after, 0, [][]int{{0}, nil},
					func(w *world) {
						for n := program + programs; n > 1; n /= len(operations) {
							operations[n%len(operations)](w)
						}
					},
					(*world).collect,
				)
				if sum += runs; err != nil {
					t.Fatalf("%s, then %s beside program %s: %v", name, after, strconv.FormatInt(int64(program+programs), len(operations))[1:], err)
				}
			}
		}
	}
	t.Logf("%d orders of %d operations", sum, length)
}

// The tests that take less time come first: of a mutant, only those run up to the first that
// finds it.

// TestLargeInterleaved runs operations of one holder, and of two, whose stacks hold a single item.
func TestLargeInterleaved(t *testing.T) {
	defer func(n int) { worldRoom = n }(worldRoom)
	worldRoom = 1
	exploreOne(t, 2)
	exploreTwo(t)
}

// TestHoldersInterleaved runs operations of two holders.
func TestHoldersInterleaved(t *testing.T) { exploreTwo(t) }

// exploreTwo explores operations of two holders, of whom one moves to the other's processor, and
// what follows a collection.
func exploreTwo(t *testing.T) {
	sum := 0
	for name, begin := range bothBeginnings {
		for after := range aftermaths {
			for p := range 2 {
				for way, route := range map[string][]int{"moves": {0, 1}, "moves later": {0, 0, 1}, "moves to and fro": {0, 1, 0}, "moves back": {0, 1, 1, 0}} {
					for program := range 3 {
						runs, err := explore(t, begin, after, p, [][]int{route, {1}}, operations[program], (*world).atHand)
						if sum += runs; err != nil {
							t.Fatalf("%s, then %s on %d beside program %d of one who %s: %v", name, after, p, program, way, err)
						}
					}
				}
			}
		}
	}
	t.Logf("%d orders of two holders", sum)
}

// TestHolderInterleaved runs, in every order, operations of a holder, what follows a collection, and
// the next collection.
func TestHolderInterleaved(t *testing.T) {
	for length := 1; length <= 3; length++ {
		exploreOne(t, length)
	}
}

// TestListsInterleaved runs, in every order, operations of two processors on the lists of a
// depot, what follows a collection, and the next collection.
func TestListsInterleaved(t *testing.T) {
	get := func(p uint32, n int) func(w *world) {
		return func(w *world) {
			var batch batch
			for _, x := range batch[:w.class.depot.take(p, batch[:n])] {
				w.took(x)
			}
		}
	}
	give := func(p uint32) func(w *world) {
		return func(w *world) { w.class.depot.give(p, []Item{w.fresh(), w.fresh()}) }
	}
	age := func(w *world) {
		room := int64(0)
		w.class.depot.step(0, &Keep{Room: &room})
	}
	drop := func(w *world) { w.class.depot.clear() }
	runs := 0
	for name, begin := range map[string][]func(w *world){
		"nothing":            {},
		"the own list":       {give(0), give(0)},
		"another list":       {give(1)},
		"both lists":         {give(0), give(1)},
		"another is retired": {give(1), age},
		"both are retired":   {give(0), give(1), age},
		"some are retired":   {give(0), give(1), age, give(1)},
	} {
		for i, one := range []func(w *world){get(0, 1), get(0, 2), give(0)} {
			for j, other := range []func(w *world){get(1, 2), give(0), give(1)} {
				for after, last := range map[string]func(w *world){"a step": age, "a drop": drop} {
					n, err := interleave.Explore(func() interleave.Program {
						w := newWorld()
						for _, f := range begin {
							f(w)
						}
						before := w.retired()
						program := interleave.Program{Check: func() error {
							return w.check(func(x Item) bool { return after == "a drop" || before[x] })
						}}
						for _, f := range []func(w *world){one, other, last, (*world).collect} {
							program.Threads = append(program.Threads, func() { f(w) })
						}
						return program
					})
					if runs += n; err != nil {
						t.Fatalf("%s, then %s beside program %d of one and %d of another: %v", name, after, i, j, err)
					}
				}
			}
		}
	}
	t.Logf("%d orders", runs)
}
