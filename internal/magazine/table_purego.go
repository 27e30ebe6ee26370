//go:build octet_purego

package magazine

import "sync/atomic"

// records is a table that can be replaced while others read it.
type records struct {
	table atomic.Pointer[table]
}

func (r *records) set(t table) { r.table.Store(&t) }

// at returns record i.
func (r *records) at(i uintptr) *Record { return &(*r.table.Load())[i] }
