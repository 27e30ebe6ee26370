package matrix

//fault:grown OCT008 OCT001
// A function replaces the memory with a larger one, and the caller goes on with the old.

func grow(v T) T {
	w := acquire()
	copy(view(w), view(v))
	release(v)
	return w
}

func step() {
	v := acquire()
	w := grow(v)
	use(v) // fault
	use(w) // mended
	release(w)
}
