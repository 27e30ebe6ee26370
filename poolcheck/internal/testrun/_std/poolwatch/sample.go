package poolwatch

import (
	"internal/abi"
	"internal/runtime/exithook"
	"internal/strconv"
	"sync/atomic"
	"unsafe"
)

// In a program that poolcheck build has made, the pools are as always, and a few objects are watched. One Put in
// so many is kept from its pool: a copy shows whether the object is written, and a second Put is seen. One Get in
// so many has the object's bytes moved to pages of their own, which its Put makes inaccessible: see slots.go.
// Objects that were watched go to the collector.

// Bounds on what is watched at one time.
const (
	maxWatched    = 1024
	maxWatchedMem = 24 << 20 // with what hangs on the objects, as far as their types show it
	maxObject     = 6 << 20
)

// Sampling says whether objects are watched in this process.
var Sampling bool

var (
	every    uint32   = 1000 // one in so many
	stops    bool            // the program ends with the first finding
	toFile   string          // where findings go, "" for standard error
	watching int             // objects that were put and are kept
	memory   uintptr         // their size
	first    *watched        // the one that was put before all others, then by next
	last     **watched
	looked   *watched // which Tick looked at last
	byKey    table[watched]

	// marks has the keys of the watched objects, each in the place of its hash, so that most calls of Put need
	// no lock.
	marks [4096]atomic.Uintptr
)

// A watched is an object that was put and kept, or that is taken and has its bytes in slots.
type watched struct {
	held
	key    uintptr
	size   uintptr
	slots  []slot
	isIdle bool
	next   *watched
}

func init() {
	if !built || getenv("POOLCHECK") == "off" {
		return
	}
	between = ","
	wish = between + getenv("POOLCHECK") + between
	if n, err := strconv.Atoi(option("every")); err == nil && n > 0 {
		every = uint32(n)
	}
	toFile, stops = option("report"), option("then") == "exit"
	wish = "" // no more
	last = &first
	Sampling = true
	exithook.Add(exithook.Hook{F: lastLook, RunOnFailure: true})
}

func chosen() bool { return uint64(cheaprand())*uint64(every)>>32 == 0 }

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
	return &marks[(uint64(key)*0x9e3779b97f4a7c15)>>52]
}

// Taken is called with what a pool hands out, and returns it.
func Taken(x any) any {
	if x == nil || !chosen() {
		return x
	}
	lock()
	defer unlock()
	drainFaults()
	return guard(x)
}

// Kept is called with what is put, and reports whether that is not for the pool.
func Kept(x any) bool {
	key := keyOf(x)
	if key == 0 || markOf(key).Load() != key && !chosen() {
		return false
	}
	var pcs [keyFrames + 2]uintptr
	n := callers(pcs[:])
	lock()
	defer unlock()
	drainFaults()
	w := byKey.get(key)
	switch {
	case w == nil:
		return keep(x, key, pcs[:n])
	case w.isIdle:
		w.again = true
		found(&finding{code: "OCT003", what: "is put a second time", place: w.place, other: calls()})
	default:
		return w.putBack(x, pcs[:n])
	}
	return true
}

// keep watches an object that is put, if that can be.
func keep(x any, key uintptr, pcs []uintptr) bool {
	i := (*eface)(unsafe.Pointer(&x))
	_, _, special := heapObject(uintptr(i.data))
	if special || !ours(i.data) {
		return false
	}
	t := typeOf(i.typ)
	w := newWatched(x, key, t)
	if w == nil {
		return false
	}
	w.place = placeOf(pcs, t)
	w.collect()
	w.save()
	w.queue()
	return true
}

// newWatched returns an object that is watched from now on, nil if it is too large, or its mark is needed.
func newWatched(x any, key uintptr, t *typeInfo) *watched {
	i := (*eface)(unsafe.Pointer(&x))
	m := markOf(key)
	if other := byKey.get(m.Load()); other != nil && !other.isIdle {
		return nil
	}
	size := uintptr(1 << 10)
	if t.typ != nil {
		nodes := 64
		size += deepSize(t.typ, i.data, &nodes)
	}
	if t.opaque || size > maxObject {
		return nil
	}
	w := &watched{key: key, size: size}
	w.held = held{entry: new(entry), obj: x, base: i.data}
	w.typ = t
	m.Store(key)
	byKey.set(key, w)
	return w
}

// deepSize returns the size of what hangs on a value of type t at p, as far as types show it.
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

// queue adds an object that was put, and lets the oldest go where there are too many.
func (w *watched) queue() {
	w.isIdle = true
	watching++
	memory += w.size
	*last, last = w, &w.next
	for first != nil && (watching > maxWatched || memory > maxWatchedMem) {
		w := first
		if first = w.next; first == nil {
			last = &first
		}
		if looked == w {
			looked = nil
		}
		w.check()
		w.forget()
	}
}

// forget ends the watch.
func (w *watched) forget() {
	w.freeSlots()
	byKey.remove(w.key)
	if m := markOf(w.key); m.Load() == w.key {
		m.Store(0)
	}
	if w.isIdle {
		watching--
		memory -= w.size
	}
}

// Tick looks at some of the objects that wait, and at what was read. Package os calls it each second.
func Tick() {
	lock()
	defer unlock()
	drainFaults()
	for range 256 {
		if looked == nil {
			looked = first
		}
		if looked == nil {
			break
		}
		looked.check()
		looked = looked.next
	}
	publish()
}

// lastLook looks at all of them, when the program ends.
func lastLook() {
	lock()
	defer unlock()
	drainFaults()
	for w := first; w != nil; w = w.next {
		w.check()
	}
	publish()
	summary()
}
