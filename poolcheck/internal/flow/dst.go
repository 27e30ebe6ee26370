package flow

import (
	"go/types"
	"strings"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// A function that appends to bytes, or encodes into them, returns what it was given, perhaps
// moved, by the customs of Go. Its other arguments it only reads.

// appendRow returns what f, of which nothing else is known, does if it looks like one. first is
// the index of its first parameter among the arguments.
func appendRow(f *types.Func, first int) *api.Func {
	sig := f.Signature()
	results := sig.Results()
	if results.Len() == 0 || results.Len() > 2 || !isBytes(results.At(0).Type()) || sig.Variadic() && sig.Params().Len() == 1 ||
		results.Len() == 2 && !isError(results.At(1).Type()) {
		return nil
	}
	k := destinationOf(f.Name(), sig.Params())
	if k < 0 {
		return nil
	}
	return &api.Func{Effects: []api.Effect{{Op: api.Whole, Arg: first + k}}}
}

// destinationOf returns which parameter a function called name appends to: the one called
// dst, or else, if the name says that it appends, the first one of bytes. It returns -1 if
// there is none.
func destinationOf(name string, params *types.Tuple) int {
	appends := strings.HasPrefix(strings.ToLower(name), "append") || strings.HasSuffix(name, "Append")
	k := -1
	for i := range params.Len() {
		p := params.At(i)
		switch {
		case !isBytes(p.Type()):
		case p.Name() == "dst":
			return i
		case appends && k < 0:
			k = i
		}
	}
	return k
}
