package oct004

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
)

var textPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

var errLabel = errors.New("bad label")

// bad: the literal writes to the buffer, and a bad key loses it.
func joinKeys(m *sync.Map) (string, error) {
	b := textPool.Get().(*bytes.Buffer) // want "OCT004: b is not released on every path"
	b.Reset()
	bad := false
	m.Range(func(k, _ any) bool {
		s, ok := k.(string)
		bad = bad || !ok
		b.WriteString(s)
		return ok
	})
	if bad {
		return "", fmt.Errorf("%d keys: %w", b.Len(), errLabel)
	}
	s := b.String()
	textPool.Put(b)
	return s, nil
}

// A bucketStore runs what it is given in a transaction.
type bucketStore interface {
	View(fn func(get func(key []byte) []byte) error) error
	OnCommit(fn func())
}

// bad: the transaction that fails loses the buffer.
func readKeys(db bucketStore, keys [][]byte) (string, error) {
	b := textPool.Get().(*bytes.Buffer) // want "OCT004: b is not released on every path"
	b.Reset()
	err := db.View(func(get func(key []byte) []byte) error {
		for _, k := range keys {
			b.Write(get(k))
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	s := b.String()
	textPool.Put(b)
	return s, nil
}

// bad: nothing releases it at all.
func countKeys(db bucketStore, keys [][]byte) (int, error) {
	b := textPool.Get().(*bytes.Buffer) // want "OCT004: b is not released on every path"
	b.Reset()
	err := db.View(func(get func(key []byte) []byte) error {
		for _, k := range keys {
			b.Write(get(k))
		}
		return nil
	})
	return b.Len(), err
}

// ok: the literal releases it.
func viewKey(db bucketStore, key []byte) error {
	b := textPool.Get().(*bytes.Buffer)
	return db.View(func(get func(key []byte) []byte) error {
		b.Reset()
		b.Write(get(key))
		textPool.Put(b)
		return nil
	})
}

// ok: the literal is kept, and uses the buffer from time to time.
func logCommits(db bucketStore) {
	b := textPool.Get().(*bytes.Buffer)
	b.Reset()
	db.OnCommit(func() { b.WriteByte('.') })
}

// ok: the literal gives the buffer to others.
func collectKeys(db bucketStore, out *[]*bytes.Buffer) error {
	b := textPool.Get().(*bytes.Buffer)
	return db.View(func(get func(key []byte) []byte) error {
		b.Write(get(nil))
		*out = append(*out, b)
		return nil
	})
}

// ok: the literal puts another buffer in its place.
func growKeys(db bucketStore) error {
	b := textPool.Get().(*bytes.Buffer)
	err := db.View(func(get func(key []byte) []byte) error {
		if p := get(nil); len(p) > b.Cap() {
			b = bytes.NewBuffer(p)
		}
		return nil
	})
	textPool.Put(b)
	return err
}

var numberPool = sync.Pool{New: func() any { return []int(nil) }}

func eachNumber(list []int, do func(int)) {
	for _, n := range list {
		do(n)
	}
	numberPool.Put(list)
}

// ok: the caller gets the list, to which the literal has appended.
func moved(from []int) []int {
	to := numberPool.Get().([]int)
	eachNumber(from, func(n int) { to = append(to, n) })
	return to
}
