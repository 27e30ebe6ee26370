package matrix

//fault:rest-released OCT006
// What is left after a write is released in place of the whole.

func send(w io.Writer) {
	v := acquire()
	rest := v
	for len(rest) > 0 {
		n, err := w.Write(rest)
		if err != nil {
			break
		}
		rest = rest[n:]
	}
	release(rest) // fault
	release(v)    // mended
}
