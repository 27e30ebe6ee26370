//go:build !(amd64 || arm64) || octet_purego

package swap

const (
	haveShuffle = false
	vector      = 0
)

func shuffle(dst, src *byte, n, size int) { panic("unreachable") }
