package oct001

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"
)

var heads = sync.Pool{New: func() any {
	b := make([]byte, 512)
	return &b
}}

// A stream is a reader and what closes it.
type stream struct {
	io.Reader
	io.Closer
}

func openStream(f *os.File, head []byte, limit int64) (io.ReadCloser, error) {
	n, err := io.ReadFull(f, head)
	if err != nil {
		return nil, err
	}
	return stream{io.LimitReader(io.MultiReader(bytes.NewReader(head[:n]), f), limit), f}, nil
}

// ok: the stream is closed, and that does not read it.
func closeReleased(f *os.File) error {
	head := heads.Get().(*[]byte)
	st, err := openStream(f, *head, 1<<20)
	heads.Put(head)
	if err != nil {
		return err
	}
	return st.Close()
}

// A document is decoded when it is asked for.
type document interface{ title() (string, error) }

type lazyDocument struct{ raw []byte }

func (d lazyDocument) title() (string, error) {
	line, _, ok := bytes.Cut(d.raw, []byte{'\n'})
	if !ok {
		return "", errors.New("no title")
	}
	return string(line), nil
}

type emptyDocument struct{}

func (emptyDocument) title() (string, error) { return "", nil }

func parseDocument(p []byte) document {
	if len(p) == 0 {
		return emptyDocument{}
	}
	return lazyDocument{p}
}

// bad: the title is read from bytes that were given back.
func titleOf(f *os.File) (string, error) {
	head := heads.Get().(*[]byte)
	n, err := f.Read(*head)
	d := parseDocument((*head)[:n])
	heads.Put(head)
	if err != nil {
		return "", err
	}
	return d.title() // want "OCT001: .*head.*"
}
