// Package store is a helper of the tests: its functions keep, copy or lend
// what they are given, seen from another package.
package store

import (
	"bytes"
	"sync"
)

var (
	mu   sync.Mutex
	last []byte
	byID = map[string][]byte{}
)

// Keep retains p.
func Keep(p []byte) {
	mu.Lock()
	last = p
	mu.Unlock()
}

// KeepCopy retains a copy of p.
func KeepCopy(p []byte) {
	mu.Lock()
	last = append(last[:0], p...)
	mu.Unlock()
}

// PutID retains a copy of p under id.
func PutID(id string, p []byte) {
	mu.Lock()
	byID[id] = bytes.Clone(p)
	mu.Unlock()
}

// Line returns the first line of p: a part of it.
func Line(p []byte) []byte {
	if i := bytes.IndexByte(p, '\n'); i >= 0 {
		return p[:i]
	}
	return p
}

// Msg is a message over bytes that it does not own.
type Msg struct{ Body []byte }

// Wrap returns a Msg that shows p.
func Wrap(p []byte) *Msg { return &Msg{Body: p} }
