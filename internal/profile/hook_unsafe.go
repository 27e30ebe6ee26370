//go:build !octet_purego

package profile

import (
	"io"
	"reflect"
	"runtime/pprof"
	"sync/atomic"
	"unsafe"

	"github.com/octet-go/octet/internal/rt"
)

// hook has p call count and write for its content, as the profiles that come with
// runtime/pprof do, and reports whether it could.
//
// Sound: a Profile of runtime/pprof calls what its fields count and write hold
// if they are not nil. The fields are looked up by name and must have the exact
// types, and only in tested releases of Go do they mean this.
// A func is one word. runtime/pprof reads it without a lock while the profile can
// be found already: so it is stored in one piece, after what it points to, and a
// reader who comes before sees a profile that is empty.
func hook(p *pprof.Profile, count func() int, write func(io.Writer, int) error) bool {
	if !rt.Tested {
		return false
	}
	countField, ok := reflect.TypeFor[pprof.Profile]().FieldByName("count")
	if !ok || countField.Type != reflect.TypeOf(count) {
		return false
	}
	writeField, ok := reflect.TypeFor[pprof.Profile]().FieldByName("write")
	if !ok || writeField.Type != reflect.TypeOf(write) {
		return false
	}
	base := unsafe.Pointer(p)
	atomic.StorePointer((*unsafe.Pointer)(unsafe.Add(base, writeField.Offset)), *(*unsafe.Pointer)(unsafe.Pointer(&write)))
	atomic.StorePointer((*unsafe.Pointer)(unsafe.Add(base, countField.Offset)), *(*unsafe.Pointer)(unsafe.Pointer(&count)))
	return true
}
