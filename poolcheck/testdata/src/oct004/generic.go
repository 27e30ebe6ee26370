package oct004

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"
)

// anyPool is a sync.Pool of one type, which only its users know.
type anyPool[T any] struct{ p sync.Pool }

func (p *anyPool[T]) get() T  { return p.p.Get().(T) }
func (p *anyPool[T]) put(v T) { p.p.Put(v) }

var (
	pages    anyPool[*bytes.Buffer]
	sessions anyPool[*session]
)

type session struct {
	id    int
	state []byte
}

// bad: what failed was given the buffer, which is as good as before.
func genericErrorPath(v any, w io.Writer) error {
	b := pages.get() // want "OCT004: b is not released on every path"
	b.Reset()
	if err := json.NewEncoder(b).Encode(v); err != nil {
		return err
	}
	_, err := b.WriteTo(w)
	pages.put(b)
	return err
}

// untyped hands out what the caller knows the type of.
func untyped(p *sync.Pool) any { return p.Get() }

var untypedPages sync.Pool
