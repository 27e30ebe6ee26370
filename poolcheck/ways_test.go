//go:build !race

package poolcheck_test

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
