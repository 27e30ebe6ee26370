package poolwatch

import (
	"internal/abi"
	"internal/reflectlite"
	"internal/stringslite"
	"unsafe"
)

const (
	maxOwn    = 64 << 10  // bytes of an object's own memory that are compared
	maxRegion = 256 << 10 // bytes of one of its slices
	minArray  = 8         // an array of bytes in a struct is overwritten from this length
	minSlice  = 16        // a slice below this shares its heap object with others
)

// A typeInfo says where the parts of a pooled type are.
type typeInfo struct {
	name   string
	typ    *abi.Type // the type of the memory at the object's address; nil if opaque
	opaque bool      // a value that is no pointer to memory: only its identity counts
	size   uintptr   // of its own memory that is saved and compared
	spans  []span    // the parts of its own memory that must not change
	fields []field   // slices, and arrays of bytes
	head   bool      // the object is a slice, or a pointer to one
	value  bool      // the object is a slice
	elem   uintptr   // size of the slice's elements
	sole   bool      // the object is a struct of which one slice is all that leads to memory

	pointers int // parts of its own memory that lead to other memory
}

type span struct {
	off, n uintptr
	path   string // such as .field.of
	shared bool   // several goroutines may use it at once: an atomic, a channel
}

// A field is a slice header in the object, or an array of bytes.
type field struct {
	path    string
	hop     uintptr // if the slice is in a buffer that the object points to, the offset of the pointer plus one
	off     uintptr
	elem    uintptr // size of an element
	array   uintptr // length of the array, 0 for a slice
	bytes   bool    // a slice of bytes
	certain bool    // it belongs to the object
}

// An eface is an interface value.
type eface struct {
	typ  *abi.Type
	data unsafe.Pointer
}

type header struct {
	data     unsafe.Pointer
	len, cap int
}

var types table[typeInfo]

// opaque stands for the type of what is not in the Go heap: it may be freed while it is
// idle, as memory of C, and another object may be there.
var opaque = typeInfo{opaque: true}

// typeOf describes the pooled values of type t.
func typeOf(t *abi.Type) *typeInfo {
	key := uintptr(unsafe.Pointer(t))
	if info := types.get(key); info != nil {
		return info
	}
	info := &typeInfo{name: nameOf(t)}
	switch t.Kind() {
	case abi.Pointer:
		info.typ = t.Elem()
		info.size = min(info.typ.Size_, maxOwn)
		info.opaque = info.size == 0
	case abi.Slice:
		info.typ, info.value = t, true
	case abi.Map, abi.Chan, abi.UnsafePointer:
	default:
		info.opaque = true
	}
	if info.typ != nil {
		info.visit(info.typ, 0, "", false)
		info.sole = info.typ.Kind() == abi.Struct && info.pointers == 1
	}
	types.set(key, info)
	return info
}

// visit adds what is at an offset of the object's own memory. Slices belong to the object
// if that is certain, or if the object is nothing else.
func (info *typeInfo) visit(t *abi.Type, off uintptr, path string, certain bool) {
	if t.Kind() != abi.Struct && t.PtrBytes > 0 {
		info.pointers++
	}
	if off >= maxOwn {
		return
	}
	size := min(t.Size_, maxOwn-off)
	switch t.Kind() {
	case abi.Struct:
		switch nameOf(t) { // these may change: a lock may be held during Put
		case "sync.Mutex", "sync.RWMutex", "sync.WaitGroup", "sync.Cond", "sync.Pool":
			return
		}
		s := (*abi.StructType)(unsafe.Pointer(t))
		certain = certain || isBuffer(t)
		n := len(info.spans)
		for i := range s.Fields {
			if f := &s.Fields[i]; !f.Name.IsBlank() {
				info.visit(f.Typ, off+f.Offset, path+"."+f.Name.Name(), certain)
			}
		}
		if stringslite.HasPrefix(nameOf(t), "atomic.") {
			for i := range info.spans[n:] {
				info.spans[n+i].shared = true
			}
		}
		return
	case abi.Array:
		elem := t.Elem()
		if elem.Kind() == abi.Uint8 && size >= minArray {
			info.fields = append(info.fields, field{path: path, off: off, elem: 1, array: size, bytes: true, certain: true})
			return
		}
		if elem.Kind() == abi.Struct {
			return // which may have locks
		}
	case abi.Pointer:
		if elem := t.Elem(); isBuffer(elem) {
			s := (*abi.StructType)(unsafe.Pointer(elem))
			for i := range s.Fields {
				if f := &s.Fields[i]; isBytes(f.Typ) {
					info.fields = append(info.fields, field{path: path + "." + f.Name.Name(), hop: off + 1, off: f.Offset, elem: 1, bytes: true})
				}
			}
		}
	case abi.Slice:
		elem := t.Elem()
		if path == "" {
			info.head, info.elem, certain = true, elem.Size_, true
		}
		if elem.PtrBytes == 0 && elem.Size_ > 0 {
			info.fields = append(info.fields, field{path: path, off: off, elem: elem.Size_, bytes: elem.Kind() == abi.Uint8, certain: certain})
		}
	}
	info.spans = append(info.spans, span{off, size, path, t.Kind() == abi.Chan})
}

// isBuffer reports whether t is a buffer of the standard library, or a type made from one: then it has the
// type of a field that no other has.
func isBuffer(t *abi.Type) bool {
	if t.Kind() != abi.Struct {
		return false
	}
	switch nameOf(t) {
	case "bytes.Buffer", "bufio.Reader", "bufio.Writer":
		return true
	}
	s := (*abi.StructType)(unsafe.Pointer(t))
	return len(s.Fields) == 3 && isBytes(s.Fields[0].Typ) && nameOf(s.Fields[2].Typ) == "bytes.readOp"
}

func isBytes(t *abi.Type) bool { return t.Kind() == abi.Slice && t.Elem().Kind() == abi.Uint8 }

func nameOf(t *abi.Type) string {
	return reflectlite.TypeOf(*(*any)(unsafe.Pointer(&eface{t, unsafe.Pointer(&zero)}))).String()
}

var zero [2]uintptr
