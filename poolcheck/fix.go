package poolcheck

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"

	"github.com/octet-go/octet/poolcheck/internal/api"
	"github.com/octet-go/octet/poolcheck/internal/ir"
	"github.com/octet-go/octet/poolcheck/internal/rules"
)

// deferRelease returns the fix that releases r's memory by a defer behind its
// acquisition. It is certain only where nothing releases the memory yet, and
// where the acquisition is a statement of its own.
func deferRelease(pass *analysis.Pass, r *rules.Report) (fix analysis.SuggestedFix, ok bool) {
	if !r.Fixable {
		return fix, false
	}
	i := slices.IndexFunc(pass.Files, func(f *ast.File) bool { return f.FileStart <= r.Pos && r.Pos < f.FileEnd })
	if i < 0 {
		return fix, false
	}
	file := pass.Files[i]
	path, _ := astutil.PathEnclosingInterval(file, r.Pos, r.Pos)
	var call *ast.CallExpr
	for _, n := range path {
		if c, isCall := n.(*ast.CallExpr); isCall && call == nil {
			call = c
		}
		assign, isAssign := n.(*ast.AssignStmt)
		if !isAssign {
			continue
		}
		if len(assign.Lhs) != 1 || call == nil || !isOrAppends(assign.Rhs[0], call) || assign.Tok != token.DEFINE {
			return fix, false
		}
		v, isIdent := assign.Lhs[0].(*ast.Ident)
		if !isIdent || v.Name == "_" {
			return fix, false
		}
		text, certain := releaseText(pass, r.Object.Family, call, v.Name)
		indent := lineBefore(pass, assign.Pos())
		if !certain || len(bytes.TrimSpace(indent)) > 0 || reassigned(pass, file, v) {
			return fix, false
		}
		return analysis.SuggestedFix{
			Message: "Release " + v.Name + " when the function returns",
			TextEdits: []analysis.TextEdit{{
				Pos: lineEnd(pass, file, assign.End()), End: lineEnd(pass, file, assign.End()),
				NewText: []byte("\n" + string(indent) + "defer " + text),
			}},
		}, true
	}
	return fix, false
}

// isOrAppends reports whether e is the call, or the built-in append to what it returns.
func isOrAppends(e ast.Expr, call *ast.CallExpr) bool {
	e = ast.Unparen(e)
	a, ok := e.(*ast.CallExpr)
	return e == call || ok && ir.IsAppendTo(a, call)
}

// lineBefore returns what the line of pos begins with.
func lineBefore(pass *analysis.Pass, pos token.Pos) []byte {
	at := pass.Fset.PositionFor(pos, false)
	text, err := pass.ReadFile(at.Filename)
	if err != nil || at.Offset > len(text) {
		return nil
	}
	return text[bytes.LastIndexByte(text[:at.Offset], '\n')+1 : at.Offset]
}

// lineEnd returns the end of the comment behind pos on its line, or pos.
func lineEnd(pass *analysis.Pass, file *ast.File, pos token.Pos) token.Pos {
	line := pass.Fset.Position(pos).Line
	for _, group := range file.Comments {
		if group.Pos() >= pos && pass.Fset.Position(group.Pos()).Line == line {
			return group.List[0].End()
		}
	}
	return pos
}

// releaseText returns the call that releases v.
func releaseText(pass *analysis.Pass, family api.Family, call *ast.CallExpr, v string) (string, bool) {
	if family.Method != "" {
		return v + "." + family.Method + "()", true
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || family.Put == "" {
		return "", false
	}
	f, ok := pass.TypesInfo.Uses[sel.Sel].(*types.Func)
	if !ok || api.New()[ir.FullName(f)] == nil {
		return "", false // a helper: its package may have a release of its own
	}
	var recv bytes.Buffer
	if err := format.Node(&recv, pass.Fset, sel.X); err != nil {
		return "", false
	}
	return fmt.Sprintf("%s.%s(%s)", recv.String(), family.Put, v), true
}

// reassigned reports whether the variable that v declares is assigned again:
// the defer would then release the first value only.
func reassigned(pass *analysis.Pass, file *ast.File, v *ast.Ident) bool {
	obj := pass.TypesInfo.Defs[v]
	again := false
	ast.Inspect(file, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok {
			for _, l := range a.Lhs {
				if id, ok := l.(*ast.Ident); ok && id != v && pass.TypesInfo.Uses[id] == obj {
					again = true
				}
			}
		}
		return !again
	})
	return obj == nil || again
}
