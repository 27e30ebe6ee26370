package matrix

//fault:deferred-twice OCT003
// An error path releases what a deferred call releases.

func step(n int) error {
	v := acquire()
	defer release(v)
	if n > 3 {
		release(v) // fault
		return errBad
	}
	use(v)
	return nil
}

//fault:callee-twice OCT003
// The callee and its caller release the memory.

func finish(v T) {
	use(v)
	release(v)
}

func step() {
	v := acquire()
	finish(v)
	release(v) // fault
}

//fault:error-twice OCT003
// The callee releases the memory where it fails, and so does its caller.

func prepare(v T) error {
	if len(view(v)) == 0 {
		release(v) // fault
		return errBad
	}
	return nil
}

func step() error {
	v := acquire()
	if err := prepare(v); err != nil {
		release(v)
		return err
	}
	use(v)
	release(v)
	return nil
}

//fault:in-each-round OCT003 OCT001
// Each round of a loop releases what was acquired before the loop.

func steps(ns []int) {
	if len(ns) == 0 {
		return
	}
	v := acquire()
	for range ns {
		use(v)
		release(v) // fault
	}
	release(v) // mended
}

//fault:goroutine-twice OCT003 OCT005 OCT001
// A goroutine releases the memory, and the function that started it does, too.

func start() {
	v := acquire()
	go func() {
		use(v)
		release(v)
	}()
	release(v) // fault
}

//fault:closed-twice OCT003 OCT001
// Close releases each time that it is called.

type session struct{ cur T }

func newSession() *session { return &session{cur: acquire()} }

func (s *session) Close() error {
	release(s.cur)    // fault
	if s.cur != nil { // mended
		release(s.cur) // mended
		s.cur = nil    // mended
	} // mended
	return nil
}

func run() error {
	s := newSession()
	defer s.Close()
	use(s.cur)
	return s.Close()
}

//fault:sent-and-released OCT003 OCT005 OCT001
// The sender releases what the receiver does.

func send(ch chan T) {
	v := acquire()
	ch <- v
	release(v) // fault
}

func receive(ch chan T) {
	for v := range ch {
		use(v)
		release(v)
	}
}

//fault:missing-return OCT003 OCT001
// An error path releases the memory and goes on.

func step() error {
	v := acquire()
	err := check(view(v))
	if err != nil {
		release(v)
		return err // mended
	}
	release(v)
	return err
}
