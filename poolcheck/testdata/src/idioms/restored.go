package idioms

import (
	"bytes"
	"io"
	"sync"
)

var frames = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// A trimmer writes to w.
type trimmer struct{ w, last io.Writer }

// A framer compresses what it writes.
type framer struct {
	out *trimmer
	zip io.Writer
}

func (f *framer) ensure() {
	if f.out == nil {
		f.out = &trimmer{w: io.Discard}
	}
}

func (f *framer) flush(p []byte) error {
	f.ensure()
	_, err := f.zip.Write(p)
	return err
}

// ok: the writer of before is there again when the buffer goes back.
func (f *framer) writeFrame(p []byte) error {
	buf := frames.Get().(*bytes.Buffer)
	buf.Reset()
	defer frames.Put(buf)
	before := f.out.w
	f.out.w = buf
	defer func() { f.out.w = before }()
	return f.flush(p)
}
