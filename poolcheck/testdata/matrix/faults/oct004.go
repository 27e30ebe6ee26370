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
