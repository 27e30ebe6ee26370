package oct004

import (
	"errors"

	"oct004/frames"
)

// bad: the path with the error forgets what the other gives back.
func frameLost(from string, limit int) error {
	f, err := frames.Read(from) // want "OCT004: .*f.*"
	if err != nil {
		return err
	}
	if len(f.Data) == 0 {
		return errors.New("empty")
	}
	println(len(f.Data))
	f.Release()
	return nil
}

// bad: used after it was given back.
func frameUsedLate() byte {
	f := frames.Take()
	f.Release()
	return f.Data[0] // want "OCT001: .*f.*"
}

// bad: given back on the error path, and again when the function ends.
func frameTwice(from string) error {
	f, err := frames.Read(from)
	if err != nil {
		return err
	}
	defer f.Release() // want "OCT003: .*f.*"
	if f.Data[0] != 0 {
		f.Release()
		return errors.New("bad frame")
	}
	return nil
}

// bad: a function beside the first takes it back, but not on every path.
func bytesLost(n int) error {
	p := frames.Bytes(n) // want "OCT004: .*p.*"
	if p[0] != 0 {
		return errors.New("bad frame")
	}
	frames.Recycle(p)
	return nil
}

// ok: nothing was handed out beside the error.
func frameReleased(from string) error {
	f, err := frames.Read(from)
	if err != nil {
		return err
	}
	defer f.Release()
	println(len(f.Data))
	return nil
}

// ok: one path returns it.
func frameReturned(from string) (*frames.Frame, error) {
	f, err := frames.Read(from)
	if err != nil {
		return nil, err
	}
	if len(f.Data) == 0 {
		f.Release()
		return nil, errors.New("empty")
	}
	return f, nil
}

var lastFrame *frames.Frame

// ok: one path stores it.
func frameStored() {
	f := frames.Take()
	if len(f.Data) == 0 {
		f.Release()
		return
	}
	lastFrame = f
}

// ok: one path gives it to code that may release it.
func frameGiven(use func(*frames.Frame)) {
	f := frames.Take()
	if len(f.Data) == 0 {
		f.Release()
		return
	}
	use(f)
}

// ok: nobody shows that it is given back.
func frameKept() int { return len(frames.Take().Data) }

// ok: it counts its references.
func frameShared() byte {
	s := frames.Share()
	s.Retain()
	s.Release()
	b := s.Data[0]
	s.Release()
	return b
}

// ok: a file is no memory.
func fileLeft() error {
	f, err := frames.Open()
	if err != nil {
		return err
	}
	if len(f.Data) == 0 {
		return errors.New("empty")
	}
	f.Close()
	return nil
}
