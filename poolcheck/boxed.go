package poolcheck

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// reportBoxed reports pools of []byte: each Put allocates a box for the slice
// header, which the pool was to save. It speaks only where the fix is certain:
// where the package alone sees the pool, and all of its uses have the shape
//
//	v := pool.Get().([]byte)
//	pool.Put(v)
//
// with a v that is never assigned again.
func reportBoxed(pass *analysis.Pass) {
	for _, f := range pass.Files {
		for _, decl := range f.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.VAR {
				continue
			}
			for _, spec := range gen.Specs {
				vs := spec.(*ast.ValueSpec)
				if len(vs.Names) != 1 || len(vs.Values) != 1 || vs.Names[0].IsExported() {
					continue
				}
				if made := madeByNew(pass, vs.Values[0]); made != nil {
					boxedPool(pass, pass.TypesInfo.Defs[vs.Names[0]], made)
				}
			}
		}
	}
}

// madeByNew returns the result of the New function in a sync.Pool literal, if
// that is all that the function does, and the result a []byte.
func madeByNew(pass *analysis.Pass, e ast.Expr) *ast.ReturnStmt {
	if u, ok := e.(*ast.UnaryExpr); ok {
		e = u.X
	}
	lit, ok := e.(*ast.CompositeLit)
	if !ok || pass.TypesInfo.TypeOf(lit) == nil || pass.TypesInfo.TypeOf(lit).String() != "sync.Pool" || len(lit.Elts) != 1 {
		return nil
	}
	kv, ok := lit.Elts[0].(*ast.KeyValueExpr)
	if !ok {
		return nil
	}
	fn, ok := kv.Value.(*ast.FuncLit)
	if !ok || len(fn.Body.List) != 1 {
		return nil
	}
	ret, ok := fn.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 || !isByteSlice(pass.TypesInfo.TypeOf(ret.Results[0])) {
		return nil
	}
	return ret
}

func isByteSlice(t types.Type) bool {
	return t != nil && types.Identical(t, types.NewSlice(types.Typ[types.Byte]))
}

// boxedPool reports the Puts of one pool.
func boxedPool(pass *analysis.Pass, pool types.Object, made *ast.ReturnStmt) {
	var (
		gets  []*ast.AssignStmt
		puts  []*ast.Ident
		other bool
		vars  = make(map[types.Object]bool)
	)
	for _, f := range pass.Files {
		ast.PreorderStack(f, nil, func(n ast.Node, stack []ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok || pass.TypesInfo.Uses[id] != pool {
				return true
			}
			if get := getOf(pass, stack); get != nil {
				gets = append(gets, get)
				vars[pass.TypesInfo.Defs[get.Lhs[0].(*ast.Ident)]] = true
			} else if put := putOf(stack); put != nil {
				puts = append(puts, put)
			} else {
				other = true
			}
			return true
		})
	}
	if other || len(gets) == 0 || len(puts) == 0 {
		return
	}
	for _, put := range puts {
		if !vars[pass.TypesInfo.Uses[put]] {
			return
		}
	}
	edits, ok := unbox(pass, gets, puts, made)
	if !ok {
		return
	}
	for i, put := range puts {
		d := analysis.Diagnostic{
			Pos: put.Pos(), End: put.End(), Category: "boxed", URL: docs,
			Message: "boxed: Put allocates to hold the slice " + put.Name + "; a pool of *[]byte does not",
		}
		if i == 0 {
			d.SuggestedFixes = []analysis.SuggestedFix{{Message: "Pool pointers to slices", TextEdits: edits}}
		}
		pass.Report(d)
	}
}

// getOf returns the statement "v := pool.Get().([]byte)" around the pool's
// name.
func getOf(pass *analysis.Pass, stack []ast.Node) *ast.AssignStmt {
	if len(stack) < 4 {
		return nil
	}
	sel, isSel := stack[len(stack)-1].(*ast.SelectorExpr)
	_, isCall := stack[len(stack)-2].(*ast.CallExpr)
	ta, isAssert := stack[len(stack)-3].(*ast.TypeAssertExpr)
	assign, isAssign := stack[len(stack)-4].(*ast.AssignStmt)
	if !isSel || !isCall || !isAssert || !isAssign || sel.Sel.Name != "Get" || assign.Tok != token.DEFINE ||
		len(assign.Lhs) != 1 || assign.Rhs[0] != ta || !isByteSlice(pass.TypesInfo.TypeOf(ta)) {
		return nil
	}
	if len(stack) > 4 {
		if _, ok := stack[len(stack)-5].(*ast.BlockStmt); !ok {
			return nil
		}
	}
	return assign
}

// putOf returns v in the call "pool.Put(v)" around the pool's name.
func putOf(stack []ast.Node) *ast.Ident {
	if len(stack) < 2 {
		return nil
	}
	sel, isSel := stack[len(stack)-1].(*ast.SelectorExpr)
	call, isCall := stack[len(stack)-2].(*ast.CallExpr)
	if !isSel || !isCall || sel.Sel.Name != "Put" || len(call.Args) != 1 {
		return nil
	}
	id, _ := call.Args[0].(*ast.Ident)
	return id
}

// unbox returns the edits that make the pool one of pointers.
func unbox(pass *analysis.Pass, gets []*ast.AssignStmt, puts []*ast.Ident, made *ast.ReturnStmt) ([]analysis.TextEdit, bool) {
	var result bytes.Buffer
	if err := format.Node(&result, pass.Fset, made.Results[0]); err != nil {
		return nil, false
	}
	edits := []analysis.TextEdit{{
		Pos: made.Pos(), End: made.End(), NewText: []byte("b := " + result.String() + "; return &b"),
	}}
	for _, get := range gets {
		v := get.Lhs[0].(*ast.Ident)
		obj := pass.TypesInfo.Defs[v]
		file := fileOf(pass, v.Pos())
		if reassigned(pass, file, v) || obj.Parent().Lookup(v.Name+"p") != nil || addressed(pass, file, obj) {
			return nil, false
		}
		ta := get.Rhs[0].(*ast.TypeAssertExpr)
		edits = append(edits,
			analysis.TextEdit{Pos: v.Pos(), End: v.End(), NewText: []byte(v.Name + "p")},
			analysis.TextEdit{Pos: ta.Type.Pos(), End: ta.Type.Pos(), NewText: []byte("*")},
			analysis.TextEdit{Pos: get.End(), End: get.End(), NewText: []byte("\n" + v.Name + " := *" + v.Name + "p")})
	}
	for _, put := range puts {
		edits = append(edits, analysis.TextEdit{Pos: put.Pos(), End: put.End(), NewText: []byte(put.Name + "p")})
	}
	return edits, true
}

// addressed reports whether the address of the variable is taken.
func addressed(pass *analysis.Pass, file *ast.File, v types.Object) bool {
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		if u, ok := n.(*ast.UnaryExpr); ok && u.Op == token.AND {
			if id, ok := ast.Unparen(u.X).(*ast.Ident); ok && pass.TypesInfo.Uses[id] == v {
				found = true
			}
		}
		return !found
	})
	return found
}
