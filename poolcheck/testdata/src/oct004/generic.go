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

var pages anyPool[*bytes.Buffer]

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
