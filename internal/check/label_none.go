//go:build !(go1.26 && !go1.28 && !octet_purego)

package check

// A label is nothing where goroutines cannot be told apart.
type label *struct{}

func currentLabel() label { return nil }

// Labels reports whether goroutines can be told apart.
const Labels = false
