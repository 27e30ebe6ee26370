// Package fixed answers queries over HTTP. A limited number of them is worked on
// at a time.
package fixed

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
)

// A source knows the values of one kind of fields.
type source interface {
	fetch(ctx context.Context, name string, dst *bytes.Buffer) error
}

// A field is written in the way that its kind wants.
type field struct {
	name  string
	write func(dst *bytes.Buffer, value []byte)
}

type query struct {
	kind   string
	fields []field
}

// A loader keeps what the source said about the fields of one query.
type loader struct {
	text bytes.Buffer
	ends []int
}

func (l *loader) load(ctx context.Context, q *query, src source) error {
	for _, f := range q.fields {
		if err := src.fetch(ctx, f.name, &l.text); err != nil {
			return err
		}
		l.ends = append(l.ends, l.text.Len())
	}
	return nil
}

func (l *loader) free() {
	l.text.Reset()
	l.ends = l.ends[:0]
}

// An answer composes the values.
type answer struct {
	kind string
	body bytes.Buffer
}

func (a *answer) init(q *query) error {
	if len(q.fields) == 0 {
		return errors.New("the query has no fields")
	}
	a.kind = q.kind
	return nil
}

func (a *answer) compose(q *query, l *loader, dst *bytes.Buffer) error {
	start := 0
	for i, f := range q.fields {
		if i > 0 {
			a.body.WriteByte(',')
		}
		a.body.WriteString(f.name)
		a.body.WriteByte('=')
		f.write(&a.body, l.text.Bytes()[start:l.ends[i]])
		start = l.ends[i]
	}
	dst.WriteString(a.kind)
	dst.WriteByte(':')
	_, err := a.body.WriteTo(dst)
	return err
}

func (a *answer) reset() {
	a.kind = ""
	a.body.Reset()
}

// A bench is what the work on a query needs.
type bench struct {
	loader loader
	answer answer
}

type resolver struct {
	sources map[string]source
	kinds   map[string][]field
	benches sync.Pool
	buffers sync.Pool
	slots   chan struct{}
}

func newResolver(limit int) *resolver {
	return &resolver{
		sources: make(map[string]source),
		kinds:   make(map[string][]field),
		benches: sync.Pool{New: func() any { return new(bench) }},
		buffers: sync.Pool{New: func() any { return new(bytes.Buffer) }},
		slots:   make(chan struct{}, limit),
	}
}

// takeBench waits until it may take one.
func (r *resolver) takeBench() *bench {
	r.slots <- struct{}{}
	return r.benches.Get().(*bench)
}

func (r *resolver) giveBench(b *bench) {
	b.loader.free()
	b.answer.reset()
	r.benches.Put(b)
	<-r.slots
}

func (r *resolver) takeBuffer() *bytes.Buffer { return r.buffers.Get().(*bytes.Buffer) }

func (r *resolver) giveBuffer(b *bytes.Buffer) {
	b.Reset()
	r.buffers.Put(b)
}

func (r *resolver) resolve(ctx context.Context, q *query, w io.Writer) error {
	src, ok := r.sources[q.kind]
	if !ok {
		return errors.New("no source of " + q.kind)
	}
	b := r.takeBench()
	given := false
	// Also when something panics.
	defer func() {
		if !given {
			r.giveBench(b)
		}
	}()
	if err := b.answer.init(q); err != nil {
		return err
	}
	if err := b.loader.load(ctx, q, src); err != nil {
		return err
	}
	buf := r.takeBuffer()
	defer r.giveBuffer(buf)
	err := b.answer.compose(q, &b.loader, buf)
	// The client may be slow, so others can have the bench now.
	r.giveBench(b)
	given = true
	if err != nil {
		return err
	}
	_, err = buf.WriteTo(w)
	return err
}

// ServeHTTP goes on with other requests when a source or a field panics.
func (r *resolver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	defer func() {
		if recover() != nil {
			http.Error(w, "internal error", http.StatusInternalServerError)
		}
	}()
	q := &query{kind: strings.TrimPrefix(req.URL.Path, "/")}
	for _, name := range req.URL.Query()["field"] {
		for _, f := range r.kinds[q.kind] {
			if f.name == name {
				q.fields = append(q.fields, f)
			}
		}
	}
	if err := r.resolve(req.Context(), q, w); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}
