package oct004

import "sync"

// Paths through setUp differ in so many ways that it, and what calls it, are given up.

type machine struct {
	data                []byte
	a, b, c, d, e, f, g int
}

var machinePool = sync.Pool{New: func() any { return new(machine) }}

func borrowMachine() *machine {
	m := machinePool.Get().(*machine)
	m.data = m.data[:0]
	return m
}

func (m *machine) free() { machinePool.Put(m) }

func (m *machine) setUp(options map[string]int) bool {
	if options["a"] > 0 {
		m.a = 1
	}
	if options["b"] > 0 {
		m.b = 1
	}
	if options["c"] > 0 {
		m.c = 1
	}
	if options["d"] > 0 {
		m.d = 1
	}
	if options["e"] > 0 {
		m.e = 1
	}
	if options["f"] > 0 {
		m.f = 1
	}
	if options["g"] > 0 {
		m.g = 1
	}
	return len(options) > 0
}

// ok: released on every path.
func runMachine(options map[string]int) int {
	m := borrowMachine()
	defer m.free()
	m.setUp(options)
	return m.a
}

// bad: no path releases, and runMachine shows that setUp only borrows.
func tryMachine(options map[string]int) bool {
	m := borrowMachine() // want "OCT004: m is not released on every path.*"
	return m.setUp(options)
}

// ok: borrowMachine's memory is its caller's.
func newMachine(options map[string]int) *machine {
	m := borrowMachine()
	m.setUp(options)
	return m
}
