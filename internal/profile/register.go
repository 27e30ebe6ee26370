package profile

import (
	"fmt"
	"io"
	"math"
	"reflect"
	"runtime/pprof"

	"github.com/octet-go/octet/internal/check"
)

// Publish adds a profile to runtime/pprof. Its content is what collect returns each
// time that it is read or counted, from any goroutine. What notes returns goes with the
// content: see [Write]. It panics if there is a profile of that name already. Where
// runtime/pprof cannot be made to ask collect (see hook), Publish does nothing and
// returns false.
//
// The index of net/http/pprof lists the profile without a description. It has those in
// a map for the profiles that come with Go, which it does not export, and which the
// linker lets no other package reach.
func Publish(name string, notes func() []string, collect func() []Sample) bool {
	count := func() int {
		n, _ := total(collect())
		return int(min(n, math.MaxInt))
	}
	write := func(w io.Writer, debug int) error { return Write(w, debug, notes(), collect()) }
	if !hooks() {
		return false
	}
	hook(pprof.NewProfile(name), count, write)
	pprof.Lookup(name) // takes a lock, so that later calls see the hooked profile
	return true
}

// hooks reports whether hook makes a profile ask for its content.
func hooks() (count bool) {
	p := reflect.New(reflect.TypeFor[pprof.Profile]()) // which nobody else knows
	p.Elem().Set(reflect.ValueOf(pprof.Lookup("heap")).Elem())
	write := false
	own := p.Interface().(*pprof.Profile)
	return hook(own, func() int { count = true; return 0 }, func(io.Writer, int) error { write = true; return nil }) &&
		own.Count() == 0 && own.WriteTo(io.Discard, 0) == nil && count && write
}

// Octet writes the profile of what is in use of octet's pools, or of one of them if o is
// not nil, as [Write] does.
func Octet(w io.Writer, debug int, o check.Owner) error {
	notes := check.Notes()
	if o != nil {
		notes = append(notes, fmt.Sprintf("Of one pool alone, with the name %q.", o.Name()))
	}
	return Write(w, debug, notes, check.InUse(o))
}

// PublishOctet publishes the profile of what is in use of octet's pools.
func PublishOctet() bool {
	return Publish("octet", check.Notes, func() []Sample { return check.InUse(nil) })
}
