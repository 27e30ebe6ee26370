package oct004

import (
	"errors"
	"sync"
)

// A parcelBox comes from a pool and goes back with Release.
type parcelBox struct{ data []byte }

var parcelPool = sync.Pool{New: func() any { return new(parcelBox) }}

func (p *parcelBox) Release() {
	p.data = p.data[:0]
	parcelPool.Put(p)
}

// A Depot hands out parcels. They belong to the caller.
type Depot interface {
	Collect() (*parcelBox, error)
}

type pigeonhole struct{ left int }

var errNoParcel = errors.New("shelf is empty")

func (s *pigeonhole) Collect() (*parcelBox, error) {
	if s.left == 0 {
		return nil, errNoParcel
	}
	s.left--
	return parcelPool.Get().(*parcelBox), nil
}

// A warehouse is a Depot by the method of its pigeonhole.
type warehouse struct{ *pigeonhole }

// ok: there is no parcel where Collect fails.
func weighNext(d Depot) (int, error) {
	p, err := d.Collect()
	if err != nil {
		return 0, err
	}
	defer p.Release()
	return len(p.data), nil
}

// bad: a light parcel is lost.
func skipLight(d Depot) (int, error) {
	p, err := d.Collect() // want "OCT004: p is not released on every path"
	if err != nil {
		return 0, err
	}
	if len(p.data) < 3 {
		return 0, nil
	}
	n := len(p.data)
	p.Release()
	return n, nil
}

// ok: hand gives its parcel up to keep.
func (s *pigeonhole) hand() {
	p := parcelPool.Get().(*parcelBox)
	s.keep(p)
}

// bad: a light parcel is lost, and nobody else has it.
func (s *pigeonhole) keep(p *parcelBox) { // want "OCT004: p is not released on every path"
	if len(p.data) < 3 {
		return
	}
	p.Release()
}

// ok: lend goes on with its parcel.
func (s *pigeonhole) lend() {
	p := parcelPool.Get().(*parcelBox)
	s.look(p)
	p.Release()
}

func (s *pigeonhole) look(p *parcelBox) {
	if len(p.data) < 3 {
		s.left++
	}
}

// A notice comes with a parcel, or with an error.
type notice struct {
	parcel *parcelBox
	err    error
}

type office struct {
	notices chan notice
	waiting []*parcelBox
	current *parcelBox
}

// ok: an error comes instead of a parcel.
func (o *office) take() (int, error) {
	n := <-o.notices
	if n.err != nil {
		return 0, n.err
	}
	defer n.parcel.Release()
	return len(n.parcel.data), nil
}

// bad: what is light is taken off the list and lost.
func (o *office) send() {
	waiting := o.waiting
	o.waiting = nil
	for _, p := range waiting { // want "OCT004: .* is not released on every path"
		if len(p.data) < 3 {
			continue
		}
		p.Release()
	}
}

// ok: the first loop only looks.
func (o *office) sendWeighed() (sum int) {
	for _, p := range o.waiting {
		sum += len(p.data)
	}
	for i, p := range o.waiting {
		p.Release()
		o.waiting[i] = nil
	}
	o.waiting = o.waiting[:0]
	return sum
}

// ok: it is taken out of one place and put into another.
func (o *office) postpone() {
	p := o.current
	if p == nil {
		return
	}
	o.current = nil
	if len(p.data) < 3 {
		o.waiting = append(o.waiting, p)
		return
	}
	p.Release()
}
