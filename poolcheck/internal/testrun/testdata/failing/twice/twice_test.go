// Package twice has a test that passes, and puts twice.
package twice

import (
	"sync"
	"testing"
)

var pool sync.Pool

func TestAgain(t *testing.T) {
	x := new(int)
	pool.Put(x)
	pool.Put(x)
}
