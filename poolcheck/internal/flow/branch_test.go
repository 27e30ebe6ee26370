package flow

import (
	"go/token"
	"testing"
)

func TestCompare(t *testing.T) {
	number := func(s string) known { return known{isConst, s} }
	for _, c := range []struct {
		x    known
		op   token.Token
		y    known
		want known
	}{
		{knownNil, token.EQL, knownNil, knownTrue},
		{knownNil, token.NEQ, knownNil, knownFalse},
		{knownNil, token.EQL, knownNonNil, knownFalse},
		{knownNonNil, token.NEQ, knownNil, knownTrue},
		{knownNonNil, token.EQL, knownNonNil, known{}}, // two pointers
		{known{}, token.EQL, knownNil, known{}},
		{number("9"), token.LSS, number("10"), knownTrue}, // not by their digits
		{number("-1"), token.ADD, number("1"), number("0")},
		{number("3"), token.GEQ, number("3"), knownTrue},
		{number("3"), token.GTR, number("3"), knownFalse},
		{number("3"), token.LEQ, number("2"), knownFalse},
		{number(`"a"`), token.EQL, number(`"a"`), knownTrue},
		{number(`"a"`), token.LSS, number(`"b"`), known{}}, // strings are not ordered
		{knownTrue, token.NEQ, knownFalse, knownTrue},
	} {
		if got := compare(c.op, c.x, c.y); got != c.want {
			t.Errorf("%v %v %v = %v, want %v", c.x, c.op, c.y, got, c.want)
		}
	}
}
