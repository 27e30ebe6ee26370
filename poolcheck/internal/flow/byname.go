package flow

import (
	"go/types"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/tools/go/ssa"
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
