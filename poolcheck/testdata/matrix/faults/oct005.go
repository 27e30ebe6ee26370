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

//fault:timeout OCT005 OCT001
// A timeout leaves a goroutine behind that still reads the memory.

func send(ctx context.Context, w io.Writer) error {
	v := acquire()
	defer release(v) // fault
	use(v)
	errc := make(chan error, 1)
	go func() {
		_, err := w.Write(view(v))
		release(v) // mended
		errc <- err
	}()
	select {
	case err := <-errc:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
