// Package same reads a field of a struct after Put.
package same

import (
	"sync"
	"testing"
)

type session struct {
	mu   sync.Mutex
	user string
}

var sessions = sync.Pool{New: func() any { return new(session) }}

func end(s *session) {
	s.mu.Lock()
	s.user = ""
	s.mu.Unlock()
}

func TestField(t *testing.T) {
	s := sessions.Get().(*session)
	end(s)
	sessions.Put(s)
	s.mu.Lock()
	t.Log(s.user)
	s.mu.Unlock()
}
