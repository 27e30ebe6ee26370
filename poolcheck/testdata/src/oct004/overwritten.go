package oct004

import "sync"

// A plate has memory until it is washed.
type plate struct{ data *[]byte }

var kitchen = sync.Pool{New: func() any {
	p := make([]byte, 512)
	return &p
}}

func newPlate() *plate { return &plate{data: kitchen.Get().(*[]byte)} }

func (p *plate) Release() {
	if p.data != nil {
		kitchen.Put(p.data)
		p.data = nil
	}
}

// A meal has a plate for each course.
type meal struct {
	courses int
	served  int
	current *plate
	failed  error
}

// bad: the plate of the course before is lost.
func (m *meal) Next() bool {
	if m.served >= m.courses || m.failed != nil {
		return false
	}
	m.served++
	m.current = newPlate() // want "OCT004: current is not released: Next puts other memory in its place"
	return true
}

func (m *meal) Close() {
	if m.current != nil {
		m.current.Release()
		m.current = nil
	}
}

type lunch struct {
	left    int
	current *plate
}

// ok: it is released before.
func (l *lunch) Next() bool {
	if l.current != nil {
		l.current.Release()
		l.current = nil
	}
	if l.left == 0 {
		return false
	}
	l.left--
	l.current = newPlate()
	return true
}

func (l *lunch) Close() {
	if l.current != nil {
		l.current.Release()
	}
}

type snack struct {
	opened  bool
	current *plate
}

// ok: only the first call gets a plate.
func (s *snack) Next() bool {
	if s.opened {
		return false
	}
	s.opened = true
	s.current = newPlate()
	return true
}

func (s *snack) Close() {
	if s.current != nil {
		s.current.Release()
	}
}

type stove struct{ pot *[]byte }

// bad: cook calls it for each dish.
func (s *stove) fill() {
	s.pot = kitchen.Get().(*[]byte) // want "OCT004: pot is not released: fill puts other memory in its place"
}

func (s *stove) cook(dishes []string) {
	for _, d := range dishes {
		s.fill()
		copy(*s.pot, d)
	}
}

func (s *stove) Close() { kitchen.Put(s.pot) }

type oven struct{ tray *[]byte }

// ok: bake calls it once for each oven.
func (o *oven) fill() { o.tray = kitchen.Get().(*[]byte) }

func bake(dishes []string) {
	for _, d := range dishes {
		o := new(oven)
		o.fill()
		copy(*o.tray, d)
		o.Close()
	}
}

func (o *oven) Close() { kitchen.Put(o.tray) }
