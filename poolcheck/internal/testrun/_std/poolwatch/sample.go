package poolwatch

import (
	"internal/abi"
	"internal/poolwatch/protocol"
	"internal/runtime/exithook"
	"internal/strconv"
	"sync/atomic"
	"unsafe"
)

// In a program that poolcheck build has made, the pools are as always, and a few objects are watched: at each place
// often at first, and then one in so many. A Put that is watched keeps the object from its pool: a copy shows whether
// the object is written, and a second Put is seen. A Get that is watched moves the object's bytes to slots, which its
// Put closes. Objects that were watched go to the collector.

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
	slots  []*slot
	isIdle bool
	next   *watched
}

func init() {
	if !built || getenv(protocol.SettingsVariable) == "off" {
		return
	}
	for key, value := range protocol.Options(getenv(protocol.SettingsVariable), ',') {
		switch key {
		case "every":
			if n, err := strconv.Atoi(value); err == nil && n > 0 {
				every = uint32(n)
			}
		case "report":
			toFile = value
		case "then":
			stops = value == "exit"
		}
	}
	last = &first
	Sampling = true
	exithook.Add(exithook.Hook{F: lastLook, RunOnFailure: true})
}

// At each place the first of all calls are watched, and then one in every. Places are told by a hash of the stack, and
// each has a number here that says how many were. What has nothing to be moved to a slot counts less than what has.
const (
	firstCalls = 32
	enough     = firstCalls << 5
)

var early [1 << 12]atomic.Uint32

// A look at the stack costs more than the rest of a call. When the program has run for a minute only one call in 16
// looks, so that a place that is new then has 32 of its first 512 calls watched.
const (
	settlesAfter = 60 // calls of Tick, one each second
	looksLater   = 16
)

var (
	ticks   int
	settled atomic.Bool
)

// earlyAt fills pcs with the stack, and returns the number of its place; nil if nobody looks or enough were watched.
func earlyAt(pcs []uintptr) *atomic.Uint32 {
	if settled.Load() && cheaprand()%looksLater != 0 {
		return nil
	}
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
	if x == nil {
		return nil
	}
	var pcs [keyFrames + 2]uintptr
	count := earlyAt(pcs[:])
	if count == nil && !chosen() {
		return x
	}
	lock()
	defer unlock()
	drainFaults()
	x, moved := guard(x)
	watchedAt(count, moved)
	return x
}

// Kept is called with what is put, and reports whether that is not for the pool.
func Kept(x any) bool {
	countPut()
	key := keyOf(x)
	if key == 0 {
		return false
	}
	var pcs [keyFrames + 2]uintptr
	count := earlyAt(pcs[:])
	if count == nil && markOf(key).Load() != key && !chosen() {
		return false
	}
	n := callers(pcs[:])
	lock()
	defer unlock()
	drainFaults()
	w := byKey.get(key)
	switch {
	case w == nil:
		kept := keep(x, key, pcs[:n])
		watchedAt(count, kept)
		return kept
	case w.isIdle:
		w.again = true
		found(&finding{code: "OCT003", what: "is put a second time", place: w.place, other: calls()})
	default:
		return w.putBack(x, pcs[:n])
	}
	return true
}

// guard moves the bytes of an object that is taken to slots, if they are its own. It returns the object, and whether
// something was moved.
func guard(x any) (any, bool) {
	i := (*eface)(unsafe.Pointer(&x))
	t := typeOf(i.typ)
	if byKey.get(keyOf(x)) != nil || !ours(i.data) || t.typ == nil || t.opaque || len(t.fields) == 0 {
		return x, false
	}
	w := newWatched(x, keyOf(x), t)
	if w == nil {
		return x, false
	}
	x, w.slots = toSlots(x, t, func(_ int, f *field) bool { return f.hop == 0 && (f.certain || t.sole) })
	if len(w.slots) == 0 {
		w.forget()
		return x, false
	}
	if t.head { // its array is what it is known by
		w.unmark()
		w.key = keyOf(x)
		w.mark()
	}
	w.obj = nil // its owner may leave it to the collector
	return x, true
}

// putBack closes the slots of an object that is put, and keeps it. It reports false if the object has none of them
// any more. Slots of objects that have moved out, or died and left their address to another, stay taken and open:
// somebody may have that memory still, and rightly.
func (w *watched) putBack(x any, pcs []uintptr) bool {
	i := (*eface)(unsafe.Pointer(&x))
	w.place = placeOf(pcs, w.typ)
	own := w.slots[:0]
	for _, s := range w.slots {
		if typeOf(i.typ) == w.typ && w.typ.pointsTo(i.data, s.at) {
			own = append(own, s)
			s.close(w.place)
		}
	}
	w.slots = own
	if len(own) == 0 {
		w.forget()
		return false
	}
	w.obj, w.base = x, i.data
	w.regions, w.saved = w.regions[:0], w.saved[:0]
	w.queue()
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
	w.mark()
	return w
}

func (w *watched) mark() {
	markOf(w.key).Store(w.key)
	byKey.set(w.key, w)
}

func (w *watched) unmark() {
	byKey.remove(w.key)
	if m := markOf(w.key); m.Load() == w.key {
		m.Store(0)
	}
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

// queue adds an object that is put, and lets the oldest go where there are too many.
func (w *watched) queue() {
	w.isIdle = true
	putsKept++
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
	for _, s := range w.slots {
		s.release()
	}
	w.unmark()
	if w.isIdle {
		watching--
		memory -= w.size
	}
}

// Tick looks at some of the objects that wait, and at what was read. Package os calls it each second.
func Tick() {
	lock()
	defer unlock()
	if ticks++; ticks == settlesAfter {
		settled.Store(true)
	}
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
	counted, changed = true, true
	publish()
	summary()
}
