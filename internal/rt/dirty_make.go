//go:build octet_purego

package rt

import "math"

const maxAlloc = math.MaxInt

func alloc(n int) []byte { return make([]byte, n) }
