package idioms

import (
	"io"
	"sync"

	"github.com/valyala/bytebufferpool"
)

// escaper is what templates write through; it is pooled with its writer.
type escaper struct{ w io.Writer }

func (e *escaper) Write(p []byte) (int, error) { return e.w.Write(p) }

// tplWriter is pooled, and shows its target while it is in use.
type tplWriter struct {
	e io.Writer
	n struct{ w io.Writer }
}

var tplPool sync.Pool

// ok: the pooled writer is pointed at its target.
func acquireTpl(w io.Writer) *tplWriter {
	v := tplPool.Get()
	if v == nil {
		v = &tplWriter{e: &escaper{}}
	}
	t := v.(*tplWriter)
	t.e.(*escaper).w = w
	t.n.w = w
	return t
}

// ok: and lets go of it.
func releaseTpl(t *tplWriter) {
	t.e.(*escaper).w = nil
	t.n.w = nil
	tplPool.Put(t)
}

// ok: the target is written through a pooled writer, which lets go of it.
func writePage(w io.Writer, title string) {
	t := acquireTpl(w)
	io.WriteString(t.n.w, "<title>")
	io.WriteString(t.e, title)
	releaseTpl(t)
}

// ok: what generated templates do for a string.
func titlePage(title string) string {
	b := bytebufferpool.Get()
	writePage(b, title)
	s := string(b.B)
	bytebufferpool.Put(b)
	return s
}
