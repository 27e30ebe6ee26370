package profile

import (
	"io"
	"math"
	"runtime/pprof"
)

// A Profile is a profile that runtime/pprof knows.
type Profile struct {
	counts *pprof.Profile // where Add and Remove are needed, else nil
}

// Register adds a profile to runtime/pprof. Its content is what collect returns
// each time that it is read or counted, from any goroutine; collect must not read
// the profile itself. The description goes with the content. It panics if there is
// a profile of that name already.
//
// Where runtime/pprof cannot be made to ask collect (see hook), the profile holds
// what Add and Remove are told, and counts alone.
func Register(name, description string, collect func() []Sample) *Profile {
	p := pprof.NewProfile(name)
	count := func() int {
		n, _ := total(collect())
		return int(min(n, math.MaxInt))
	}
	asks := hook(p, count, func(w io.Writer, debug int) error {
		return write(w, debug, description, collect())
	})
	pprof.Lookup(name) // takes a lock: whoever looks it up from now on sees it hooked
	if asks {
		return &Profile{}
	}
	return &Profile{counts: p}
}

// Add tells the profile of a buffer, if it cannot ask. The key is the buffer's and
// is kept until Remove. The stack begins at the caller of Add, and skip functions
// further out.
func (p *Profile) Add(key any, skip int) {
	if p.counts != nil {
		p.counts.Add(key, skip+2) // of its own Add, and of this
	}
}

// Remove takes back what Add told.
func (p *Profile) Remove(key any) {
	if p.counts != nil {
		p.counts.Remove(key)
	}
}

// Asks tells whether the profile asks for its content. Add and Remove do nothing
// then.
func (p *Profile) Asks() bool { return p.counts == nil }
