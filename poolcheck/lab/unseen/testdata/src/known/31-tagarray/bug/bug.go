// Package bug decodes the values of tags, which may be lists of strings.
package bug

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
)

// A byteBuffer has bytes that grow as they are needed.
type byteBuffer struct{ buf []byte }

type bufferPool struct{ p sync.Pool }

func (bp *bufferPool) generate() *byteBuffer {
	if v := bp.p.Get(); v != nil {
		return v.(*byteBuffer)
	}
	return &byteBuffer{}
}

func (bp *bufferPool) release(b *byteBuffer) {
	b.buf = b.buf[:0]
	bp.p.Put(b)
}

var bigValues bufferPool

const (
	separator = '|'
	escape    = '\\'
)

var errValue = errors.New("value does not end")

// appendItem decodes the first item of a list.
func appendItem(dst, list []byte) (item, rest []byte, err error) {
	for i := 0; i < len(list); i++ {
		switch list[i] {
		case separator:
			return dst, list[i+1:], nil
		case escape:
			if i++; i == len(list) {
				return dst, nil, errValue
			}
		}
		dst = append(dst, list[i])
	}
	return dst, nil, errValue
}

// encodeList writes a list into a column.
func encodeList(column *typedColumn[[]byte], items []string) {
	bb := bigValues.generate()
	defer bigValues.release(bb)
	for _, item := range items {
		bb.buf = append(append(bb.buf, item...), separator)
	}
	column.append(append([]byte(nil), bb.buf...))
}

type valueType int

const (
	typeInt valueType = iota
	typeString
	typeStrings
)

type column interface{ appendNull() }

type typedColumn[T any] struct {
	values []T
	nulls  []bool
}

func (c *typedColumn[T]) append(v T) {
	c.values = append(c.values, v)
	c.nulls = append(c.nulls, false)
}

func (c *typedColumn[T]) appendNull() {
	var zero T
	c.values = append(c.values, zero)
	c.nulls = append(c.nulls, true)
}

func columnOf[T any](c column, t valueType) *typedColumn[T] {
	typed, ok := c.(*typedColumn[T])
	if !ok {
		panic(fmt.Sprintf("column %T does not match type %d", c, t))
	}
	return typed
}

func toInt(raw []byte) int64 { return int64(binary.BigEndian.Uint64(raw)) }

// decodeInto appends a value to its column.
func decodeInto(c column, t valueType, raw []byte) {
	if raw == nil {
		c.appendNull()
		return
	}
	switch t {
	case typeInt:
		columnOf[int64](c, t).append(toInt(raw))
	case typeString:
		columnOf[string](c, t).append(string(raw))
	case typeStrings:
		typed := columnOf[[]string](c, t)
		bb := bigValues.generate()
		var values []string
		rest := raw
		var err error
		for len(rest) > 0 {
			bb.buf, rest, err = appendItem(bb.buf[:0], rest)
			if err != nil {
				panic(err)
			}
			values = append(values, string(bb.buf))
		}
		typed.append(values)
	default:
		panic(fmt.Sprintf("unknown type %d", t))
	}
}

// decode returns a value.
func decode(t valueType, raw []byte) any {
	if raw == nil {
		return nil
	}
	switch t {
	case typeInt:
		return toInt(raw)
	case typeString:
		return string(raw)
	case typeStrings:
		var values []string
		bb := bigValues.generate()
		var err error
		for len(raw) > 0 {
			bb.buf, raw, err = appendItem(bb.buf[:0], raw)
			if err != nil {
				panic(err)
			}
			values = append(values, string(bb.buf))
		}
		return values
	default:
		panic(fmt.Sprintf("unknown type %d", t))
	}
}
