// Package elsewhere has a data race that is none of its pool's.
package elsewhere

import (
	"sync"
	"testing"
)

var pool sync.Pool

func TestRace(t *testing.T) {
	n := 0
	started, done := make(chan bool), make(chan bool)
	go func() {
		close(started)
		n++
		close(done)
	}()
	<-started
	pool.Put(new(int))
	n++
	<-done
}
