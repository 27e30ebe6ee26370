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
