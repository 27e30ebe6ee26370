package matrix

//fault:use-after OCT001
// The memory is used right after its release.

func step() {
	v := acquire()
	release(v) // fault
	use(v)
	release(v) // mended
}

//fault:view-after OCT001
// A view of the memory is written after the release.

func send(w io.Writer) {
	v := acquire()
	p := view(v)
	release(v) // fault
	w.Write(p)
	release(v) // mended
}

//fault:use-after-callee OCT001
// A callee has released the memory on one of the paths that lead to the use.

func finish(v T) { release(v) }

func step(n int) {
	v := acquire()
	if n > 3 {
		finish(v)
		return // mended
	}
	use(v)
	finish(v)
}

//fault:error-shows OCT001
// An error shows the memory after its release.

func parse() error {
	v := acquire()
	p := view(v)
	if err := check(p); err != nil {
		release(v)                             // fault
		err = fmt.Errorf("bad %x: %w", p, err) // fault
		err = fmt.Errorf("bad %x: %w", p, err) // mended
		release(v)                             // mended
		return err
	}
	release(v)
	return nil
}

//fault:deferred-after OCT001
// Deferred calls run last in, first out: the release comes before the write.

func send(w io.Writer) {
	v := acquire()
	defer release(v) // mended
	p := view(v)
	defer func() { w.Write(p) }()
	defer release(v) // fault
	use(v)
}
