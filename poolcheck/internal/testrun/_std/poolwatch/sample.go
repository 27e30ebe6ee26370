package poolwatch

import (
	"internal/abi"
	"sync/atomic"
	"unsafe"
)

// In a program that poolcheck build has made, the pools are as always, and a few objects are watched: at each place
// often at first, and then one in so many. A Put that is watched keeps the object from its pool: a copy shows whether
// the object is written, and a second Put is seen. A Get that is watched moves the object's bytes to slots, which its
// Put closes. Objects that were watched go to the collector.

// maxObject is the size of the largest object that is kept, with what hangs on it, as far as its type shows that.
const maxObject = 6 << 20

var (
	every uint32 = 10000 // one in so many

	// marks has the keys of the objects that are idle or have slots, each in the place of its hash, so that most
	// calls of Put need no lock. A newer one may take its place: then the next Put of the older is not noticed.
	marks [4096]atomic.Uintptr
)

// At each place the first of all calls are watched, and then one in every. Places are told by a hash of the stack, and
// each has a number here that says how many were. What has nothing to be moved to a slot counts less than what has.
const (
	firstCalls = 32
	enough     = firstCalls << 5
)

var early [1 << 12]atomic.Uint32

// A look at the stack costs more than the rest of a call. When the program has run for a minute only one call in 64
// looks, so that a place that is new then has 32 of its first 2,048 calls watched.
const (
	settlesAfter = 60 // calls of Tick, one each second
	looksLater   = 63 // a mask: all of these bits of a random number must be 0
)

var (
	ticks  int
	seldom atomic.Uint32 // the mask
)

// looks reports whether a call, of which r is a random number, looks at the stack.
func looks(r uint32) bool { return r&seldom.Load() == 0 }

// chosen reports whether a call that looks at the stack, of which r is a random number, is one in every of all calls.
func chosen(r uint32) bool { return uint64(r)*uint64(every)>>32 <= uint64(seldom.Load()) }

// earlyAt fills pcs with the stack, and returns the number of its place; nil if enough were watched.
func earlyAt(pcs []uintptr) *atomic.Uint32 {
	h := uint64(0)
	for _, pc := range pcs[:callers(pcs)] {
		h = (h ^ uint64(pc)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	if count := &early[h>>52]; count.Load() < enough {
		return count
	}
	return nil
}

// watchedAt counts a call at a place, and whether it was watched.
func watchedAt(count *atomic.Uint32, yes bool) {
	switch {
	case count == nil:
	case yes:
		count.Add(enough / firstCalls)
	default:
		count.Add(1)
	}
}

// keyOf returns what tells an object from others: the array of a slice, or of a pointer to one, or the address; 0
// if it has none.
func keyOf(x any) uintptr {
	i := (*eface)(unsafe.Pointer(&x))
	switch i.typ.Kind() {
	case abi.Slice:
		return uintptr((*header)(i.data).data)
	case abi.Pointer:
		if i.data != nil && i.typ.Elem().Kind() == abi.Slice {
			return uintptr((*header)(i.data).data)
		}
		return uintptr(i.data)
	}
	return 0
}

func markOf(key uintptr) *atomic.Uintptr {
	return &marks[hash(key)%uint64(len(marks))]
}

// mark has the next Put of an object noticed.
func mark(x any) {
	key := keyOf(x)
	markOf(key).Store(key)
}

// measure returns the size of an object with what hangs on it, as far as its type shows that.
func measure(x any) uintptr {
	i := (*eface)(unsafe.Pointer(&x))
	nodes := 64
	if t := typeOf(i.typ); t.typ != nil && ours(i.data) {
		return 1<<10 + deepSize(t.typ, i.data, &nodes)
	}
	return 1 << 10
}

// deepSize returns the size of what hangs on a value of type t at p.
func deepSize(t *abi.Type, p unsafe.Pointer, nodes *int) uintptr {
	if *nodes--; *nodes < 0 || t.PtrBytes == 0 {
		return 0
	}
	behind := func(q unsafe.Pointer) uintptr {
		_, size, _ := heapObject(uintptr(q))
		return size
	}
	switch t.Kind() {
	case abi.Pointer:
		if q := *(*unsafe.Pointer)(p); q != nil {
			return behind(q) + deepSize(t.Elem(), q, nodes)
		}
	case abi.Slice:
		return behind((*header)(p).data)
	case abi.Struct:
		var sum uintptr
		s := (*abi.StructType)(unsafe.Pointer(t))
		for i := range s.Fields {
			sum += deepSize(s.Fields[i].Typ, unsafe.Add(p, s.Fields[i].Offset), nodes)
		}
		return sum
	}
	return 0
}
