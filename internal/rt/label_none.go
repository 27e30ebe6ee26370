//go:build !(go1.26 && !go1.28 && !octet_purego)

package rt

// A Label is always nil here.
type Label *struct{}

// Labels says whether goroutines can be told apart by their labels.
const Labels = false

// CurrentLabel returns nil.
func CurrentLabel() Label { return nil }
