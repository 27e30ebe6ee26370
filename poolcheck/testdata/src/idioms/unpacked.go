package idioms

import (
	"reflect"
	"sync"
	"unsafe"
)

// words are what an interface consists of.
type words struct{ typ, data unsafe.Pointer }

// ok: the pointer inside of what Get returns is what goes back.
func pointerOf(v any) unsafe.Pointer { return (*words)(unsafe.Pointer(&v)).data }

// ok: memory of a type that is known only at run time.
func decoderOf(t reflect.Type, decode func([]byte, unsafe.Pointer) error) func([]byte) error {
	pool := new(sync.Pool)
	return func(b []byte) error {
		p := pointerOf(pool.Get())
		if p == nil {
			p = unsafe.Pointer(reflect.New(t).Pointer())
		}
		err := decode(b, p)
		pool.Put(p)
		return err
	}
}
