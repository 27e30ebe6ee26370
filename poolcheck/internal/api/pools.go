package api

import "strings"

// The import paths of this module's packages, and of those that they succeed.
const (
	BytespoolPath = "github.com/octet-go/octet/bytespool"
	BufferPath    = "github.com/octet-go/octet/bytespool/buffer"

	compatBytespoolPath  = "github.com/octet-go/octet/compat/bytespool"
	earlierBytespoolPath = "github.com/fufuok/bytespool"
)

// What hands out memory in all of them, and what only the earlier packages have, whose methods of Buffers and
// pools compat has from ours.
const (
	makeSlice        = "Make New NewBytes NewString"
	makeEarlierSlice = " Clone Get Make64 MakeMax MakeMin New64 NewMax NewMin"
	makeBuffer       = "Get Make NewBytes NewString"
	makeEarlierOne   = " Clone Make64 MakeMax MakeMin New"
)

func (t Table) addPools() {
	const (
		compat  = compatBytespoolPath
		earlier = earlierBytespoolPath
	)
	t.addSlices(BytespoolPath+".", makeSlice, "Release")
	t.addSlices("(*"+BytespoolPath+".CapacityPools).", makeSlice+" TryNew Acquire Wait", "Release")
	t.addSlices("(*"+BytespoolPath+".Reservation).", "New", "")
	t.addSlices("(*"+compat+".CapacityPools).", makeEarlierSlice, "Put")
	for _, prefix := range []string{compat + ".", earlier + ".", "(*" + earlier + ".CapacityPools)."} {
		t.addSlices(prefix, makeSlice+makeEarlierSlice, "Put Release")
	}
	for _, prefix := range []string{BytespoolPath + ".", "(*" + BytespoolPath + ".CapacityPools)."} {
		t.addOf(Slices, prefix, "Abandon", Effect{Op: Disown, Arg: first(prefix)})
	}
	for _, prefix := range []string{
		BytespoolPath + ".", compat + ".", earlier + ".", "(*" + BytespoolPath + ".CapacityPools).", "(*" + earlier + ".CapacityPools).",
	} {
		t.addOf(Slices, prefix, "Append AppendString", Effect{Op: Consume, Arg: first(prefix)})
	}
	// What is in a list has no state of its own.
	t.addOf(Slices, "(*"+BytespoolPath+".CapacityPools).", "ReleaseN", Effect{Op: Opaque, Arg: 1})

	t.addBuffers(BufferPath+".", makeBuffer+" Acquire TryGet", "")
	for _, path := range []string{compat, earlier} {
		t.addBuffers(path+"/buffer.", makeBuffer+makeEarlierOne, "Put Release")
	}
	pool := "(*" + BufferPath + ".Pool)."
	t.addOf(Buffers, pool, "Get Make TryGet Acquire", acquire...)
	t.addOf(Buffers, pool, "NewBuffer", Effect{Op: Acquire}, Effect{Op: Keep, Arg: 1})
	t.addOf(Buffers, pool, "Put", Effect{Op: Release, Arg: 1})
	t.addBuffer("(*"+BufferPath+".Buffer).", Sound) // a Buffer that was admitted asks for what it grows by
	t.addBuffer("(*"+earlier+"/buffer.Buffer).", Nil)
	t.addOurs()
	t.addOthers()
}

// first returns the argument that functions under a prefix are given first: behind the receiver, if they are
// methods.
func first(prefix string) int {
	if strings.HasPrefix(prefix, "(") {
		return 1
	}
	return 0
}

// addOf adds functions of a family.
func (t Table) addOf(family Family, prefix, names string, effects ...Effect) {
	t.add(prefix, names, Func{Effects: effects, Family: family, Default: strings.Contains(prefix, "/buffer.") || first(prefix) == 0})
}

// addSlices adds what hands out slices, and what takes them back.
func (t Table) addSlices(prefix, get, put string) {
	t.addOf(Slices, prefix, get, acquire...)
	t.addOf(Slices, prefix, put, Effect{Op: Release, Arg: first(prefix)})
}

// addBuffers adds the functions of a package of Buffers.
func (t Table) addBuffers(prefix, get, put string) {
	t.addOf(Buffers, prefix, get, acquire...)
	t.addOf(Buffers, prefix, put, Effect{Op: Release})
	t.addOf(Buffers, prefix, "NewBuffer", Effect{Op: Acquire}, Effect{Op: Keep})
	t.addOf(Buffers, prefix, "GetReader", Effect{Op: View})
	t.addOf(Buffers, prefix, "PutReader", Effect{Op: Keep, Arg: -1})
}

// addBuffer adds the methods of Buffers, whose writers do what writes says of errors.
func (t Table) addBuffer(method string, writes Op) {
	add := func(names string, effects ...Effect) { t.addOf(Buffers, method, names, effects...) }
	add("Clone", acquire...)
	t.addOf(Slices, method, "Copy", acquire...)
	add("Put Release PutReader", Effect{Op: Release})
	add("PutAll", Effect{Op: ShareAny}, Effect{Op: Release})
	add("RefInc", Effect{Op: Share})
	add("GetReader", Effect{Op: Share}, Effect{Op: View})
	add("RefAdd RefDec RefStore RefReset RefSwapDec", Effect{Op: ShareAny})
	add("Bytes UnsafeString", Effect{Op: View})
	add("Write WriteString", Effect{Op: writes, Res: 1})
	add("WriteByte", Effect{Op: writes})
	add("Close", Effect{Op: Release})
}

// addOurs adds what only our packages have.
func (t Table) addOurs() {
	method := "(*" + BufferPath + ".Buffer)."
	t.addOf(Slices, method, "Detach", Effect{Op: Acquire}, Effect{Op: Disown})
	t.addOf(Buffers, method, "Share", acquire...)
	t.addOf(Buffers, method, "Next Peek AvailableBuffer", Effect{Op: View})
	t.addOf(Buffers, method, "AppendBinary", Effect{Op: Whole, Arg: 1})
	t.addOf(Buffers, method, "WriteRune", Effect{Op: Sound, Res: 1})
	t.addOf(Buffers, method, "Body Close") // a body has its own reference
}

var acquire = []Effect{{Op: Acquire}}
