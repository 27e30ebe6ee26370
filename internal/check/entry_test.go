package check_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	compat "github.com/octet-go/octet/compat/bytespool"
	compatbuffer "github.com/octet-go/octet/compat/bytespool/buffer"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/check/checktest"
	"github.com/octet-go/octet/internal/sanitize"
	"github.com/octet-go/octet/internal/testenv"
)

const octet = "github.com/octet-go/octet/"

// An entry is a function that users call: its name, as stacks have it, and a use
// of it. The use may prepare what it needs; what it hands to call is recorded.
type entry struct {
	name string
	use  func(call func(func()))
}

// functions are the entries of bytespool and buffer, and of compat, that may get or release
// memory, or notice that it was released.
func functions() []entry {
	b := func() []byte { return bytespool.New(100) }
	buf := func() *compatbuffer.Buffer { return compatbuffer.NewString("content") }
	return []entry{
		{"bytespool.Abandon", func(call func(func())) { b := b(); call(func() { bytespool.Abandon(b) }) }},
		{"bytespool.Append", func(call func(func())) { b := b(); call(func() { bytespool.Append(b, make([]byte, 100)...) }) }},
		{"bytespool.Make", func(call func(func())) { call(func() { bytespool.Make(100) }) }},
		{"bytespool.New", func(call func(func())) { call(func() { bytespool.New(100) }) }},
		{"bytespool.Release", func(call func(func())) { b := b(); call(func() { bytespool.Release(b) }) }},

		{"bytespool/buffer.Get", func(call func(func())) { call(func() { buffer.Get() }) }},
		{"bytespool/buffer.Make", func(call func(func())) { call(func() { buffer.Make(100) }) }},
		{"bytespool/buffer.NewBuffer", func(call func(func())) { call(func() { buffer.NewBuffer(nil) }) }},

		{"compat/bytespool.Append", func(call func(func())) { b := b(); call(func() { compat.Append(b, make([]byte, 100)...) }) }},
		{"compat/bytespool.AppendString", func(call func(func())) { b := b(); call(func() { compat.AppendString(b, strings.Repeat("x", 100)) }) }},
		{"compat/bytespool.Clone", func(call func(func())) { call(func() { compat.Clone([]byte("content")) }) }},
		{"compat/bytespool.Get", func(call func(func())) { call(func() { compat.Get(100) }) }},
		{"compat/bytespool.Make", func(call func(func())) { call(func() { compat.Make(100) }) }},
		{"compat/bytespool.Make64", func(call func(func())) { call(func() { compat.Make64(100) }) }},
		{"compat/bytespool.MakeMax", func(call func(func())) { call(func() { compat.MakeMax() }) }},
		{"compat/bytespool.MakeMin", func(call func(func())) { call(func() { compat.MakeMin() }) }},
		{"compat/bytespool.New", func(call func(func())) { call(func() { compat.New(100) }) }},
		{"compat/bytespool.New64", func(call func(func())) { call(func() { compat.New64(100) }) }},
		{"compat/bytespool.NewBytes", func(call func(func())) { call(func() { compat.NewBytes([]byte("content")) }) }},
		{"compat/bytespool.NewMax", func(call func(func())) { call(func() { compat.NewMax() }) }},
		{"compat/bytespool.NewMin", func(call func(func())) { call(func() { compat.NewMin() }) }},
		{"compat/bytespool.NewString", func(call func(func())) { call(func() { compat.NewString("content") }) }},
		{"compat/bytespool.Put", func(call func(func())) { b := b(); call(func() { compat.Put(b) }) }},
		{"compat/bytespool.Release", func(call func(func())) { b := b(); call(func() { compat.Release(b) }) }},

		{"compat/bytespool/buffer.Clone", func(call func(func())) { buf := buf(); call(func() { compatbuffer.Clone(buf) }) }},
		{"compat/bytespool/buffer.Get", func(call func(func())) { call(func() { compatbuffer.Get(100) }) }},
		{"compat/bytespool/buffer.GetReader", func(call func(func())) { call(func() { compatbuffer.GetReader(nil) }) }},
		{"compat/bytespool/buffer.Make", func(call func(func())) { call(func() { compatbuffer.Make(100) }) }},
		{"compat/bytespool/buffer.Make64", func(call func(func())) { call(func() { compatbuffer.Make64(100) }) }},
		{"compat/bytespool/buffer.MakeMax", func(call func(func())) { call(func() { compatbuffer.MakeMax() }) }},
		{"compat/bytespool/buffer.MakeMin", func(call func(func())) { call(func() { compatbuffer.MakeMin() }) }},
		{"compat/bytespool/buffer.New", func(call func(func())) { call(func() { compatbuffer.New(100) }) }},
		{"compat/bytespool/buffer.NewBuffer", func(call func(func())) { call(func() { compatbuffer.NewBuffer(nil) }) }},
		{"compat/bytespool/buffer.NewBytes", func(call func(func())) { call(func() { compatbuffer.NewBytes([]byte("content")) }) }},
		{"compat/bytespool/buffer.NewString", func(call func(func())) { call(func() { compatbuffer.NewString("content") }) }},
		{"compat/bytespool/buffer.Put", func(call func(func())) { buf := buf(); call(func() { compatbuffer.Put(buf) }) }},
		{"compat/bytespool/buffer.PutReader", func(call func(func())) { r := compatbuffer.GetReader(nil); call(func() { compatbuffer.PutReader(r) }) }},
		{"compat/bytespool/buffer.Release", func(call func(func())) { buf := buf(); call(func() { compatbuffer.Release(buf) }) }},
	}
}

// TestStacksBeginAtTheUsersCall sees that whatever a function of octet records
// begins at that function, and goes on with who called it.
func TestStacksBeginAtTheUsersCall(t *testing.T) {
	testenv.Quietly(t) // or what is lost is collected, with its record
	found := checktest.Start(t, check.Config{Mode: check.Full})
	record := func(f func()) [][]uintptr {
		then, n := check.Now(), len(found())
		f()
		stacks := check.StacksSince(then)
		for _, r := range found()[n:] {
			if len(r.Now) > 0 { // not what the collector finds, or quarantine
				stacks = append(stacks, r.Now)
			}
		}
		return stacks
	}
	names := []string{"compat/bytespool.Bytes"} // which uses no pool
	for _, e := range functions() {
		var stacks [][]uintptr
		e.use(func(f func()) { stacks = record(f) })
		if len(stacks) == 0 {
			t.Errorf("%s records nothing", e.name)
		}
		checkStacks(t, e.name, stacks)
		names = append(names, e.name)
	}
	for _, pkg := range []string{"bytespool", "bytespool/buffer", "compat/bytespool", "compat/bytespool/buffer"} {
		for _, name := range memoryFunctions(t, pkg) {
			if !slices.Contains(names, name) {
				t.Errorf("%s is missing in functions", name)
			}
		}
	}

	// Methods are called by reflection, so that none is left out, on what is in use
	// and then again on what was released.
	recorded := make(map[string]bool)
	for _, make := range []func() any{
		func() any { return bytespool.NewPool(bytespool.WithSizes(16, 1<<16)) },
		func() any { return bytespool.NewBufPool(100) },
		func() any { return withContent() },
		func() any { return compatbuffer.NewString("content") },
	} {
		for i := range reflect.TypeOf(make()).NumMethod() {
			x := make()
			typ := reflect.TypeOf(x).Elem()
			method := reflect.TypeOf(x).Method(i)
			name := strings.TrimPrefix(typ.PkgPath(), octet) + ".(*" + typ.Name() + ")." + method.Name
			args := arguments(x, method.Type)
			call := func() {
				defer func() { recover() }() // what was released may not be as an argument expects
				if method.Type.IsVariadic() {
					method.Func.CallSlice(args)
				} else {
					method.Func.Call(args)
				}
			}
			stacks := record(call)
			isBuffer := true
			switch b := x.(type) {
			case *buffer.Buffer:
				b.Release()
			case *compatbuffer.Buffer:
				b.Release()
			default:
				isBuffer = false
			}
			if isBuffer || !sanitize.Enabled { // which find that the arguments were released
				stacks = append(stacks, record(call)...)
			}
			checkStacks(t, name, stacks)
			recorded[name] = len(stacks) > 0
		}
	}
	const pools, buf, earlier = "bytespool.(*Pool).", "bytespool/buffer.(*Buffer).", "compat/bytespool/buffer.(*Buffer)."
	for _, name := range []string{pools + "New", pools + "Append", pools + "Release", "bytespool.(*BufPool).Get", "bytespool.(*BufPool).Put",
		buf + "Write", buf + "WriteByte", buf + "ReadFrom", buf + "Grow", buf + "Bytes", buf + "ReadByte", buf + "Len", buf + "WriteTo",
		buf + "Release", buf + "Share",
		earlier + "Write", earlier + "Set", earlier + "Grow", earlier + "Release", earlier + "Put", earlier + "PutAll", earlier + "Clone", earlier + "Copy", earlier + "GetReader"} {
		if !recorded[name] {
			t.Errorf("%s records nothing, or is not there", name)
		}
	}
}

func withContent() *buffer.Buffer {
	b := buffer.Get()
	b.WriteString("content")
	return b
}

// checkStacks fails unless the stacks begin at the named function, without another
// one of octet behind it.
func checkStacks(t *testing.T, name string, stacks [][]uintptr) {
	t.Helper()
	for _, pcs := range stacks {
		frames := runtime.CallersFrames(pcs)
		first, _ := frames.Next()
		second, _ := frames.Next()
		test := strings.HasPrefix(second.Function, octet+"internal/check_test.")
		if first.Function != octet+name || !test && !strings.HasPrefix(second.Function, "reflect.") {
			t.Errorf("a stack of %s begins with %s, %s", name, first.Function, second.Function)
		}
	}
}

// arguments returns x and something for each parameter of a method.
func arguments(x any, method reflect.Type) []reflect.Value {
	args := []reflect.Value{reflect.ValueOf(x)}
	for i := 1; i < method.NumIn(); i++ {
		arg := reflect.New(method.In(i)).Elem()
		switch p := arg.Addr().Interface().(type) {
		case *[]byte:
			if pools, ok := x.(*bytespool.Pool); ok && !(method.IsVariadic() && i > 1) {
				*p = pools.New(100)
			} else {
				*p = bytes.Repeat([]byte("x"), 200)
			}
		case *string:
			*p = strings.Repeat("x", 200)
		case *int:
			*p = 5
		case *int64:
			*p = 1
		case *uint64:
			*p = 100
		case *byte:
			*p = 'x'
		case *rune:
			*p = 'é'
		case *io.Reader:
			*p = strings.NewReader(strings.Repeat("x", 200))
		case *io.Writer:
			*p = io.Discard
		}
		args = append(args, arg)
	}
	return args
}

// memoryFunctions returns the names of a package's exported functions that take or
// return slices, Buffers or readers, from the text of the API.
func memoryFunctions(t *testing.T, pkg string) (names []string) {
	t.Helper()
	api, err := os.ReadFile(filepath.Join("..", "..", "api", "octet.txt"))
	if err != nil {
		t.Fatal(err)
	}
	function := regexp.MustCompile(`(?m)^` + pkg + `: func (\w+)\(.*(\[\]byte|\*Buffer|\*bytes\.Reader)`)
	for _, m := range function.FindAllSubmatch(api, -1) {
		names = append(names, pkg+"."+string(m[1]))
	}
	if len(names) == 0 {
		t.Fatalf("package %s has no such function", pkg)
	}
	return names
}
