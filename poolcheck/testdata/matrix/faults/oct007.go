package matrix

//fault:peeked OCT007
// The memory of a bufio.Reader is released.

func kind(r *bufio.Reader) byte {
	head, err := r.Peek(64)
	if err != nil {
		return 0
	}
	b := head[0]
	release(head) // fault
	return b
}

func step() {
	v := acquire()
	use(v)
	release(v)
}
