package matrix

//fault:early-return OCT004
// A path returns before the release.

func step(n int) error {
	v := acquire()
	if n > 3 {
		release(v) // mended
		return errBad
	}
	use(v)
	release(v)
	return nil
}

//fault:error-of-helper OCT004
// The path on which a helper fails has no release.

func step() error {
	v := acquire()
	defer release(v) // mended
	if err := check(view(v)); err != nil {
		return err
	}
	release(v) // fault
	return nil
}

//fault:never OCT004
// Nothing releases the memory.

func step() error {
	v := acquire()
	use(v)
	err := check(view(v))
	release(v) // mended
	return err
}

//fault:next-round OCT004
// A round of the loop ends before the release.

func steps(ns []int) {
	for _, n := range ns {
		v := acquire()
		if n == 0 {
			release(v) // mended
			continue
		}
		use(v)
		release(v)
	}
}

//fault:error-of-write OCT004
// The path on which a write fails has no release.

func send(w io.Writer) error {
	v := acquire()
	use(v)
	_, err := w.Write(view(v))
	if err != nil { // fault
		return err // fault
	} // fault
	release(v)
	return err
}

//fault:variable-overwritten OCT004
// A variable gets other memory before its own is released.

func step(n int) {
	v := acquire()
	if n > 3 {
		release(v) // mended
		v = acquire()
	}
	use(v)
	release(v)
}

//fault:not-sent OCT004
// The memory is lost if the send is given up.

func send(ch chan T, done chan struct{}) {
	v := acquire()
	select {
	case ch <- v:
	case <-done:
		release(v) // mended
	}
}

func receive(ch chan T) {
	for v := range ch {
		use(v)
		release(v)
	}
}

//fault:full-channel OCT004
// The memory is lost if the channel is full.

func send(ch chan T) bool {
	v := acquire()
	select {
	case ch <- v:
		return true
	default:
		release(v) // mended
		return false
	}
}

func receive(ch chan T) {
	for v := range ch {
		use(v)
		release(v)
	}
}

//fault:receiver-skips OCT004
// A receiver skips the release of some of what it receives.

func send(ch chan T) { ch <- acquire() }

func receive(ch chan T) {
	for v := range ch {
		if check(view(v)) != nil {
			release(v) // mended
			continue
		}
		release(v)
	}
}

//fault:in-goroutine OCT004
// A goroutine returns before the release.

func start(n int) {
	go func() {
		v := acquire()
		if n > 3 {
			release(v) // mended
			return
		}
		use(v)
		release(v)
	}()
}

//fault:field-overwritten OCT004
// A field gets other memory each time, and only the last is released.

type session struct {
	cur T
	has bool
}

func (s *session) next() {
	if s.has { // mended
		release(s.cur) // mended
	} // mended
	s.cur = acquire()
	s.has = true
}

func (s *session) Close() {
	if s.has {
		release(s.cur)
		s.has = false
	}
}

//fault:field-forgotten OCT004
// A method forgets the memory of a field without releasing it.

type session struct{ cur T }

func newSession() *session { return &session{cur: acquire()} }

func (s *session) reset() {
	if s.cur != nil { // mended
		release(s.cur) // mended
	} // mended
	s.cur = nil
}

func (s *session) Close() {
	if s.cur != nil {
		release(s.cur)
		s.cur = nil
	}
}

//fault:close-without OCT004
// Close has no release.

type session struct {
	cur T
	w   io.Writer
}

func newSession(w io.Writer) *session { return &session{cur: acquire(), w: w} }

func (s *session) Flush() error {
	_, err := s.w.Write(view(s.cur))
	return err
}

func (s *session) Close() error {
	err := s.Flush()
	release(s.cur) // mended
	s.cur = nil    // mended
	return err
}

//fault:list-dropped OCT004
// An error in the middle of a list drops what is in it.

func fill(n int) ([]T, error) {
	var list []T
	for i := range n {
		if i > 7 {
			for _, v := range list { // mended
				release(v) // mended
			} // mended
			return nil, errBad
		}
		list = append(list, acquire())
	}
	return list, nil
}

func step() {
	list, err := fill(3)
	if err != nil {
		return
	}
	for _, v := range list {
		release(v)
	}
}

//fault:queue-cleared OCT004
// A queue is emptied without releasing what is in it.

type queue struct{ list []T }

func (q *queue) add() { q.list = append(q.list, acquire()) }

func (q *queue) pop() T {
	v := q.list[0]
	q.list = q.list[1:]
	return v
}

func (q *queue) clear() {
	for _, v := range q.list { // mended
		release(v) // mended
	} // mended
	q.list = q.list[:0]
}

func step(q *queue) {
	v := q.pop()
	use(v)
	release(v)
}

//fault:map-overwritten OCT004
// An element of a map gets other memory.

type table struct{ m map[string]T }

func (t *table) set(key string) {
	if v, ok := t.m[key]; ok { // mended
		release(v) // mended
	} // mended
	t.m[key] = acquire()
}

func (t *table) remove(key string) {
	if v, ok := t.m[key]; ok {
		release(v)
		delete(t.m, key)
	}
}

//fault:map-deleted OCT004
// An element of a map is deleted without releasing it.

type table struct{ m map[string]T }

func (t *table) set(key string) {
	if _, ok := t.m[key]; !ok {
		t.m[key] = acquire()
	}
}

func (t *table) forget(key string) {
	if v, ok := t.m[key]; ok { // mended
		release(v) // mended
	} // mended
	delete(t.m, key)
}

func (t *table) remove(key string) {
	if v, ok := t.m[key]; ok {
		release(v)
		delete(t.m, key)
	}
}

//fault:result-dropped OCT004
// A caller drops the memory that it is given, in the middle of an expression.

func fill() T {
	v := acquire()
	use(v)
	return v
}

func size() int {
	return len(view(fill())) // fault
	v := fill()              // mended
	n := len(view(v))        // mended
	release(v)               // mended
	return n                 // mended
}

func step() {
	v := fill()
	release(v)
}

//fault:constructor-fails OCT004
// A constructor fails after it has acquired the memory of a field.

type session struct {
	cur T
	n   int
}

func newSession(w io.Writer) (*session, error) {
	s := &session{cur: acquire()}
	if err := s.hello(w); err != nil {
		s.Close() // mended
		return nil, err
	}
	return s, nil
}

func (s *session) hello(w io.Writer) error {
	_, err := w.Write(view(s.cur))
	return err
}

func (s *session) Close() {
	if s.cur != nil {
		release(s.cur)
		s.cur = nil
	}
}

//fault:second-fails OCT004
// The second of two acquisitions fails, and the first is lost.

func fill(n int) (T, error) {
	if n < 0 {
		return nil, errBad
	}
	return acquire(), nil
}

func step(m, n int) error {
	a, err := fill(m)
	if err != nil {
		return err
	}
	b, err := fill(n)
	if err != nil {
		release(a) // mended
		return err
	}
	use(a)
	use(b)
	release(a)
	release(b)
	return nil
}

//fault:parameter OCT004
// A function that takes memory over returns early without releasing it.

func send(v T, w io.Writer) error {
	if len(view(v)) == 0 {
		release(v) // mended
		return errBad
	}
	_, err := w.Write(view(v))
	release(v)
	return err
}

func step(w io.Writer) {
	v := acquire()
	use(v)
	_ = send(v, w)
}

//fault:error-of-callback OCT004
// The path on which a callback fails has no release.

func with(f func(p []byte) error) error {
	v := acquire()
	err := f(view(v))
	if err != nil { // fault
		return err // fault
	} // fault
	release(v)
	return err
}

//fault:error-of-interface OCT004
// The path on which a method of an interface fails has no release.

type handler interface{ Handle(p []byte) error }

func serve(h handler) error {
	v := acquire()
	err := h.Handle(view(v))
	if err != nil { // fault
		return err // fault
	} // fault
	release(v)
	return err
}

//fault:channel-left OCT004
// The only receiver of a channel ends and leaves what is in it.

type queue struct {
	ch   chan T
	done chan struct{}
}

func (q *queue) put() {
	v := acquire()
	select {
	case q.ch <- v:
	case <-q.done:
		release(v)
	}
}

func (q *queue) run() {
	for {
		select {
		case v := <-q.ch:
			use(v)
			release(v)
		case <-q.done:
			for { // mended
				select { // mended
				case v := <-q.ch: // mended
					release(v) // mended
				default: // mended
					return // mended
				} // mended
			} // mended
			return // fault
		}
	}
}

func (q *queue) Close() { close(q.done) }

//fault:condition OCT004
// The release depends on a condition that the acquisition does not depend on.

func step(n int) {
	v := acquire()
	ok := n > 3
	if ok {
		use(v)
	}
	if ok { // fault
		release(v) // fault
	} // fault
	release(v) // mended
}

//fault:returns-false OCT004
// The path that returns false has no release.

func matches(p []byte) bool {
	v := acquire()
	use(v)
	if !bytes.HasPrefix(p, view(v)) {
		release(v) // mended
		return false
	}
	release(v)
	return true
}

//fault:case-without OCT004
// One case of a switch has no release.

func step(kind int) error {
	v := acquire()
	switch kind {
	case 1:
		use(v)
	case 2:
		release(v)
		return nil
	default:
		release(v) // mended
		return errBad
	}
	release(v)
	return nil
}

//fault:rotated OCT004
// A method returns what was in a field before, and a caller ignores it.

type session struct{ cur T }

func newSession() *session { return &session{cur: acquire()} }

func (s *session) rotate() T {
	old := s.cur
	s.cur = acquire()
	return old
}

func (s *session) step() {
	s.rotate()      // fault
	v := s.rotate() // mended
	use(v)          // mended
	release(v)      // mended
}

func (s *session) Close() {
	if s.cur != nil {
		release(s.cur)
		s.cur = nil
	}
}

//fault:read-loop OCT004
// The error that ends a loop of reads leaves the memory of its round.

func readAll(r io.Reader, f func([]byte)) error {
	for {
		v := acquire()
		n, err := r.Read(view(v))
		if err != nil {
			release(v) // mended
			return err
		}
		f(view(v)[:n])
		release(v)
	}
}

//fault:handler-fails OCT004
// A function that is called through a variable takes memory over, and loses it where it fails.

type handlerFunc func(v T) error

func serve(h handlerFunc) error {
	v := acquire()
	use(v)
	return h(v)
}

func handle(v T) error {
	if len(view(v)) == 0 {
		release(v) // mended
		return errBad
	}
	release(v)
	return nil
}

func run() error { return serve(handle) }

//fault:defer-in-loop OCT004
// Each round of an endless loop defers a release to the end of the function.

func readAll(r io.Reader) error {
	for {
		v := acquire()
		defer release(v) // fault
		_, err := r.Read(view(v))
		release(v) // mended
		if err != nil {
			return err
		}
	}
}
