package api

import "strings"

// The import paths of this module's packages, and of those that they succeed.
const (
	BytespoolPath = "github.com/octet-go/octet/bytespool"
	BufferPath    = BytespoolPath + "/buffer"
	compatPath    = "github.com/octet-go/octet/compat/bytespool"
	earlierPath   = "github.com/fufuok/bytespool"
)

// What hands out memory in the earlier packages. The pools of compat have Make and New from ours.
const (
	makeOwnSlice     = "Clone Get Make64 MakeMax MakeMin New64 NewBytes NewMax NewMin NewString"
	makeEarlierSlice = "Make New " + makeOwnSlice
	makeBuffer       = "Get Make"
	makeEarlierOne   = " Clone Make64 MakeMax MakeMin New NewBytes NewString"
)

// addPools adds what there is to say of these beside the rows in simple.
func (t Table) addPools() {
	ours, earlier := "(*"+BytespoolPath+".Pool).", "(*"+earlierPath+".CapacityPools)."
	for _, prefix := range []string{BytespoolPath + ".", compatPath + ".", earlierPath + ".", ours, earlier} {
		t.addOf(Slices, prefix, "Append", Effect{Op: Consume, Arg: first(prefix)})
	}
	for _, prefix := range []string{compatPath + ".", earlierPath + ".", "(*" + compatPath + ".CapacityPools).", earlier} {
		t.addOf(Slices, prefix, "AppendString", Effect{Op: Consume, Arg: first(prefix)})
	}
	t.addOf(Slices, BytespoolPath+".", "Abandon", Effect{Op: Disown})
	t.addOf(Slices, ours, "Abandon", Effect{Op: Disown, Arg: 1})

	for _, pkg := range []string{BufferPath + ".", compatPath + "/buffer.", earlierPath + "/buffer."} {
		t.addOf(Buffers, pkg, "NewBuffer", Effect{Op: Acquire}, Effect{Op: Keep})
	}
	for _, pkg := range []string{compatPath + "/buffer.", earlierPath + "/buffer."} {
		t.addOf(Buffers, pkg, "GetReader", Effect{Op: View})
		t.addOf(Buffers, pkg, "PutReader", Effect{Op: Keep, Arg: -1})
		t.addEarlierBuffer("(*" + pkg + "Buffer).")
	}
	t.addOf(Buffers, "(*"+compatPath+"/buffer.Buffer).", "Close") // which does nothing
	t.addOf(Buffers, "(*"+BufferPath+".Pool).", "NewBuffer", Effect{Op: Acquire}, Effect{Op: Keep, Arg: 1})
	method := "(*" + BufferPath + ".Buffer)."
	t.addBuffer(method, Sound) // a Buffer that was admitted asks for what it grows by
	t.addOf(Slices, method, "Detach", Effect{Op: Acquire}, Effect{Op: Disown})
	t.addOf(Buffers, method, "Share", acquire)
	t.addOf(Buffers, method, "Next Peek AvailableBuffer", Effect{Op: View})
	t.addOf(Buffers, method, "WriteRune", Effect{Op: Sound, Res: 1})
	t.addOf(Buffers, method, "Body") // which has its own reference
	t.addOthers()
}

// addBuffer adds the methods of Buffers, whose writers do what writes says of errors.
func (t Table) addBuffer(method string, writes Op) {
	add := func(names string, effects ...Effect) { t.addOf(Buffers, method, names, effects...) }
	add("Release", Effect{Op: Release})
	add("RefInc", Effect{Op: Share})
	add("Bytes", Effect{Op: View})
	add("Write WriteString", Effect{Op: writes, Res: 1})
	add("WriteByte", Effect{Op: writes})
}

// addEarlierBuffer adds the methods of the earlier package's Buffers, and of those of compat.
func (t Table) addEarlierBuffer(method string) {
	t.addBuffer(method, Nil)
	add := func(names string, effects ...Effect) { t.addOf(Buffers, method, names, effects...) }
	add("Clone", acquire)
	t.addOf(Slices, method, "Copy", acquire)
	add("Put PutReader", Effect{Op: Release})
	add("PutAll", Effect{Op: ShareAny}, Effect{Op: Release})
	add("GetReader", Effect{Op: Share}, Effect{Op: View})
	add("RefAdd RefDec RefStore RefReset RefSwapDec", Effect{Op: ShareAny})
	add("UnsafeString", Effect{Op: View})
	add("Close", Effect{Op: Release})
}

// add gives every name in names, under prefix, a row of its own.
func (t Table) add(prefix, names string, effects ...Effect) {
	t.addOf(Family{}, prefix, names, effects...)
}

// addOf does so for functions of a family.
func (t Table) addOf(family Family, prefix, names string, effects ...Effect) {
	for _, name := range strings.Fields(names) {
		t[prefix+name] = &Func{Effects: effects, Family: family, Default: first(prefix) == 0 || strings.HasSuffix(prefix, ".Buffer).")}
	}
}

// first returns the argument that functions under a prefix are given first: behind the receiver, if they are
// methods.
func first(prefix string) int {
	if strings.HasPrefix(prefix, "(") {
		return 1
	}
	return 0
}

var acquire = Effect{Op: Acquire}
