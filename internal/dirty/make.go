//go:build octet_purego

package dirty

import "math"

const maxAlloc = math.MaxInt

func alloc(n int) []byte { return make([]byte, n) }
