//go:build !octet_purego

package magazine

import (
	"sync/atomic"
	"unsafe"
)

// records is a table that can be replaced while others read it.
type records struct {
	first atomic.Pointer[Record]
}

func (r *records) set(t table) { r.first.Store(&t[0]) }

// at returns record i.
//
// Sound: i is below a value of Head.pinned, Head.striped or class.n that was loaded
// before, and by the order in which tables are published first is then the first of
// more than i records in one array, which the returned pointer keeps alive.
func (r *records) at(i uintptr) *Record {
	return (*Record)(unsafe.Add(unsafe.Pointer(r.first.Load()), i*unsafe.Sizeof(Record{})))
}
