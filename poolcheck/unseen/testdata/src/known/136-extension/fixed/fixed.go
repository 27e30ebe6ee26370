// Package fixed reads columns of a file as chunks of arrays. A column whose type
// is an extension is read as the type that it is stored as, and then wrapped.
package fixed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// A dataType is one of the types that files know, or an extension of one.
type dataType interface {
	name() string
}

type intType struct{}

func (intType) name() string { return "int64" }

type extensionType struct {
	label   string
	storage dataType
}

func (t extensionType) name() string { return "extension<" + t.label + ">" }

var spare = sync.Pool{New: func() any { return new(memory) }}

// memory holds the values of an array.
type memory struct {
	values []int64
}

// An array belongs to whoever made it and to all that retained it. The last that
// releases it gives its memory back.
type array interface {
	Retain()
	Release()
	Len() int
	Type() dataType
}

type intArray struct {
	refs atomic.Int64
	mem  *memory
	n    int
}

func newIntArray(mem *memory) *intArray {
	a := &intArray{mem: mem, n: len(mem.values)}
	a.refs.Store(1)
	return a
}

func (a *intArray) Retain() { a.refs.Add(1) }

func (a *intArray) Release() {
	if a.refs.Add(-1) == 0 {
		spare.Put(a.mem)
		a.mem = nil
	}
}

func (a *intArray) Len() int       { return a.n }
func (a *intArray) Type() dataType { return intType{} }

// extensionArray gives another type to an array that it retains.
type extensionArray struct {
	refs    atomic.Int64
	typ     extensionType
	storage array
}

func newExtensionArray(typ extensionType, storage array) array {
	if storage.Type().name() != typ.storage.name() {
		panic(fmt.Sprintf("%s cannot be stored as %s", typ.name(), storage.Type().name()))
	}
	storage.Retain()
	a := &extensionArray{typ: typ, storage: storage}
	a.refs.Store(1)
	return a
}

func (a *extensionArray) Retain() { a.refs.Add(1) }

func (a *extensionArray) Release() {
	if a.refs.Add(-1) == 0 {
		a.storage.Release()
		a.storage = nil
	}
}

func (a *extensionArray) Len() int       { return a.storage.Len() }
func (a *extensionArray) Type() dataType { return a.typ }

// chunked is a column in pieces. It retains its chunks.
type chunked struct {
	refs   atomic.Int64
	typ    dataType
	chunks []array
	length int
}

func newChunked(typ dataType, chunks []array) *chunked {
	for _, c := range chunks {
		if c.Type().name() != typ.name() {
			panic(fmt.Sprintf("a chunk is %s, and not %s", c.Type().name(), typ.name()))
		}
	}
	col := &chunked{typ: typ}
	col.refs.Store(1)
	for _, c := range chunks {
		c.Retain()
		col.chunks = append(col.chunks, c)
		col.length += c.Len()
	}
	return col
}

func (col *chunked) Chunks() []array { return col.chunks }

func (col *chunked) Release() {
	if col.refs.Add(-1) == 0 {
		for _, c := range col.chunks {
			c.Release()
		}
		col.chunks, col.length = nil, 0
	}
}

// A columnReader loads rows and then gives them as a column of the caller's.
type columnReader interface {
	LoadBatch(rows int64) error
	BuildArray(maxLen int64) (*chunked, error)
	Type() dataType
}

type leafReader struct {
	r      io.Reader
	loaded []int64
}

func (l *leafReader) LoadBatch(rows int64) error {
	l.loaded = make([]int64, rows)
	return binary.Read(l.r, binary.LittleEndian, l.loaded)
}

func (l *leafReader) BuildArray(maxLen int64) (*chunked, error) {
	if maxLen <= 0 {
		return nil, errors.New("length of chunks has to be positive")
	}
	var chunks []array
	defer func() {
		for _, c := range chunks {
			c.Release()
		}
	}()
	for len(l.loaded) > 0 {
		n := min(maxLen, int64(len(l.loaded)))
		mem := spare.Get().(*memory)
		mem.values = append(mem.values[:0], l.loaded[:n]...)
		chunks = append(chunks, newIntArray(mem))
		l.loaded = l.loaded[n:]
	}
	return newChunked(intType{}, chunks), nil
}

func (l *leafReader) Type() dataType { return intType{} }

// extensionReader reads through the reader of what is stored.
type extensionReader struct {
	columnReader

	typ dataType
}

func (e *extensionReader) Type() dataType { return e.typ }

func (e *extensionReader) BuildArray(maxLen int64) (*chunked, error) {
	if e.columnReader == nil {
		return nil, errors.New("extension without a reader of what is stored")
	}
	stored, err := e.columnReader.BuildArray(maxLen)
	if err != nil {
		return nil, err
	}
	defer stored.Release()

	typ := e.typ.(extensionType)
	chunks := make([]array, len(stored.Chunks()))
	defer func() {
		for _, c := range chunks {
			if c != nil {
				c.Release()
			}
		}
	}()
	for i, c := range stored.Chunks() {
		chunks[i] = newExtensionArray(typ, c)
	}
	return newChunked(typ, chunks), nil
}

// count reads a column and counts its rows.
func count(r columnReader, rows, maxLen int64) (int, error) {
	if err := r.LoadBatch(rows); err != nil {
		return 0, err
	}
	col, err := r.BuildArray(maxLen)
	if err != nil {
		return 0, err
	}
	defer col.Release()
	return col.length, nil
}

func open(r io.Reader, typ dataType) columnReader {
	if _, ok := typ.(extensionType); ok {
		return &extensionReader{columnReader: &leafReader{r: r}, typ: typ}
	}
	return &leafReader{r: r}
}
