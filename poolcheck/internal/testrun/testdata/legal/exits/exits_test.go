// Package exits calls os.Exit in place of returning, and puts in an init function.
package exits

import (
	"bytes"
	"os"
	"sync"
	"testing"
)

var pool sync.Pool

func init() { pool.Put(bytes.NewBufferString("put by init")) }

func TestMain(m *testing.M) {
	code := m.Run()
	pool.Put(new(int))
	os.Exit(code)
}

func TestInit(t *testing.T) {
	if b, ok := pool.Get().(*bytes.Buffer); ok && b.String() != "put by init" {
		t.Errorf("got %q", b)
	}
}
