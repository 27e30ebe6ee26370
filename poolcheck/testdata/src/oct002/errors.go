package oct002

import (
	"fmt"
	"os"
	"sync"
)

var names = sync.Pool{New: func() any {
	b := make([]byte, 0, 128)
	return &b
}}

// ok: the name is a copy.
func openNamed(dir string, n int) error {
	b := names.Get().(*[]byte)
	defer names.Put(b)
	*b = fmt.Appendf((*b)[:0], "%s/%d", dir, n)
	return os.Remove(string(*b))
}
