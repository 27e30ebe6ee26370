package poolcheck_test

import (
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what TestCompositions finds into testdata/matrix/compositions.txt")

// TestCompositions checks programs through which memory goes from hand to hand.
//
// A program acquires memory and hands it on, by up to two of some ways, to a function that
// releases it. At one of the hands it goes through there is a flaw. Each program is in one of the
// shapes of TestMatrix, which take turns, and is checked with its flaw and mended; to save time,
// one in eleven is. How many programs have a report of their flaw is compared with
// compositions.txt, by the way that the memory came to the hand, and by the flaw. No mended
// program has a report, but for mendedReported.
func TestCompositions(t *testing.T) {
	compositions := compose(t)
	var programs []*program
	for _, c := range compositions {
		programs = append(programs, c.flawed, c.mended)
	}
	analyze(t, programs)
	found, total := make(map[[2]string]int), make(map[[2]string]int)
	for _, c := range compositions {
		switch known := slices.Contains(mendedReported, c.name); {
		case len(c.mended.reports) > 0 && !known:
			t.Errorf("%s: the mended program has reports\n%s", c.name, c.mended)
		case len(c.mended.reports) == 0 && known:
			t.Errorf("%s: no report on the mended program: take it off the list", c.name)
		}
		if c.leftOut() {
			continue
		}
		total[c.cell]++
		if c.flawed.found() {
			found[c.cell]++
		} else {
			t.Logf("silent: %s", c.name)
		}
	}
	got := table(found, total)
	file := filepath.Join(matrixDir, "compositions.txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("what is found has changed: got\n%s\nwant (-update writes it)\n%s", got, want)
	}
}

// mendedReported lists the false reports that are known: of one the release is more calls deep than
// are run in each other, and two wait for a goroutine that releases what a struct owns.
var mendedReported = []string{
	"owner: callback, callback, 2, twice",
	"owner: box, wait group, 0, error", "owner: out, wait group, 2, twice",
}

// sample is how many compositions there are for each that is checked.
const sample = 11

// A composition is a program with a flaw at one hand, and the same mended.
type composition struct {
	name           string // shape: ways, hand, flaw
	cell           [2]string
	shape          string
	flaw           string
	flawed, mended *program
}

// leftOut reports whether the flaw is none in the shape: releases after the first do nothing there.
func (c composition) leftOut() bool {
	return lists("owner counting", c.shape) && lists("missing-return use defer twice", c.flaw)
}

// compose returns a composition for each way, or pair of ways, and each flaw at each hand.
func compose(t *testing.T) []composition {
	t.Helper()
	shapes, imports := readShapes(t), loadImports(t)
	var list []composition
	turn := 0
	for _, chain := range chains() {
		for hand := range len(chain) + 1 {
			for _, f := range flaws {
				if !f.possible(chain, hand) {
					continue
				}
				if turn++; turn%sample != 0 {
					continue
				}
				s := shapes[turn/sample%len(shapes)]
				c := composition{shape: s.name, flaw: f.name, cell: [2]string{"acquired", f.name}}
				names := make([]string, 0, len(chain))
				for i, w := range chain {
					names = append(names, w.name)
					if i == hand-1 {
						c.cell[0] = w.name
					}
				}
				c.name = fmt.Sprintf("%s: %s, %d, %s", s.name, strings.Join(names, ", "), hand, f.name)
				program := func(mended bool) *program {
					return newProgram(t, imports, s, &fault{c.name, strings.Fields(f.codes), text(chain, hand, f, mended)}, mended)
				}
				c.flawed, c.mended = program(false), program(true)
				list = append(list, c)
			}
		}
	}
	return list
}

// chains returns the ways by themselves and in pairs. What is a source comes first.
func chains() [][]way {
	list := [][]way{nil}
	for _, a := range ways {
		list = append(list, []way{a})
		for _, b := range ways {
			piledUp := b.name == "deferred" && strings.Contains(a.take, "for ") // which is a fault of its own
			if b.source == "" && !piledUp {
				list = append(list, []way{a, b})
			}
		}
	}
	return list
}

// A way is how memory comes from one hand to the next.
type way struct {
	name   string
	fields string // of the server; @ stands for the number of the way
	decls  string
	give   string // what hands v on
	take   string // the function that has v next, with BODY for what it does
	bail   string // how it ends before its end

	// source, if it is set, is the function that acquires, and returns v, and sourceBail how it
	// ends before its end. Such a way comes first.
	source, sourceBail string
}

var ways = []way{
	{name: "constructor", take: `func (s *server) serve@(in []byte) error {
	v, err := s.make@(in)
	if err != nil {
		return err
	}
	BODY
	return nil
}`, bail: "return errBad", source: `func (s *server) make@(in []byte) (T, error) {
	v := acquire()
	use(v)
	BODY
	return v, nil
}`, sourceBail: "return nil, errBad"},
	{name: "source", decls: `type source@ interface { Next() (T, error) }
type file@ struct { state }
`, take: `func (s *server) pump@(src source@) error {
	for {
		v, err := src.Next()
		if err != nil {
			return err
		}
		BODY
	}
}
func (s *server) run@() error { return s.pump@(&file@{}) }`, bail: "continue", source: `func (s *file@) Next() (T, error) {
	if s.n++; s.n > 3 {
		return nil, io.EOF
	}
	v := acquire()
	use(v)
	BODY
	return v, nil
}`, sourceBail: "return nil, errBad"},
	{name: "call", give: "s.consume@(v)", take: `func (s *server) consume@(v T) {
	BODY
}`, bail: "return"},
	{name: "errors", give: "if err := s.handle@(v); err != nil {\n s.err = err\n}", take: `func (s *server) handle@(v T) error {
	BODY
	return nil
}`, bail: "return errBad"},
	{name: "field", fields: "cur@ T", give: "if s.cur@ != nil {\n release(s.cur@)\n}\ns.cur@ = v", take: `func (s *server) Close@() error {
	v := s.cur@
	if v == nil {
		return nil
	}
	s.cur@ = nil
	BODY
	return nil
}`, bail: "return errBad"},
	{name: "channel", fields: "queue@ chan T", give: "s.queue@ <- v", take: `func (s *server) loop@() {
	for v := range s.queue@ {
		BODY
	}
}
func (s *server) start@() { go s.loop@() }`, bail: "continue"},
	{name: "select", fields: "queue@ chan T\n done@ chan struct{}", give: "select {\ncase s.queue@ <- v:\ncase <-s.done@:\n release(v)\n}", take: `func (s *server) loop@() error {
	for {
		select {
		case v := <-s.queue@:
			BODY
		case <-s.done@:
			return nil
		}
	}
}`, bail: "return errBad"},
	{name: "taken list", fields: "items@ []T", give: "s.items@ = append(s.items@, v)", take: `func (s *server) flush@() {
	items := s.items@
	s.items@ = nil
	for _, v := range items {
		BODY
	}
}`, bail: "continue"},
	{name: "cleared list", fields: "items@ []T", give: "s.items@ = append(s.items@, v)", take: `func (s *server) flush@() {
	for i, v := range s.items@ {
		s.items@[i] = nil
		BODY
	}
	s.items@ = s.items@[:0]
}`, bail: "continue"},
	{name: "map", fields: "byID@ map[int]T\n mu@ sync.Mutex", give: "s.mu@.Lock()\nif old := s.byID@[s.n]; old != nil {\n release(old)\n}\ns.byID@[s.n] = v\ns.mu@.Unlock()", take: `func (s *server) done@(id int) error {
	s.mu@.Lock()
	v, ok := s.byID@[id]
	delete(s.byID@, id)
	s.mu@.Unlock()
	if !ok {
		return errBad
	}
	BODY
	return nil
}`, bail: "return errBad"},
	{name: "interface", fields: "sink@ sink@", decls: `type sink@ interface { Take(v T) }
type disk@ struct { *server }
`, give: "s.sink@.Take(v)", take: `func (s disk@) Take(v T) {
	BODY
}
func (s *server) init@() { s.sink@ = disk@{s} }`, bail: "return"},
	{name: "box", decls: `type box@ struct {
	v T
	id int
}
`, give: "s.send@(&box@{v: v, id: s.n})", take: `func (s *server) send@(b *box@) error {
	v := b.v
	BODY
	return nil
}`, bail: "return errBad"},
	{name: "message", fields: "queue@ chan box@", decls: `type box@ struct {
	v T
	id int
}
`, give: "s.queue@ <- box@{v, s.n}", take: `func (s *server) loop@() {
	for b := range s.queue@ {
		v := b.v
		s.n = b.id
		BODY
	}
}
func (s *server) start@() { go s.loop@() }`, bail: "continue"},
	{name: "goroutine", give: "go s.work@(v)", take: `func (s *server) work@(v T) {
	BODY
}`, bail: "return"},
	{name: "callback", fields: "", give: "each@(v, func(v T) {\n s.complete@(v)\n})", decls: `func each@(v T, f func(v T)) { f(v) }
`, take: `func (s *server) complete@(v T) {
	BODY
}`, bail: "return"},
	{name: "handler", fields: "handle@ func(v T) error", give: "s.handle@(v)", take: `func newServer@() *server {
	s := new(server)
	s.handle@ = func(v T) error {
		BODY
		return nil
	}
	return s
}`, bail: "return errBad"},
	{name: "request", fields: "reqs@ []*request@", decls: `type request@ struct {
	body T
	id int
}
`, give: "r := &request@{id: s.n}\nr.body = v\ns.reqs@ = append(s.reqs@, r)", take: `func (s *server) flush@() {
	for _, r := range s.reqs@ {
		v := r.body
		r.body = nil
		BODY
	}
	s.reqs@ = nil
}`, bail: "continue"},
	{name: "cleared later", fields: "items@ []T", give: "s.items@ = append(s.items@, v)", take: `func (s *server) flush@() {
	for _, v := range s.items@ {
		BODY
	}
	s.items@ = s.items@[:0]
}`, bail: "continue"},
	{name: "variadic", give: "s.all@(v)", take: `func (s *server) all@(vs ...T) {
	for _, v := range vs {
		BODY
	}
}`, bail: "continue"},
	{name: "list", give: "s.each@([]T{v})", take: `func (s *server) each@(vs []T) {
	for _, v := range vs {
		BODY
	}
}`, bail: "continue"},
	{name: "closer", decls: `type job@ struct {
	*server
	v T
}

func (s *server) job@(v T) *job@ { return &job@{s, v} }
`, give: "s.job@(v).run@()", take: `func (s *job@) run@() {
	v := s.v
	s.v = nil
	BODY
}`, bail: "return"},
	{name: "nested", fields: "queue@ chan *outer@", decls: `type outer@ struct { in inner@ }
type inner@ struct { v T }
`, give: "s.queue@ <- &outer@{inner@{v}}", take: `func (s *server) loop@() {
	for o := range s.queue@ {
		v := o.in.v
		BODY
	}
}`, bail: "continue"},
	{name: "pass", give: "v = s.prepare@(v)\ns.finally@(v)", take: `func (s *server) prepare@(v T) T {
	use(v)
	return v
}
func (s *server) finally@(v T) {
	BODY
}`, bail: "return"},
	{name: "sync map", fields: "m@ sync.Map", give: "s.m@.Store(s.n, v)", take: `func (s *server) done@(id int) error {
	x, ok := s.m@.LoadAndDelete(id)
	if !ok {
		return errBad
	}
	v := x.(T)
	BODY
	return nil
}`, bail: "return errBad"},
	{name: "linked list", fields: "l@ list.List", give: "s.l@.PushBack(v)", take: `func (s *server) next@() error {
	e := s.l@.Front()
	if e == nil {
		return errBad
	}
	v := s.l@.Remove(e).(T)
	BODY
	return nil
}`, bail: "return errBad"},
	{name: "any", fields: "queue@ chan any", give: "s.queue@ <- v", take: `func (s *server) loop@() {
	for x := range s.queue@ {
		switch v := x.(type) {
		case T:
			BODY
		case error:
			s.note(v)
		}
	}
}`, bail: "continue"},
	{name: "ring", fields: "ring@ [8]T\n head@, tail@ int", give: "s.ring@[s.tail@%8] = v\ns.tail@++", take: `func (s *server) pop@() error {
	if s.head@ == s.tail@ {
		return errBad
	}
	v := s.ring@[s.head@%8]
	s.ring@[s.head@%8] = nil
	s.head@++
	BODY
	return nil
}`, bail: "return errBad"},
	{name: "value", fields: "cur@ job@", decls: `type job@ struct {
	v T
	id int
}
`, give: "if s.cur@.v != nil {\n release(s.cur@.v)\n}\ns.cur@ = job@{v: v, id: s.n}", take: `func (s *server) end@() error {
	j := s.cur@
	s.cur@ = job@{}
	if j.v == nil {
		return errBad
	}
	v := j.v
	BODY
	return nil
}`, bail: "return errBad"},
	{name: "options", decls: `type options@ struct {
	v T
	id int
}
`, give: "s.submit@(options@{v: v, id: s.n})", take: `func (s *server) submit@(o options@) {
	v := o.v
	BODY
}`, bail: "return"},
	{name: "generic", decls: `type queue@[E any] struct{ items []E }

func (q *queue@[E]) push(e E) { q.items = append(q.items, e) }

func (q *queue@[E]) pop() (e E, ok bool) {
	if len(q.items) == 0 {
		return e, false
	}
	e = q.items[0]
	q.items = q.items[1:]
	return e, true
}
`, fields: "q@ queue@[T]", give: "s.q@.push(v)", take: `func (s *server) next@() error {
	v, ok := s.q@.pop()
	if !ok {
		return errBad
	}
	BODY
	return nil
}`, bail: "return errBad"},
	{name: "deferred", give: "defer s.later@(v)", take: `func (s *server) later@(v T) {
	BODY
}`, bail: "return"},
	{name: "method value", give: "f := s.run@\nf(v)", take: `func (s *server) run@(v T) {
	BODY
}`, bail: "return"},
	{name: "wait group", fields: "wg@ sync.WaitGroup", give: "s.wg@.Add(1)\ngo func() {\n defer s.wg@.Done()\n s.work@(v)\n}()\ns.wg@.Wait()", take: `func (s *server) work@(v T) {
	BODY
}`, bail: "return"},
	{name: "iterator", take: `func (s *server) each@() error {
	for v := range s.all@() {
		BODY
	}
	return nil
}`, bail: "continue", source: `func (s *server) all@() func(yield func(T) bool) {
	return func(yield func(T) bool) {
		for range 3 {
			v := acquire()
			use(v)
			BODY
			if !yield(v) {
				return
			}
		}
	}
}`, sourceBail: "continue"},
	{name: "out", take: `func (s *server) open@() error {
	var v T
	if err := s.fill@(&v); err != nil {
		return err
	}
	BODY
	return nil
}`, bail: "return errBad", source: `func (s *server) fill@(dst *T) error {
	v := acquire()
	use(v)
	BODY
	*dst = v
	return nil
}`, sourceBail: "return errBad"},
	{name: "promoted", fields: "reqs@ []*request@", decls: `type body@ struct{ v T }

func (b *body@) set(v T) { b.v = v }

func (b *body@) take() T {
	v := b.v
	b.v = nil
	return v
}

type request@ struct {
	body@
	id int
}
`, give: "r := &request@{id: s.n}\nr.set(v)\ns.reqs@ = append(s.reqs@, r)", take: `func (s *server) flush@() {
	reqs := s.reqs@
	s.reqs@ = nil
	for _, r := range reqs {
		v := r.take()
		BODY
	}
}`, bail: "continue"},
	{name: "timer", give: "time.AfterFunc(time.Second, func() { s.expire@(v) })", take: `func (s *server) expire@(v T) {
	BODY
}`, bail: "return"},
}

// A flaw is what is wrong at one hand, and the same mended: NEXT hands v on, or releases it, and
// BAIL leaves the function.
type flaw struct {
	name, codes    string
	flawed, mended string
	// at reports whether it is a flaw where v is handed on by the next way, nil if it is
	// released, and left ways are to come.
	at func(next *way, left int) bool
}

func (f flaw) possible(chain []way, hand int) bool {
	if f.at == nil {
		return true
	}
	left := len(chain) - hand
	if left == 0 {
		return f.at(nil, 0)
	}
	return f.at(&chain[hand], left)
}

func anywhere(next *way, left int) bool  { return true }
func beforeEnd(next *way, left int) bool { return left == 0 }
func handedOn(next *way, left int) bool  { return left > 0 }
func notReturned(next *way, left int) bool {
	return left == 0 || next.source == ""
}

// endsSoon reports whether v is released when the next way has it, or soon after.
func endsSoon(next *way, left int) bool {
	return left == 0 || left == 1 && lists("call errors channel select interface box message goroutine callback handler variadic", next.name)
}

var flaws = []flaw{
	{"bad", "OCT004", "if bad(view(v)) {\n BAIL\n}\nNEXT", "if bad(view(v)) {\n release(v)\n BAIL\n}\nNEXT", anywhere},
	{
		"error", "OCT004", "if err := check(view(v)); err != nil {\n s.note(err)\n BAIL\n}\nNEXT",
		"if err := check(view(v)); err != nil {\n s.note(err)\n release(v)\n BAIL\n}\nNEXT", anywhere,
	},
	{
		"case", "OCT004", "switch kind(view(v)) {\ncase 0:\n NEXT\ncase 1:\n s.count()\ndefault:\n release(v)\n}",
		"switch kind(view(v)) {\ncase 0:\n NEXT\ncase 1:\n s.count()\n release(v)\ndefault:\n release(v)\n}", notReturned,
	},
	{"never", "OCT004", "use(v)", "use(v)\nrelease(v)", beforeEnd},
	{
		"missing-return", "OCT003 OCT001 OCT005 OCT002", "if bad(view(v)) {\n release(v)\n}\nNEXT",
		"if bad(view(v)) {\n release(v)\n BAIL\n}\nNEXT", anywhere,
	},
	{"use", "OCT001 OCT005 OCT002", "NEXT\nuse(v)", "use(v)\nNEXT", endsSoon},
	{"keep", "OCT002 OCT001 OCT005", "s.keep(view(v))\nNEXT", "s.copy(view(v))\nNEXT", beforeEnd},
	{"defer", "OCT003 OCT001 OCT005 OCT002", "defer release(v)\nNEXT", "NEXT", handedOn},
	{"twice", "OCT003 OCT001 OCT005 OCT002", "NEXT\nif s.closed() {\n release(v)\n}", "NEXT", notReturned},
}

// text returns the program in which memory goes the ways of the chain and the flaw is at a hand.
func text(chain []way, hand int, f flaw, mended bool) string {
	numbered := func(s string, i int) string { return strings.ReplaceAll(s, "@", fmt.Sprint(i)) }
	fields, decls := "", ""
	hands := []way{{take: "func (s *server) receive(in []byte) error {\nv := acquire()\nuse(v)\nBODY\nreturn nil\n}", bail: "return errBad"}}
	for i, w := range chain {
		if w.source != "" {
			hands[0] = way{take: numbered(w.source, i), bail: w.sourceBail}
		}
		fields += numbered(w.fields, i) + "\n"
		decls += numbered(w.decls, i)
		hands = append(hands, way{take: numbered(w.take, i), bail: w.bail})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "type server struct {\nstate\n%s}\n%s%s", fields, decls, compositionCommon)
	for i, h := range hands {
		body := "release(v)"
		if i < len(chain) {
			body = numbered(chain[i].give, i)
		}
		if i == hand {
			at := f.flawed
			if mended {
				at = f.mended
			}
			body = strings.NewReplacer("BAIL", h.bail, "NEXT", body).Replace(at)
		}
		b.WriteString(strings.Replace(h.take, "BODY", body, 1) + "\n")
	}
	src, err := format.Source([]byte("package matrix\n" + b.String()))
	if err != nil {
		panic(fmt.Sprintf("%v in\n%s", err, b.String()))
	}
	return strings.TrimPrefix(string(src), "package matrix\n")
}

const compositionCommon = `
type state struct {
	n    int
	err  error
	last []byte
}

func (s *state) note(err error) { s.err = err }
func (s *state) count()         { s.n++ }
func (s *state) closed() bool   { return s.n > 7 }
func (s *state) keep(p []byte)  { s.last = p }
func (s *state) copy(p []byte)  { s.last = append(s.last[:0], p...) }

func bad(p []byte) bool { return len(p) > 0 && p[0] == 7 }

func kind(p []byte) int {
	if len(p) == 0 {
		return 0
	}
	return int(p[0])
}

func once() error {
	v := acquire()
	use(v)
	err := check(view(v))
	release(v)
	return err
}
`

// table says how many programs were found, by the way that the memory came, and by the flaw.
func table(found, total map[[2]string]int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-14s", "")
	for _, f := range flaws {
		fmt.Fprintf(&b, " %14s", f.name)
	}
	b.WriteString("\n")
	row := func(name string) {
		line := fmt.Sprintf("%-14s", name)
		for _, f := range flaws {
			cell := [2]string{name, f.name}
			line += fmt.Sprintf(" %14s", fmt.Sprintf("%d/%d", found[cell], total[cell]))
			found[[2]string{"all", f.name}] += found[cell]
			total[[2]string{"all", f.name}] += total[cell]
		}
		b.WriteString(line + "\n")
	}
	row("acquired")
	for _, w := range ways {
		row(w.name)
	}
	line := fmt.Sprintf("%-14s", "all")
	for _, f := range flaws {
		cell := [2]string{"all", f.name}
		line += fmt.Sprintf(" %14s", fmt.Sprintf("%d/%d", found[cell], total[cell]))
	}
	b.WriteString(line + "\n")
	return b.String()
}
