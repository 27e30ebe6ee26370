package domain

import (
	"iter"
	"maps"
)

// A Map is a map that shares its content with its copies until one of them changes: most
// blocks of a function change little of what is known. The zero Map is empty.
type Map[K comparable, V any] struct {
	content map[K]V
	shared  bool // copy before a change
}

// Copy returns a copy.
func (m *Map[K, V]) Copy() Map[K, V] {
	m.shared = true
	return *m
}

// Get returns the value of k, Lookup also whether there is one.
func (m *Map[K, V]) Get(k K) V { return m.content[k] }

func (m *Map[K, V]) Lookup(k K) (V, bool) {
	v, ok := m.content[k]
	return v, ok
}

// All returns what m has now.
func (m *Map[K, V]) All() iter.Seq2[K, V] { return maps.All(m.content) }

// Set gives k the value v.
func (m *Map[K, V]) Set(k K, v V) {
	m.own()
	m.content[k] = v
}

// Delete removes k.
func (m *Map[K, V]) Delete(k K) {
	if _, ok := m.content[k]; ok {
		m.own()
		delete(m.content, k)
	}
}

func (m *Map[K, V]) own() {
	if m.content == nil {
		m.content = make(map[K]V)
	} else if m.shared {
		m.content = maps.Clone(m.content)
	}
	m.shared = false
}
