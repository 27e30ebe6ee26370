package matrix

//fault:whole-sent OCT009
// More is sent than was read.

func forward(r io.Reader, w io.Writer) error {
	v := acquire()
	defer release(v)
	_, err := r.Read(v) // fault
	n, err := r.Read(v) // mended
	if err != nil {
		return err
	}
	_, err = w.Write(v)     // fault
	_, err = w.Write(v[:n]) // mended
	return err
}
