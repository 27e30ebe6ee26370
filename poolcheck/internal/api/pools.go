package api

// The import paths of this module's packages, and of those that they succeed.
const (
	BytespoolPath = "github.com/octet-go/octet/bytespool"
	BufferPath    = "github.com/octet-go/octet/bytespool/buffer"

	compatBytespoolPath = "github.com/octet-go/octet/compat/bytespool"
	compatBufferPath    = "github.com/octet-go/octet/compat/bytespool/buffer"
)

func (t Table) addPools() {
	for _, path := range []string{BytespoolPath, compatBytespoolPath, "github.com/fufuok/bytespool"} {
		t.addBytespool(path)
	}
	for _, path := range []string{BufferPath, compatBufferPath, "github.com/fufuok/bytespool/buffer"} {
		t.addBuffer(path)
	}
	t.addOthers()
}

// addBytespool adds the functions of bytespool, and the methods of the same
// names.
func (t Table) addBytespool(path string) {
	for _, recv := range []bool{false, true} {
		prefix, first := path+".", 0
		if recv {
			prefix, first = "(*"+path+".CapacityPools).", 1
		}
		add := func(names string, f Func) {
			f.Family, f.Default = Slices, !recv
			t.add(prefix, names, f)
		}
		add("New Get New64", Func{Effects: acquire})
		add("NewMax NewMin", Func{Effects: acquire})
		add("Make Make64 MakeMax MakeMin Clone NewBytes NewString", Func{Effects: acquire})
		add("Put Release", Func{Effects: []Effect{{Op: Release, Arg: first}}})
		add("Abandon", Func{Effects: []Effect{{Op: Disown, Arg: first}}})
		add("Append AppendString", Func{Effects: []Effect{{Op: Consume, Arg: first}}})
	}
	pools := "(*" + path + ".CapacityPools)."
	t.add(pools, "TryNew Acquire Wait", Func{Effects: acquire, Family: Slices})
	t.add(pools, "ReleaseN", Func{Effects: []Effect{{Op: Opaque, Arg: 1}}, Family: Slices}) // what is in a list has no state of its own
}

func (t Table) addBuffer(path string) {
	add := func(prefix, names string, effects ...Effect) {
		t.add(prefix, names, Func{Effects: effects, Family: Buffers, Default: true})
	}
	fn, method, pool := path+".", "(*"+path+".Buffer).", "(*"+path+".Pool)."
	add(pool, "Get Make TryGet Acquire", acquire...)
	add(pool, "NewBuffer", Effect{Op: Acquire}, Effect{Op: Keep, Arg: 1})
	add(pool, "Put", Effect{Op: Release, Arg: 1})
	add(fn, "Acquire Clone Get TryGet Make Make64 MakeMax MakeMin New NewBytes NewString", acquire...)
	add(fn, "NewBuffer", Effect{Op: Acquire}, Effect{Op: Keep})
	add(fn, "Put Release", Effect{Op: Release})
	add(fn, "GetReader", Effect{Op: View})
	add(fn, "PutReader", Effect{Op: Keep, Arg: -1})

	add(method, "Clone", acquire...)
	t.add(method, "Copy", Func{Effects: acquire, Family: Slices, Default: true})
	t.add(method, "Detach", Func{Effects: []Effect{{Op: Acquire}, {Op: Disown}}, Family: Slices, Default: true})
	add(method, "Put Release PutReader", Effect{Op: Release})
	add(method, "PutAll", Effect{Op: ShareAny}, Effect{Op: Release})
	add(method, "RefInc", Effect{Op: Share})
	add(method, "Share", acquire...)
	add(method, "GetReader", Effect{Op: Share}, Effect{Op: View})
	add(method, "RefAdd RefDec RefStore RefReset RefSwapDec", Effect{Op: ShareAny})
	add(method, "Bytes UnsafeString Next Peek AvailableBuffer", Effect{Op: View})
	add(method, "AppendBinary", Effect{Op: Whole, Arg: 1})
	writes := Nil
	if path != "github.com/fufuok/bytespool/buffer" {
		add(method, "Body Close") // a body has its own reference
		writes = Sound            // a Buffer that was admitted asks for what it grows by
	} else {
		add(method, "Close", Effect{Op: Release})
	}
	add(method, "Write WriteRune WriteString", Effect{Op: writes, Res: 1})
	add(method, "WriteByte", Effect{Op: writes})
}

var acquire = []Effect{{Op: Acquire}}
