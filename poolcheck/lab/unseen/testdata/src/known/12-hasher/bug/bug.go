// Package bug hashes values, with hashers that are pooled.
package bug

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"reflect"
	"strconv"
	"sync"
)

// A hasher is what hashing a value needs.
type hasher struct {
	h       hash.Hash
	bw      *bufio.Writer
	scratch [128]byte
}

func newHasher() *hasher {
	h := &hasher{h: sha256.New()}
	h.bw = bufio.NewWriterSize(h.h, h.h.BlockSize())
	return h
}

func (h *hasher) sum(v any) (sum [sha256.Size]byte) {
	h.bw.Flush()
	h.h.Reset()
	feed(h.bw, reflect.ValueOf(v), h.scratch[:])
	h.bw.Flush()
	h.h.Sum(sum[:0])
	return sum
}

func feed(w *bufio.Writer, v reflect.Value, scratch []byte) {
	switch v.Kind() {
	case reflect.Invalid:
		w.WriteString("nil")
	case reflect.Pointer, reflect.Interface:
		feed(w, v.Elem(), scratch)
	case reflect.Struct:
		for i := range v.NumField() {
			w.WriteString(v.Type().Field(i).Name)
			feed(w, v.Field(i), scratch)
		}
	case reflect.Slice, reflect.Array:
		w.Write(strconv.AppendInt(scratch[:0], int64(v.Len()), 10))
		for i := range v.Len() {
			feed(w, v.Index(i), scratch)
		}
	case reflect.Int, reflect.Int64:
		w.Write(strconv.AppendInt(scratch[:0], v.Int(), 10))
	case reflect.String:
		w.WriteString(v.String())
	default:
		fmt.Fprint(w, v)
	}
}

var hashers = &sync.Pool{New: func() any { return newHasher() }}

// Hash returns the hash of v.
func Hash(v any) [sha256.Size]byte {
	h := hashers.Get().(*hasher)
	hashers.Put(h)
	return h.sum(v)
}

// Update sets last to the hash of v and reports whether it changed.
func Update(last *string, v ...any) bool {
	sum := Hash(v)
	if hex.EncodeToString(sum[:]) == *last {
		return false
	}
	*last = hex.EncodeToString(sum[:])
	return true
}
