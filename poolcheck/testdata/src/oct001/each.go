package oct001

import (
	"bytes"
	"io"
	"sync"
	"sync/atomic"
)

var frames = sync.Pool{New: func() any { return new(frame) }}

// A frame counts its references.
type frame struct {
	refs atomic.Int32
	data []byte
}

func newFrame(p []byte) *frame {
	f := frames.Get().(*frame)
	f.data = append(f.data[:0], p...)
	f.refs.Store(1)
	return f
}

func (f *frame) drop() {
	if f.refs.Add(-1) == 0 {
		frames.Put(f)
	}
}

type listeners struct {
	mu  sync.Mutex
	all []io.Writer
}

func (l *listeners) each(f func(io.Writer)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.all {
		f(w)
	}
}

// bad: the frame that was made for the first listener goes back before the second.
func (l *listeners) show(p []byte) {
	var whole *frame
	l.each(func(w io.Writer) {
		if whole == nil {
			whole = newFrame(p)
			defer whole.drop()
		}
		w.Write(whole.data) // want "OCT001: whole is used after" "OCT001: whole.data is used after"
	})
}

// ok: the function that called each gives it back.
func (l *listeners) showAll(p []byte) {
	var whole *frame
	defer func() {
		if whole != nil {
			whole.drop()
		}
	}()
	l.each(func(w io.Writer) {
		if whole == nil {
			whole = newFrame(p)
		}
		w.Write(whole.data)
	})
}

// ok: every listener has one of its own.
func (l *listeners) showEach(p []byte) {
	l.each(func(w io.Writer) {
		f := newFrame(p)
		defer f.drop()
		w.Write(f.data)
	})
}

// ok: it is made anew when it has gone back.
func (l *listeners) showSome(p []byte) {
	var whole *frame
	l.each(func(w io.Writer) {
		if whole == nil {
			whole = newFrame(p)
		}
		if _, err := w.Write(whole.data); err != nil {
			whole.drop()
			whole = nil
		}
	})
	if whole != nil {
		whole.drop()
	}
}

var texts = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// bad: the text is released while the lock is held, and written then.
func (l *listeners) record(w io.Writer, msg string) error {
	var b *bytes.Buffer
	l.locked(func() {
		b = texts.Get().(*bytes.Buffer)
		b.WriteString(msg)
		texts.Put(b)
	})
	_, err := w.Write(b.Bytes()) // want "OCT001: pooled memory is used after its release"
	return err
}

func (l *listeners) locked(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}
