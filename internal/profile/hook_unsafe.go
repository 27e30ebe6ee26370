//go:build !octet_purego

package profile

import (
	"io"
	"reflect"
	"runtime/pprof"
	"sync/atomic"
	"unsafe"
)

// hook publishes a profile that calls count and write for its content, as the profiles
// that come with runtime/pprof do, and reports whether it could.
//
// Sound: a Profile of runtime/pprof calls the functions in its fields count and write
// if they are not nil. The fields are looked up by name and must have the exact types;
// a test of each release of Go sees that they mean this. A func is one word. It is
// stored atomically, after what it points to, because others may find the profile
// already and read the fields without a lock: until then it is empty.
func hook(name string, count func() int, write func(io.Writer, int) error) bool {
	profile := reflect.TypeFor[pprof.Profile]()
	countField, ok1 := profile.FieldByName("count")
	writeField, ok2 := profile.FieldByName("write")
	if !ok1 || !ok2 || countField.Type != reflect.TypeOf(count) || writeField.Type != reflect.TypeOf(write) {
		return false
	}
	base := unsafe.Pointer(pprof.NewProfile(name))
	atomic.StorePointer((*unsafe.Pointer)(unsafe.Add(base, writeField.Offset)), *(*unsafe.Pointer)(unsafe.Pointer(&write)))
	atomic.StorePointer((*unsafe.Pointer)(unsafe.Add(base, countField.Offset)), *(*unsafe.Pointer)(unsafe.Pointer(&count)))
	pprof.Lookup(name) // takes a lock, so that later calls see the functions
	return true
}
