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
// the profile itself. What notes returns goes with the content: see [Write]. It
// panics if there is a profile of that name already.
//
// Where runtime/pprof cannot be made to ask collect (see hook), the profile holds
// what was given to Add and not to Remove, counts alone, and no notes.
//
// The index of net/http/pprof lists the profile without a description. It has those in
// a map for the profiles that come with Go, which it does not export, and which the
// linker lets no other package reach.
func Register(name string, notes func() []string, collect func() []Sample) *Profile {
	p := pprof.NewProfile(name)
	count := func() int {
		n, _ := total(collect())
		return int(min(n, math.MaxInt))
	}
	asks := hook(p, count, func(w io.Writer, debug int) error {
		return Write(w, debug, notes(), collect())
	})
	pprof.Lookup(name) // takes a lock, so that later calls see the hooked profile
	if asks {
		return &Profile{}
	}
	return &Profile{counts: p}
}

// Add adds a buffer to the profile, if it cannot ask. The key is the buffer's and
// is kept until Remove. The stack begins skip functions outside of the caller of
// Add.
func (p *Profile) Add(key any, skip int) {
	if p.counts != nil {
		p.counts.Add(key, skip+2) // of its own Add, and of this
	}
}

// Remove takes back what Add added.
func (p *Profile) Remove(key any) {
	if p.counts != nil {
		p.counts.Remove(key)
	}
}

// Asks reports whether the profile asks for its content. Add and Remove do nothing
// then.
func (p *Profile) Asks() bool { return p.counts == nil }
