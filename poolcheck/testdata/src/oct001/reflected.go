package oct001

import (
	"reflect"

	"github.com/octet-go/octet/bytespool"
)

type input struct{ Raw []byte }

// bad: the input shows the memory, since reflection has stored it there.
func reflectedTooLong(read func([]byte), handle func(*input)) {
	var in input
	p := bytespool.Get(64)
	read(p)
	reflect.ValueOf(&in).Elem().Field(0).SetBytes(p)
	bytespool.Release(p)
	handle(&in) // want "OCT001: p is used.*"
}

// ok: it is released after the call.
func reflected(read func([]byte), handle func(*input)) {
	var in input
	p := bytespool.Get(64)
	read(p)
	reflect.ValueOf(&in).Elem().Field(0).SetBytes(p)
	handle(&in)
	bytespool.Release(p)
}

// ok: the same number decides twice.
func reflectedOnCondition(n int, read func([]byte), handle func(*input)) {
	var in input
	p := bytespool.Get(64)
	read(p)
	if n != -1 {
		reflect.ValueOf(&in).Elem().Field(0).SetBytes(p)
	}
	if -1 == n {
		bytespool.Release(p)
	}
	handle(&in)
	if n != -1 {
		bytespool.Release(p)
	}
}

// bad: one number more is not the same condition.
func reflectedOnAnother(n int, read func([]byte), handle func(*input)) {
	var in input
	p := bytespool.Get(64)
	read(p)
	if n > 1 {
		reflect.ValueOf(&in).Elem().Field(0).SetBytes(p)
	}
	if n <= 2 {
		bytespool.Release(p)
	}
	handle(&in) // want "OCT001: p is used.*"
	if n > 2 {
		bytespool.Release(p)
	}
}
