package source

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/octet-go/octet/cmd/octet/internal/advise/profiles"
)

// A Site is a place in the module where bytes are allocated.
type Site struct {
	File     string // relative to the module
	Line     int
	Function string
	What     string // that allocates
	Ends     Ends
	Why      string // what becomes of the memory, unless it ends here
	Advice   string
	Half     bool // of what is allocated a pool takes the place of half
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
	f := s[k]
	site := &Site{Line: f.Line, Function: ShortName(f.Func), Ends: Unknown}
	file := t.find(f)
	if file == "" {
		if k == 0 {
			return nil // it may be anything
		}
		site.File, site.What = f.File, r.what
		site.Advice = "its source is not in the module's folder: run octet advise there, or name the folder with --dir"
		return site
	}
	site.File = t.Rel(file)
	p := t.load(file)
	var fn *ast.FuncDecl
	if p != nil {
		fn = p.function(file, f.Line)
	}
	if fn == nil {
		return moved(site, r.what)
	}
	if k > 0 {
		return t.remedied(site, p, fn, s, k, r)
	}
	all := p.allocations(fn, f.Line)
	if len(all) == 0 {
		return nil
	}
	return t.allocated(site, p, fn, s, k, all[0])
}

func isTest(file string) bool { return strings.HasSuffix(file, "_test.go") }

// moved marks a site whose source is not what it was when the profile was taken.
func moved(site *Site, what string) *Site {
	if what == "" {
		return nil
	}
	site.What = what
	site.Advice = "take a new profile: the source has changed since this one was taken"
	return site
}

// below reports whether one of the functions has a name that begins so.
func below(inner profiles.Stack, prefix string) bool {
	return slices.ContainsFunc(inner, func(f profiles.Frame) bool { return strings.HasPrefix(f.Func, prefix) })
}

// buffer explains a bytes.Buffer that grows: the site is where it is declared, in the function at frame k
// or in one that called it.
func (t *Tree) buffer(s profiles.Stack, k int) *Site {
	for i := k; i < len(s); i++ {
		file := t.find(s[i])
		if !t.Mine(s[i]) || file == "" {
			continue
		}
		if isTest(file) {
			return nil
		}
		p := t.load(file)
		if p == nil {
			continue
		}
		fn := p.function(file, s[i].Line)
		if fn == nil {
			continue
		}
		id := p.bufferOf(fn)
		if id == nil {
			continue
		}
		tr := t.trace(p, fn)
		tr.variable(p.object(id))
		site := &Site{File: t.Rel(file), Line: p.line(id), Function: ShortName(s[i].Func), What: "bytes.Buffer " + id.Name + " grows"}
		t.end(site, p, tr, s, i)
		last := id.Name + ".Release()"
		site.Advice = t.advise(site, id.Name+" := buffer.Get()", release(p, id, id.Pos(), tr.fate, last), last)
		return site
	}
	return &Site{File: cmp.Or(t.Rel(t.find(s[k])), s[k].File), Line: s[k].Line, Function: ShortName(s[k].Func), What: "a bytes.Buffer grows", Ends: Unknown,
		Advice: "the Buffer belongs to a caller: find who makes it; if it ends there, buffer.Get and Release"}
}

// remedied explains a call of a function that allocates for its caller.
func (t *Tree) remedied(site *Site, p *pkg, fn *ast.FuncDecl, s profiles.Stack, k int, r remedy) *Site {
	site.What, site.Half = r.what, r.half
	calls := p.callsAt(fn, site.Line, s[k-1].Func)
	if len(calls) == 0 {
		if !r.below {
			return moved(site, r.what)
		}
		site.Ends, site.Advice = r.ends, r.advice
		return site
	}
	call := calls[0]
	v := p.targetOf(call, r.at)
	filled := []string{"{v}", v.String(), "{v.name}", v.name}
	if fun, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		filled = append(filled, "{0}", p.text(fun.X))
	}
	for i, arg := range call.Args {
		filled = append(filled, "{"+strconv.Itoa(i+1)+"}", p.text(arg))
	}
	fill := strings.NewReplacer(filled...)
	text := fill.Replace(r.advice)
	if !r.result {
		site.Ends, site.Advice = r.ends, text
		return site
	}
	tr := t.trace(p, fn)
	tr.origin, tr.result = call, r.at
	tr.follow(call)
	t.end(site, p, tr, s, k)
	last := fill.Replace(cmp.Or(r.release, "bytespool.Release({v.name})"))
	site.Advice = t.advise(site, text, release(p, call, v.pos, tr.fate, last), last)
	return site
}

// release returns how to release memory where it ends: by defer, and in a loop after its last use. Where the variable
// was there before the loop, the next turn may use it again.
func release(p *pkg, alloc ast.Node, variable token.Pos, f fate, last string) string {
	outer, in := p.loop(alloc, variable)
	switch {
	case outer != nil:
		return fmt.Sprintf("%s after line %d, behind the loop", last, max(f.last, p.fset.Position(outer.End()).Line))
	case in || f.cut || f.grows:
		return fmt.Sprintf("%s after line %d, its last use", last, f.last)
	}
	return "defer " + last
}

// allocated explains an expression that allocates.
func (t *Tree) allocated(site *Site, p *pkg, fn *ast.FuncDecl, s profiles.Stack, k int, a allocation) *Site {
	site.What = p.text(a.expr)
	tr := t.trace(p, fn)
	tr.origin = a.expr
	v := p.targetOf(a.expr, 0)
	if a.form == appends {
		// What grows is the variable; where it comes from decides.
		id, ok := ast.Unparen(a.expr.(*ast.CallExpr).Args[0]).(*ast.Ident)
		if !ok || p.object(id) == nil || tr.isParameter(p.object(id)) {
			site.Advice = "give " + p.text(a.expr.(*ast.CallExpr).Args[0]) + " its room beforehand, where it is made"
			return site
		}
		tr.variable(p.object(id))
		v = target{id.Name, ":=", p.object(id).Pos()}
	}
	tr.follow(a.expr)
	t.end(site, p, tr, s, k)
	text := take(p, a, v, tr.fate)
	last := "bytespool.Release(" + v.name + ")"
	if tr.fate.cut {
		text += "; keep the whole in another variable, for " + v.name + " loses its front"
		last = "bytespool.Release of the whole"
	}
	site.Advice = t.advise(site, text, release(p, a.expr, v.pos, tr.fate, last), last)
	return site
}

// take returns how to take the memory of an allocation from a pool.
func take(p *pkg, a allocation, v target, f fate) string {
	var text string
	switch a.form {
	case clones:
		text = fmt.Sprintf("%s bytespool.NewBytes(%s)", v, p.text(a.src))
	case converts:
		text = fmt.Sprintf("%s bytespool.NewString(%s)", v, p.text(a.src))
	case appends:
		if f.longer {
			return fmt.Sprintf("begin with %s := bytespool.Make(size), and slice what it has room for in place of append with make", v.name)
		}
		return fmt.Sprintf("begin with %s := bytespool.Make(size), and %s = bytespool.Append(%s, …) in place of append", v.name, v.name, v.name)
	case makes:
		switch {
		case a.room != nil && p.text(a.size) == "0":
			text = fmt.Sprintf("%s bytespool.Make(%s)", v, p.length(a.room))
		case a.room != nil:
			text = fmt.Sprintf("%s bytespool.New(%s)[:%s]", v, p.length(a.room), p.text(a.size))
		default:
			text = fmt.Sprintf("%s bytespool.New(%s)", v, p.length(a.size))
		}
		if !f.filled && (a.room == nil || p.text(a.size) != "0") {
			text += fmt.Sprintf("; clear(%s), unless every byte is written before it is read", v.name)
		}
	}
	switch {
	case f.longer: // bytespool.Append would allocate what make makes
		text += "; in place of append with make, take all of it at first, or slice what it has room for"
	case f.grows:
		text += "; bytespool.Append in place of append"
	}
	return text
}

// advise joins how to take memory and how to release it.
func (t *Tree) advise(site *Site, take, here, last string) string {
	switch site.Ends {
	case Here:
		return take + "; " + here
	case Elsewhere:
		return fmt.Sprintf("%s; it is %s: %s where the last user is done with it, and nowhere else", take, site.Why, last)
	}
	return "read first who keeps it: it is " + site.Why
}

// end says where the memory of a trace ends. What the function returns is followed into the functions of
// the module that called it.
func (t *Tree) end(site *Site, p *pkg, tr *tracer, s profiles.Stack, k int) {
	site.Ends, site.Why = tr.fate.ends, tr.fate.why
	for i := k; tr.fate.returned && i+1 < len(s); i++ {
		caller := s[i+1]
		file := t.find(caller)
		if !t.Mine(caller) || file == "" {
			if caller.Func == "sync.(*Pool).Get" {
				site.Why = "returned to a sync.Pool, which is empty after two collections and is to be replaced"
			} else {
				site.Ends, site.Why = Unknown, "returned to "+ShortName(caller.Func)+", which is of another module"
			}
			return
		}
		q := t.load(file)
		if q == nil {
			return
		}
		fn := q.function(file, caller.Line)
		if fn == nil {
			return
		}
		calls := q.callsAt(fn, caller.Line, s[i].Func)
		if len(calls) != 1 {
			return
		}
		tr = t.trace(q, fn)
		tr.origin = calls[0]
		tr.follow(calls[0])
		where := fmt.Sprintf("%s, %s:%d", ShortName(caller.Func), t.Rel(file), caller.Line)
		switch {
		case tr.fate.ends == Here:
			site.Why = fmt.Sprintf("returned to %s, which uses it until line %d", where, tr.fate.last)
		case tr.fate.ends == Unknown:
			site.Ends, site.Why = Unknown, fmt.Sprintf("returned to %s, where it is %s", where, tr.fate.why)
		default:
			site.Why = fmt.Sprintf("returned to %s, where it is %s", where, tr.fate.why)
		}
	}
}
