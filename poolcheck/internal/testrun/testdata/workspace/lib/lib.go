// Package lib puts twice.
package lib

import "sync"

var pool sync.Pool

func Use() {
	x := new(int)
	pool.Put(x)
	pool.Put(x)
}
