package interleave

import "unsafe"

// Wait is a step that can be taken once ready returns true, which must not take steps.
func Wait(ready func() bool) { before(step{name: "Wait", ready: ready}) }

// A Mutex is a sync.Mutex whose methods are steps.
type Mutex struct{ held bool }

func (m *Mutex) Lock() {
	before(step{name: "Lock", word: unsafe.Pointer(m), write: true, ready: func() bool { return !m.held }})
	m.held = true
}

func (m *Mutex) Unlock() {
	before(step{name: "Unlock", word: unsafe.Pointer(m), write: true})
	m.held = false
}
