//go:build !octet_purego

package profile

import (
	"io"
	"reflect"
	"runtime/pprof"
	"sync/atomic"
	"unsafe"
)

// hook makes p call count and write for its content, as the profiles that come with
// runtime/pprof do, and reports whether it could.
//
// Sound: a Profile of runtime/pprof calls the functions in its fields count and write
// if they are not nil. The fields are looked up by name and must have the exact types;
// whether they mean this hooks finds out. A func is one word. It is stored atomically, after what it points to, because others may find the
// profile already and read the fields without a lock: until then it is empty.
func hook(p *pprof.Profile, count func() int, write func(io.Writer, int) error) bool {
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
