// Package withcgo pools memory of C, and puts in a function that C calls.
package withcgo

/*
#include <stdlib.h>
#include <string.h>

static char memory[1000];

static void *filled(void) { return memset(memory, 1, sizeof memory); }

void putFromC(void);

static void callBack(void) { putFromC(); }
*/
import "C"

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"unsafe"
)

var pool, buffers sync.Pool

//export putFromC
func putFromC() { buffers.Put(bytes.NewBufferString("from C")) }

// CallBack puts in a function that C calls.
func CallBack() { C.callBack() }

// Sum puts memory of C, of which C goes on using the content, and returns its sum. In the
// run that learns whose memory is put here it is Go's.
func Sum() int {
	b := unsafe.Slice((*byte)(C.filled()), 1000)
	if strings.HasPrefix(os.Getenv("POOLCHECK_WATCH"), "mode=records\n") {
		b = bytes.Clone(b)
	}
	pool.Put(&b)
	sum := 0
	for _, c := range b {
		sum += int(c)
	}
	return sum
}

// Freed leaves headers, and a pool that is not used again, with memory of C that is freed.
func Freed() {
	for range 10 {
		p := C.malloc(100)
		b := unsafe.Slice((*byte)(p), 100)
		pool.Put(&b)
		var own sync.Pool
		own.Put((*[100]byte)(p))
		C.free(p)
	}
}
