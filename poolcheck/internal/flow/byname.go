package flow

import (
	"go/types"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// Methods of interfaces, function values and functions of other packages, of which nothing
// is known, are taken for what their names say where these leave no doubt: what reads,
// writes or encodes something, and returns no more than numbers and an error, has done
// with it when it returns.

var (
	// usesAnything begins the names of what borrows whatever it is given.
	usesAnything = []string{
		"read", "encode", "decode", "marshal", "unmarshal", "parse", "format", "print", "scan", "validate", "check",
		"verify", "compare", "match", "serialize", "deserialize", "render", "execute", "hash", "sum", "sign", "measure", "dump",
	}
	// usesBytes begins the names of what borrows bytes. Structs are given away by such
	// names: who writes a frame may well release it.
	usesBytes = []string{"write", "copy", "encrypt", "decrypt", "compress", "decompress", "seal", "open", "update", "log"}
	// takesOver is in the names of what does more than borrow.
	takesOver = []string{"async", "queue", "later", "own", "release", "free", "recycle", "consume", "transfer", "take"}
)

// borrowsByName reports whether the call c of unknown code only borrows its argument k, by
// its name.
func borrowsByName(c *call, k int) bool {
	if c.common.IsInvoke() && k == 0 || isFunction(c.regs[k].Type()) || !returnsNumbers(c.common.Signature()) {
		return false
	}
	if fn := c.common.StaticCallee(); fn != nil && len(fn.Blocks) > 0 {
		return false
	}
	name := calledName(c)
	lower := strings.ToLower(name)
	if slices.ContainsFunc(takesOver, func(s string) bool { return strings.Contains(lower, s) }) {
		return false
	}
	word := strings.ToLower(firstWord(name))
	return slices.Contains(usesAnything, word) || slices.Contains(usesBytes, word) && TakesBytes(c.regs[k].Type())
}

// calledName returns the name of what c calls, "" if that is a variable.
func calledName(c *call) string {
	if fn := c.common.StaticCallee(); fn != nil || c.common.IsInvoke() {
		return calleeName(c.instr)
	} else if obj := placeOf(c.common.Value); obj != nil {
		return obj.Name()
	}
	return ""
}

// returnsNumbers reports whether all results of sig are numbers or errors.
func returnsNumbers(sig *types.Signature) bool {
	for v := range sig.Results().Variables() {
		b, basic := v.Type().Underlying().(*types.Basic)
		if !isError(v.Type()) && !(basic && b.Info()&types.IsNumeric != 0) {
			return false
		}
	}
	return true
}

// firstWord returns the first word of a name such as readAll.
func firstWord(name string) string {
	if i := strings.IndexFunc(name[min(1, len(name)):], unicode.IsUpper); i >= 0 {
		return name[:i+1]
	}
	return name
}

// errorRow returns what f, a function of another package, of which nothing else is known, does if
// it makes an error by its name: one that is never nil, such as errors.Errorf, or one around the
// error that it is given, and nil where that is, such as errors.Wrap.
func errorRow(f *types.Func) *api.Func {
	sig, list := f.Signature(), words(f.Name())
	if sig.Recv() != nil || sig.Params().Len() == 0 || sig.Results().Len() != 1 || !implementsError(sig.Results().At(0).Type()) {
		return nil
	}
	switch cause, last := sig.Params().At(0), list[len(list)-1]; {
	case isError(cause.Type()):
		if isError(sig.Results().At(0).Type()) && slices.Contains([]string{"wrap", "wrapf", "with", "annotate", "annotatef", "trace"}, list[0]) {
			return &api.Func{Effects: []api.Effect{{Op: api.Whole}}}
		}
	case last == "errorf", last == "error" && (len(list) == 1 || list[0] == "new"),
		(last == "new" || last == "newf") && strings.Contains(f.Pkg().Name(), "err"):
		return &api.Func{Effects: []api.Effect{{Op: api.NonNil}}}
	}
	return nil
}

// ends are words of the names of methods that end their structs, or give up what is left.
var ends = []string{
	"close", "release", "free", "destroy", "dispose", "finish", "stop", "shutdown", "clear", "reset", "purge", "cancel", "abort", "discard", "drop",
}

// isEnd reports whether a method called name ends its struct, or gives up what is left.
func isEnd(name string) bool {
	return slices.ContainsFunc(words(name), func(w string) bool { return slices.Contains(ends, w) })
}

// words returns the words of a name such as readAll, in lower case.
func words(name string) []string {
	var list []string
	for name != "" {
		first := firstWord(name)
		list = append(list, strings.ToLower(first))
		name = name[len(first):]
	}
	return list
}

// lendTo records that unknown code has used v and forgotten it: it may have written to
// what v leads to, but pooled memory is where it was.
func (e *explorer) lendTo(s *state, v value) {
	e.eachReached(s, v, func(r ref) {
		if st := s.status[r.obj]; st.phase == live && st.fill != clean {
			s.update(r.obj, func(st *status) { st.fill = clean })
		}
		if _, closure := r.obj.site.(*ssa.MakeClosure); closure || e.constantCell(r.obj) {
			return
		}
		kept := make(map[cell]value)
		for c, w := range s.mem {
			if c.obj == r.obj && !w.stale && e.leadToPooled(s, []value{w}) {
				kept[c] = w
			}
		}
		e.clobber(s, r.obj, r.path)
		for c, w := range kept {
			s.mem[c] = w
		}
	})
}
