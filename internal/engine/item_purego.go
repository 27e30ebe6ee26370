//go:build octet_purego

package engine

// An item is idle memory.
type item struct{ b []byte }

func (x item) some() bool { return x.b != nil }

// itemOf returns the memory of b.
func itemOf(b []byte) item { return item{b} }

// slice returns the memory of x, of class k, as a slice of length n.
func (x item) slice(n, k int) []byte { return x.b[: n : 1<<k] }
