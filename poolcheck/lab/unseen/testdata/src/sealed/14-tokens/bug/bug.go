// Package bug protects forms with tokens, which it keeps in the sessions of the
// visitors. Session objects are used again.
package bug

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

const tokenKey = "form-token"

// A request is what a handler gets. The values are of this request only.
type request struct {
	cookie string
	values map[string]any
	next   func(*request) error
}

type backend interface {
	get(id string) ([]byte, error)
	set(id string, data []byte) error
	remove(id string) error
}

// A session has what is known of a visitor, by keys.
type session struct {
	id    string
	store *store
	data  map[string][]byte
}

var (
	sessions = sync.Pool{New: func() any { return &session{data: make(map[string][]byte)} }}
	states   = sync.Pool{New: func() any { return new(state) }}
)

// release makes a session ready for another visitor. It must not be used
// afterwards.
func (s *session) release() {
	s.id, s.store = "", nil
	clear(s.data)
	sessions.Put(s)
}

func (s *session) get(key string) []byte {
	return s.data[key]
}

func (s *session) set(key string, value []byte) {
	s.data[key] = value
}

func (s *session) save() error {
	text, err := json.Marshal(s.data)
	if err != nil {
		return err
	}
	return s.store.backend.set(s.id, text)
}

func (s *session) destroy() error {
	clear(s.data)
	return s.store.backend.remove(s.id)
}

type store struct {
	backend backend
}

// get returns the session of a visitor, or a new one. The caller releases it.
func (st *store) get(r *request) (*session, error) {
	var text []byte
	id := r.cookie
	if id != "" {
		var err error
		if text, err = st.backend.get(id); err != nil {
			return nil, err
		}
	}
	if text == nil {
		id = rand.Text()
	}
	s := sessions.Get().(*session)
	s.id, s.store = id, st
	var err error
	if text != nil {
		err = json.Unmarshal(text, &s.data)
	}
	if err != nil {
		s.release()
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	return s, nil
}

// A state goes with a request whose session is saved when it is done.
type state struct {
	session   *session
	destroyed bool
}

func (m *state) recycle() {
	m.session, m.destroyed = nil, false
	states.Put(m)
}

// finish saves and releases the session.
func (m *state) finish() error {
	err := m.session.save()
	m.session.release()
	return err
}

func (m *state) destroy() error {
	m.destroyed = true
	return m.session.destroy()
}

// withSession gives the request a session while its handler runs.
func withSession(st *store) func(*request) error {
	return func(r *request) error {
		s, err := st.get(r)
		if err != nil {
			return err
		}
		m := states.Get().(*state)
		m.session = s
		r.values["session"] = m
		result := r.next(r)
		delete(r.values, "session")

		if !m.destroyed {
			if err := m.finish(); err != nil && result == nil {
				result = err
			}
		}
		m.recycle()
		return result
	}
}

func fromRequest(r *request) *session {
	if m, ok := r.values["session"].(*state); ok {
		return m.session
	}
	return nil
}

var errToken = errors.New("token is wrong")

// tokens come from the session that goes with a request, and where there is
// none, from the one in the store.
type tokens struct{ store *store }

func (t *tokens) check(r *request, given []byte) error {
	var want []byte
	if s := fromRequest(r); s != nil {
		want = s.get(tokenKey)
	} else {
		s, err := t.store.get(r)
		if err != nil {
			return err
		}
		want = s.get(tokenKey)
	}
	if len(want) == 0 || subtle.ConstantTimeCompare(want, given) != 1 {
		return errToken
	}
	return nil
}

func (t *tokens) set(r *request, token []byte) error {
	if s := fromRequest(r); s != nil {
		s.set(tokenKey, token)
		return nil
	}
	s, err := t.store.get(r)
	if err != nil {
		return err
	}
	s.set(tokenKey, token)
	return s.save()
}
