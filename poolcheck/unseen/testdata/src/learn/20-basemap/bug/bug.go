// Package bug formats log lines from templates over their labels.
package bug

import (
	"bytes"
	"sync"
	"text/template"
)

type mapPool struct{ pool sync.Pool }

func newMapPool() *mapPool {
	return &mapPool{pool: sync.Pool{New: func() any { return make(map[string]string) }}}
}

func (p *mapPool) get() map[string]string {
	m := p.pool.Get().(map[string]string)
	clear(m)
	return m
}

func (p *mapPool) put(m map[string]string) { p.pool.Put(m) }

var maps = newMapPool()

type label struct{ name, value string }

type baseLabels struct {
	labels []label
	asMap  map[string]string
}

func (b *baseLabels) Map() map[string]string {
	m := make(map[string]string, len(b.labels))
	for _, l := range b.labels {
		m[l.name] = l.value
	}
	return m
}

// A labelsBuilder changes the labels of one stream, a line at a time.
type labelsBuilder struct {
	*baseLabels
	add []label
	del []string
	err string
	buf []label
}

func (b *labelsBuilder) reset() {
	b.add = b.add[:0]
	b.del = b.del[:0]
	b.err = ""
}

func (b *labelsBuilder) unsorted(buf []label) []label {
	buf = append(buf[:0], b.add...)
next:
	for _, l := range b.labels {
		for _, d := range b.del {
			if d == l.name {
				continue next
			}
		}
		buf = append(buf, l)
	}
	return buf
}

func (b *labelsBuilder) Map() map[string]string {
	if len(b.add) == 0 && len(b.del) == 0 && b.err == "" {
		if b.asMap == nil {
			b.asMap = b.baseLabels.Map()
		}
		return b.asMap
	}
	b.buf = b.unsorted(b.buf)
	m := maps.get()
	for _, l := range b.buf {
		m[l.name] = l.value
	}
	return m
}

type formatter struct {
	tmpl *template.Template
	buf  *bytes.Buffer
}

func newFormatter(text string) (*formatter, error) {
	t, err := template.New("line").Parse(text)
	if err != nil {
		return nil, err
	}
	return &formatter{tmpl: t, buf: new(bytes.Buffer)}, nil
}

func (f *formatter) process(line []byte, b *labelsBuilder) ([]byte, bool) {
	f.buf.Reset()
	m := b.Map()
	defer maps.put(m)
	if err := f.tmpl.Execute(f.buf, m); err != nil {
		b.err = err.Error()
		return line, true
	}
	return f.buf.Bytes(), true
}
