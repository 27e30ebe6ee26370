package poolcheck

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// Comments that poolcheck reads:
//
//	//poolcheck:ignore OCT004 reason   silences a code on this line or the next
//	//poolcheck:owns b                 in a doc comment: the function takes b over
//	//poolcheck:owns return            the caller has to release the result
//	//poolcheck:borrows b              the function does not keep b
//
// The last three may be put on functions, methods of interfaces, and function
// types; without a name they mean every parameter.
const directive = "//poolcheck:"

// comments holds the directives of one package.
type comments struct {
	silence []*silence
	facts   map[types.Object]*functionFact // of functions, methods and function types
	faults  []analysis.Diagnostic
}

// A silence silences codes on one line.
type silence struct {
	file  string
	line  int
	alone bool // on its line: only then does it speak for the next one
	codes []string
}

var codePattern = regexp.MustCompile(`^OCT0(0[1-9]|1[01])(,OCT0(0[1-9]|1[01]))*$`)

func readComments(pass *analysis.Pass) *comments {
	c := &comments{facts: make(map[types.Object]*functionFact)}
	for _, f := range pass.Files {
		found := false
		for _, group := range f.Comments {
			for _, line := range group.List {
				if !strings.HasPrefix(line.Text, directive) {
					continue
				}
				found = true
				word, text, _ := strings.Cut(strings.TrimPrefix(line.Text, directive), " ")
				switch word {
				case "ignore":
					c.ignore(pass, line.Pos(), text)
				case "owns", "borrows":
				default:
					c.fault(line.Pos(), "poolcheck:"+word+" is unknown; there are ignore, owns and borrows")
				}
			}
		}
		if found {
			c.annotations(pass, f)
		}
	}
	return c
}

// ignore reads what follows "//poolcheck:ignore".
func (c *comments) ignore(pass *analysis.Pass, pos token.Pos, text string) {
	text, _, _ = strings.Cut(text, "//") // another comment
	fields := strings.Fields(text)
	fault := ""
	switch {
	case len(fields) == 0 || !codePattern.MatchString(fields[0]):
		fault = "poolcheck:ignore needs a code, or codes with commas between, and a reason: //poolcheck:ignore OCT004 reason"
	case len(fields) == 1:
		fault = "poolcheck:ignore needs a reason after the code"
	}
	if fault != "" {
		c.fault(pos, fault)
		return
	}
	at := pass.Fset.Position(pos)
	before := lineBefore(pass, pos)
	c.silence = append(c.silence, &silence{at.Filename, at.Line, len(bytes.TrimSpace(before)) == 0, strings.Split(fields[0], ",")})
}

// fault reports a comment that poolcheck does not understand.
func (c *comments) fault(pos token.Pos, message string) {
	c.faults = append(c.faults, analysis.Diagnostic{Pos: pos, Category: "comment", Message: message, URL: docs})
}

// annotations reads the doc comments of a file.
func (c *comments) annotations(pass *analysis.Pass, f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			c.annotate(pass, n.Name, n.Type, n.Doc)
		case *ast.GenDecl:
			for _, spec := range n.Specs {
				ts, ok := spec.(*ast.TypeSpec)
				if !ok {
					continue
				}
				doc := ts.Doc
				if doc == nil {
					doc = n.Doc
				}
				if ft, ok := ts.Type.(*ast.FuncType); ok {
					c.annotate(pass, ts.Name, ft, doc)
				}
				if it, ok := ts.Type.(*ast.InterfaceType); ok {
					for _, m := range it.Methods.List {
						if ft, ok := m.Type.(*ast.FuncType); ok && len(m.Names) == 1 {
							c.annotate(pass, m.Names[0], ft, m.Doc)
							c.annotate(pass, m.Names[0], ft, m.Comment)
						}
					}
				}
			}
		}
		return true
	})
}

// annotate reads the comment of one function, method, or function type.
func (c *comments) annotate(pass *analysis.Pass, name *ast.Ident, ft *ast.FuncType, doc *ast.CommentGroup) {
	obj := pass.TypesInfo.Defs[name]
	if doc == nil || obj == nil {
		return
	}
	first := 0
	if f, ok := obj.(*types.Func); ok && f.Signature().Recv() != nil {
		first = 1
	}
	for _, line := range doc.List {
		text, ok := strings.CutPrefix(line.Text, directive)
		fields := strings.Fields(text)
		if !ok || len(fields) == 0 || fields[0] != "owns" && fields[0] != "borrows" {
			continue
		}
		fact := c.facts[obj]
		if fact == nil {
			fact = new(functionFact)
			c.facts[obj] = fact
		}
		says := func(e api.Effect) {
			fact.Family, fact.Effects = api.User, append(fact.Effects, e)
		}
		borrows := fields[0] == "borrows"
		params := parameters(ft)
		names := fields[1:]
		if len(names) == 0 && !borrows {
			for i := range params {
				says(api.Effect{Op: api.Release, Arg: first + i})
			}
		}
		for _, n := range names {
			n = strings.Trim(n, ",")
			i := slices.Index(params, n)
			switch {
			case borrows && i >= 0:
			case borrows:
				c.fault(line.Pos(), "poolcheck:borrows names "+n+", which is not a parameter")
			case n == "return":
				says(api.Effect{Op: api.Acquire})
			case i >= 0:
				says(api.Effect{Op: api.Release, Arg: first + i})
			default:
				c.fault(line.Pos(), "poolcheck:owns names "+n+", which is neither a parameter nor return")
			}
		}
	}
}

func parameters(ft *ast.FuncType) []string {
	var names []string
	for _, field := range ft.Params.List {
		if len(field.Names) == 0 {
			names = append(names, "")
		}
		for _, n := range field.Names {
			names = append(names, n.Name)
		}
	}
	return names
}

// export makes the annotations known to other packages.
func (c *comments) export(pass *analysis.Pass) {
	for obj, fact := range c.facts {
		pass.ExportObjectFact(obj, fact)
	}
}

// declared returns what a comment on a function or a function type, or the check of its package, says of it; nil if
// they say nothing.
func (c *comments) declared(pass *analysis.Pass, obj types.Object) *api.Func {
	fact := c.facts[obj]
	if fact == nil {
		fact = new(functionFact)
		if obj.Pkg() == nil || obj.Pkg() == pass.Pkg || !pass.ImportObjectFact(obj, fact) {
			return nil
		}
	}
	return &fact.Func
}

// report reports those diagnostics that no comment silences, and the comments
// that have a fault.
func (c *comments) report(pass *analysis.Pass, diags []analysis.Diagnostic) {
	for _, d := range diags {
		at := pass.Fset.Position(d.Pos)
		if !slices.ContainsFunc(c.silence, func(s *silence) bool {
			return s.file == at.Filename && (s.line == at.Line || s.line == at.Line-1 && s.alone) &&
				slices.Contains(s.codes, d.Category)
		}) {
			pass.Report(d)
		}
	}
	for _, d := range c.faults {
		pass.Report(d)
	}
}
