package oct002

import (
	"bytes"
	"io"
	"sync"
)

var frames = sync.Pool{New: func() any { return new(bytes.Buffer) }}

type trimmer struct{ w, last io.Writer }

type framer struct {
	out *trimmer
	zip io.Writer
}

// bad: what the deferred function restores is another field
func (f *framer) writeFrame(p []byte) error {
	buf := frames.Get().(*bytes.Buffer)
	buf.Reset()
	defer frames.Put(buf)
	before := f.out.w
	f.out.last = buf // want "OCT002: buf outlives its release"
	defer func() { f.out.w = before }()
	_, err := f.zip.Write(p)
	return err
}
