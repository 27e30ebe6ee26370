package matrix

//fault:goroutine-reads OCT005 OCT001
// Nobody waits for the goroutine that reads the memory.

func send(w io.Writer) {
	v := acquire()
	use(v)
	done := make(chan struct{}) // mended
	go func() {
		w.Write(view(v))
		close(done) // mended
	}()
	<-done // mended
	release(v)
}
