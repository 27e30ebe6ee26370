// Command misuse does what its argument names with guarded memory, for the tests
// of package postmortem.
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"
	"unsafe"

	"github.com/octet-go/octet/internal/guard"
)

//go:noinline
func use(byte) {}

// excess is how much larger slices are than reports say.
var excess int

//go:noinline
func acquire(n int) []byte {
	pcs := make([]uintptr, 20)
	b, ok := guard.Alloc(n+excess, n, "a pool", pcs[:runtime.Callers(1, pcs)])
	if !ok {
		panic("Alloc refused")
	}
	return b
}

//go:noinline
func release(b []byte) {
	pcs := make([]uintptr, 20)
	guard.Free(b, pcs[:runtime.Callers(1, pcs)])
}

//go:noinline
func misuse(f func()) { f() }

// behind returns the byte that is i bytes past the end.
func behind(b []byte, i int) *byte {
	return (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), len(b)+i))
}

func freed(n int) []byte {
	b := acquire(n)
	b[0] = 1
	release(b)
	return b
}

var actions = map[string]func(){
	"exit": func() { freed(4096) },
	"code": func() { freed(4096); os.Exit(7) },
	"panic": func() {
		freed(4096)
		panic("as usual")
	},
	"nil": func() {
		freed(4096)
		var p *[10]byte
		misuse(func() { use(p[3]) })
	},
	"elsewhere": func() {
		freed(4096)
		b, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err != nil {
			panic(err)
		}
		misuse(func() { use(b[0]) })
	},
	"read": func() {
		b := freed(4096)
		misuse(func() { use(b[17]) })
	},
	"sampled": func() {
		excess = 40
		b := freed(4096)
		misuse(func() { use(b[17]) })
	},
	"write": func() {
		b := freed(100)
		misuse(func() { b[17] = 1 })
	},
	"large": func() {
		b := freed(3 << 20)
		misuse(func() { b[2<<20] = 1 })
	},
	"overrun": func() {
		b := acquire(4096)
		misuse(func() { *behind(b, 4) = 1 })
	},
	"overrun-freed": func() {
		b := freed(4096)
		misuse(func() { *behind(b, 0) = 1 })
	},
	"goroutine": func() {
		b := freed(4096)
		done := make(chan bool)
		go func() {
			misuse(func() { b[0] = 1 })
			close(done)
		}()
		<-done
	},
	"IndexByte": func() {
		b := freed(4096)
		misuse(func() { use(byte(bytes.IndexByte(b, 'x'))) })
	},
	"chdir": func() {
		b := freed(4096)
		if err := os.Chdir(os.TempDir()); err != nil {
			panic(err)
		}
		os.Stdin.Close()
		misuse(func() { b[0] = 1 })
	},
	"many": func() {
		// The crash text is long, and much was freed since.
		for range 1000 {
			go func() { select {} }()
		}
		b := freed(4096)
		for range 1000 { // fewer than make the address come back where it may
			release(acquire(1))
		}
		debug.SetTraceback("all")
		misuse(func() { b[0] = 1 })
	},
	"panic-on-fault": func() {
		b := freed(4096)
		debug.SetPanicOnFault(true)
		misuse(func() { b[0] = 1 })
	},
	"recovered": func() {
		b := freed(4096)
		debug.SetPanicOnFault(true)
		defer func() { fmt.Println(recover() != nil) }()
		misuse(func() { b[0] = 1 })
	},
	"wait": func() {
		fmt.Println("ready")
		time.Sleep(time.Hour)
	},
	"inherited": func() {
		// The test waits for the last who has this file.
		if err := syscall.Close(4); err != nil {
			panic(err)
		}
		time.Sleep(time.Hour)
	},
	"interrupted": func() {
		// As from a terminal.
		got := make(chan os.Signal, 1)
		signal.Notify(got, syscall.SIGINT)
		if err := syscall.Kill(0, syscall.SIGINT); err != nil {
			panic(err)
		}
		<-got
		b := freed(4096)
		misuse(func() { b[0] = 1 })
	},
}

func main() {
	reporterErr, err := guard.Start(0)
	if err != nil {
		fmt.Fprintln(os.Stderr, "start:", err)
		os.Exit(3)
	}
	if reporterErr != nil {
		fmt.Fprintln(os.Stderr, "reporter:", reporterErr)
	}
	actions[os.Args[1]]()
}
