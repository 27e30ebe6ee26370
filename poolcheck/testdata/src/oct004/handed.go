package oct004

import (
	"github.com/octet-go/octet/bytespool"
)

// leaser is generic over what it hands out.
type leaser[T ~[]byte] struct{ free func(T) }

// ok: a generic owner releases by its function value.
func (l leaser[T]) with(b T, f func(T)) {
	defer l.free(b)
	f(b)
}

// ok: the function value that gets the memory releases it.
func leased() {
	l := leaser[[]byte]{free: func(b []byte) { bytespool.Release(b) }}
	l.with(bytespool.New(64), func(b []byte) { b[0] = 1 })
}
