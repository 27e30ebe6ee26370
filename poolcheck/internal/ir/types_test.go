package ir

import (
	"go/token"
	"go/types"
	"testing"
)

// counter returns a type with methods of these names, which take n parameters.
func counter(n int, methods ...string) types.Type {
	t := types.NewNamed(types.NewTypeName(token.NoPos, nil, "T", nil), types.NewStruct(nil, nil), nil)
	var params []*types.Var
	for range n {
		params = append(params, types.NewParam(token.NoPos, nil, "", types.Typ[types.Int]))
	}
	for _, m := range methods {
		sig := types.NewSignatureType(types.NewVar(token.NoPos, nil, "", t), nil, nil, types.NewTuple(params...), nil, false)
		t.AddMethod(types.NewFunc(token.NoPos, nil, m, sig))
	}
	return t
}

// A type counts if one of its methods adds a reference, and one takes one back.
func TestCounts(t *testing.T) {
	for _, test := range []struct {
		typ  types.Type
		want bool
	}{
		{counter(0, "Retain", "Release"), true},
		{counter(0, "IncRef", "DecRef", "Close"), true},
		{counter(0, "Retain", "Close"), false},
		{counter(0, "Retain", "Release", "Free"), false},
		{counter(1, "Retain", "Release"), false},
		{types.NewPointer(types.Typ[types.Int]), false},
	} {
		if got := Counts(test.typ); got != test.want {
			t.Errorf("%v counts: %v", types.NewMethodSet(test.typ), got)
		}
	}
}

// An error leads nowhere, as numbers do; what holds a string may lead to pooled memory.
func TestCarries(t *testing.T) {
	field := func(typ types.Type) types.Type {
		return types.NewStruct([]*types.Var{types.NewField(token.NoPos, nil, "f", typ, false)}, nil)
	}
	for typ, want := range map[types.Type]bool{
		types.Typ[types.Int]: false, errorType: false, types.Typ[types.String]: true,
		field(types.Typ[types.Int]): false, field(types.NewSlice(types.Typ[types.Byte])): true,
		types.NewArray(types.Typ[types.String], 2): true,
	} {
		if got := Carries(typ); got != want {
			t.Errorf("%v carries: %v", typ, got)
		}
	}
}
