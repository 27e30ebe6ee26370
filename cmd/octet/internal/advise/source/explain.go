package source

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/octet-go/octet/cmd/octet/internal/advise/profiles"
)

// A Site is a place in the module where bytes are allocated.
type Site struct {
	File     string `json:"file"` // relative to the module
	Line     int    `json:"line"`
	Function string `json:"function"`
	What     string `json:"what"` // that allocates
	Ends     Ends   `json:"ends"`
	Advice   string `json:"advice"`
	Exported string `json:"exported,omitempty"` // the function whose callers have to release
	Edit     *Edit  `json:"-"`                  // nil if it is more than one expression that changes, or none
}

// Explain returns what allocates at a stack whose frame k is the innermost in the module, or nil
// if that is no byte memory, or none that the module can change.
func (t *Tree) Explain(s profiles.Stack, k int) *Site {
	if below(s[:k], "strings.") || isTest(s[k].File) {
		return nil // a string, which no pool serves, or a test's own
	}
	if below(s[:k], "bytes.(*Buffer).") {
		return t.buffer(s, k)
	}
	r, ok := remedyOf(s[:k])
	if k > 0 && !ok {
		return nil // what is called there takes no memory
	}
	fn, file, found := t.function(s[k])
	site := t.site(s[k], file, r.what)
	if found {
		var call inspector.Cursor
		if k == 0 {
			call, r = fn.allocation(site.Line)
		} else if calls := fn.callsTo(s[k-1].Func, site.Line); len(calls) > 0 {
			call = calls[0]
		}
		if call.Valid() {
			return t.replace(site, fn, call, r, s, k)
		}
	}
	switch {
	case k == 0:
		return nil // it may be anything
	case file == "":
		site.Advice = "its source is not in the module's folder: run octet advise there, or name the folder with --dir"
	case found && r.below:
		site.Ends, site.Advice = Here, r.advice
	default:
		site.Advice = "take a new profile: the source has changed since this one was taken"
	}
	return site
}

// function returns the function of a frame, and its file or "" if that is not there.
func (t *Tree) function(f profiles.Frame) (fn function, file string, ok bool) {
	if file = t.find(f); file != "" {
		fn, ok = t.functionAt(file, f.Line)
	}
	return fn, file, ok
}

// functionAt returns the function at a line of a file.
func (t *Tree) functionAt(file string, line int) (fn function, ok bool) {
	if p := t.load(filepath.Dir(file), file); p != nil {
		return p.function(file, line)
	}
	return fn, false
}

// site returns a site at a frame.
func (t *Tree) site(f profiles.Frame, file, what string) *Site {
	s := &Site{File: f.File, Line: f.Line, Function: ShortName(f.Func), What: what, Ends: Unknown}
	if file != "" {
		s.File = t.Rel(file)
	}
	return s
}

func isTest(file string) bool { return strings.HasSuffix(file, "_test.go") }

// below reports whether one of the functions has a name that begins so.
func below(inner profiles.Stack, prefix string) bool {
	return slices.ContainsFunc(inner, func(f profiles.Frame) bool { return strings.HasPrefix(f.Func, prefix) })
}

// buffer explains a bytes.Buffer that grows: the site is where it is declared, in the function at frame k
// or in one that called it.
func (t *Tree) buffer(s profiles.Stack, k int) *Site {
	for i := k; i < len(s); i++ {
		fn, file, ok := t.function(s[i])
		if !ok || !t.Mine(s[i]) {
			continue
		}
		if isTest(file) {
			return nil
		}
		at, ids := fn.buffers()
		if len(ids) > 1 {
			break
		}
		if len(ids) == 1 {
			id := ids[0]
			site := t.site(s[i], file, "bytes.Buffer "+id.Name+" grows")
			site.Line = fn.line(id)
			tr := t.trace(fn)
			tr.variable(fn.object(id))
			tr.fate.unmixed()
			t.conclude(site, tr, s, i, at, id.Pos(), id.Name+" := buffer.Get()", id.Name+".Release()")
			if site.Ends == Here {
				site.Edit = tr.editBuffer(at, id)
			}
			return site
		}
	}
	site := t.site(s[k], t.find(s[k]), "a bytes.Buffer grows")
	site.Advice = "it is one of several Buffers, or belongs to a caller: find who makes it; if it ends there, buffer.Get and Release"
	return site
}

// replace explains a call that allocates, and what to write in place of it.
func (t *Tree) replace(site *Site, fn function, cur inspector.Cursor, r remedy, s profiles.Stack, k int) *Site {
	site.What = r.what
	call := cur.Node().(*ast.CallExpr)
	v := fn.targetOf(cur)
	tr := t.trace(fn)
	tr.origin = call
	if r.grows { // What grows is the variable; where it comes from decides.
		id, ok := ast.Unparen(call.Args[0]).(*ast.Ident)
		if !ok || fn.object(id) == nil || fn.given(fn.object(id)) {
			site.Advice = "give " + text(call.Args[0]) + " its room beforehand, where it is made"
			return site
		}
		tr.variable(fn.object(id))
		v = target{id.Name, ":=", fn.object(id).Pos()}
		r.advice = tr.begin(fn.object(id))
	}
	filled := []string{"{v}", v.String(), "{v.name}", v.name}
	first := ""
	for i, arg := range call.Args {
		place, written := fmt.Sprintf("{%d}", i+1), whole(arg)
		if strings.Count(r.advice, place) > 1 && (contains[*ast.CallExpr](arg) || contains[*ast.UnaryExpr](arg)) { // which may have effects
			first += fmt.Sprintf("arg%d := %s; ", i+1, written)
			written = fmt.Sprintf("arg%d", i+1)
		}
		filled = append(filled, place, written, fmt.Sprintf("{int %d}", i+1), fn.int(arg))
	}
	fill := strings.NewReplacer(filled...)
	take, release := first+fill.Replace(r.advice), fill.Replace(cmp.Or(r.release, "bytespool.Release({v.name})"))
	if !r.result {
		site.Ends, site.Advice = Here, take
		return site
	}
	tr.follow(cur)
	if _, in := loop(cur, token.NoPos); r.grows || in || tr.fate.ends != Here {
		tr.fate.unmixed()
	}
	uncleared := ""
	if r.cleared { // make clears, and a pool does not
		uncleared = tr.uncleared(cur, v.name)
	}
	switch {
	case uncleared != "":
		take += "; clear(" + uncleared + ") unless each byte is sure to be written before it is read"
	case r.grows && tr.showsRoom():
		take += fmt.Sprintf("; clear(%[1]s[len(%[1]s):cap(%[1]s)]) where it has grown, for others may show bytes behind its end", v.name)
	}
	if r.release == "" { // the variable is a slice of a pool
		if tr.fate.grows {
			take += "; bytespool.Append in place of append"
		}
		if tr.fate.cut {
			take += "; keep the whole in another variable, for " + v.name + " loses its front"
			release = "bytespool.Release of the whole"
		}
	}
	t.conclude(site, tr, s, k, cur, v.pos, take, release)
	if site.Ends == Here || site.Ends == Elsewhere {
		at := site.Edit.Last
		switch {
		case site.Ends == Here && strings.HasSuffix(r.what, "ReadAll grows a slice"):
			site.Edit = tr.editRead(cur)
		case k > 0 || r.grows:
		case first != "":
			site.Edit.Why = "give what is copied a variable of its own first"
		default:
			site.Edit = tr.edit(cur, fill.Replace(strings.TrimPrefix(r.advice, "{v} ")), uncleared)
		}
		site.Edit.Last = at
	}
	return site
}

// begin returns how a variable begins that is appended to, so that it has room of a pool and holds what it did.
func (t *tracer) begin(obj types.Object) string {
	var from ast.Expr
	decl, _ := t.cur.FindByPos(obj.Pos(), obj.Pos())
	switch n := decl.Parent().Node().(type) {
	case *ast.ValueSpec:
		if len(n.Values) > 0 {
			from = n.Values[min(slices.Index(n.Names, decl.Node().(*ast.Ident)), len(n.Values)-1)]
		}
	case *ast.AssignStmt:
		_, i := decl.ParentEdge()
		from = n.Rhs[min(i, len(n.Rhs)-1)]
	}
	switch call, ok := from.(*ast.CallExpr); {
	case from == nil, strings.HasSuffix(text(from), "(nil)"):
		return "let {v.name} begin as nil, which it may have to be"
	case ok && t.builtin(call, "make") && t.is(call.Args[1], 0):
		return "begin with {v.name} := bytespool.Make(size)"
	}
	return "begin with {v.name} := append(bytespool.Make(size), " + text(from) + "...)"
}

// conclude says where the memory that was traced ends, how to take it, and how to release it.
func (t *Tree) conclude(site *Site, tr *tracer, s profiles.Stack, k int, alloc inspector.Cursor, variable token.Pos, take, release string) {
	ends, why, at := t.end(tr, s, k)
	site.Ends = ends
	if buffer, ok := strings.CutSuffix(take, "bb.Bytes()"); ok && ends != Here { // others get the slice, and no Buffer
		take, release = buffer+"bb.Detach(); bb.Release()", "bytespool.Release of the slice"
	}
	switch ends {
	case Callers:
		site.Exported, why, _ = strings.Cut(why, " ")
		site.Advice = fmt.Sprintf("%s; %s is exported and returns it: its callers must release it, %s", take, site.Exported, why)
	case Here:
		site.Advice = take + "; " + tr.release(alloc, variable, release)
	case Elsewhere:
		site.Advice = fmt.Sprintf("%s; it is %s: %s where the last user is done with it, and nowhere else", take, why, release)
		at.Text = fmt.Sprintf("// octet advise: the slice of %s:%d is %s. Whoever is done with it last calls bytespool.Release.", site.File, site.Line, why)
	default:
		site.Advice = "read first who keeps it: it is " + why
	}
	site.Edit = &Edit{Why: "the change is more than one expression", Last: at}
}

// release returns how to release memory where it ends: by defer, and in a loop after its last use. Where the variable
// was there before the loop, the next turn may use it again.
func (t *tracer) release(alloc inspector.Cursor, variable token.Pos, release string) string {
	outer, in := loop(alloc, variable)
	switch {
	case outer != nil:
		return fmt.Sprintf("%s after line %d, behind the loop", release, max(t.fate.last, t.endLine(outer)))
	case in || t.fate.mixed == 0 && (t.fate.cut || t.fate.grows):
		return fmt.Sprintf("%s after line %d, its last use", release, t.fate.last)
	}
	return "defer " + release
}

// end says where the memory of a trace ends, and of all but Here why. What the function returns is followed into the
// functions of the module that called it.
func (t *Tree) end(tr *tracer, s profiles.Stack, k int) (ends Ends, why string, at Place) {
	ends, why, at = tr.fate.ends, tr.fate.why, tr.fate.at
	for i := k; tr.fate.returned && i+1 < len(s); i++ {
		caller := s[i+1]
		if caller.Func == "sync.(*Pool).Get" {
			return ends, "returned to a sync.Pool, which is empty after two collections and is to be replaced", at
		}
		fn, file, ok := t.function(caller)
		if name := t.exported(s[i]); name != "" && t.Mine(caller) && isTest(file) {
			return Callers, name + " " + t.callers(s[i], name), at
		}
		if !t.Mine(caller) || file == "" {
			return Unknown, "returned to " + ShortName(caller.Func) + ", which is of another module", at
		}
		if !ok {
			break
		}
		calls := fn.callsTo(s[i].Func, caller.Line)
		if len(calls) != 1 {
			break
		}
		results := tr.fate.results
		tr = t.trace(fn)
		tr.origin, tr.shown[calls[0].Node()] = calls[0].Node(), results
		tr.follow(calls[0])
		tr.fate.unmixed()
		at = tr.fate.at
		why = fmt.Sprintf("returned to %s, %s:%d, where it is %s", ShortName(caller.Func), t.Rel(file), caller.Line, tr.fate.why)
		switch tr.fate.ends {
		case Here:
			why = fmt.Sprintf("returned to %s, %s:%d, which uses it until line %d", ShortName(caller.Func), t.Rel(file), caller.Line, tr.fate.last)
			at = Place{File: file, Line: tr.fate.last + 1}
		case Unknown:
			ends = Unknown
		}
	}
	return ends, why, at
}
