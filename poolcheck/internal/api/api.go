// Package api says what functions do with pooled memory: which ones hand it
// out, take it back, show it under another name, keep it, or grow it. It holds
// the rows for the packages that poolcheck knows from the start, the rows for
// the standard library, and the parser of the rows that users add.
package api

import "strings"

// An Op is one thing that a function does to one argument or result.
type Op uint8

const (
	Acquire  Op = iota // result Res is memory that the caller releases
	Release            // argument Arg goes back to its pool
	Whole              // result Res is argument Arg, from its first byte on, or an error around it
	Part               // result Res is a part of argument Arg that begins later
	View               // result Res shows the memory of argument Arg
	Keep               // argument Arg is kept beyond the call
	Consume            // argument Arg is gone; the memory lives on in result Res
	Disown             // argument Arg need not be released any more
	Share              // argument Arg has one more owner
	ShareAny           // argument Arg has an unknown number of owners
	Spawn              // argument Arg, a function, runs beside the caller
	NonNil             // result Res is not nil, unless argument Arg is a number that may be 0, such as codes.OK
	Nil                // result Res, an error, is nil
	Sound              // result Res, an error, can only come from argument Arg, or from that of another Sound
	NoReturn           // the function does not return
	Opaque             // nothing is known of argument Arg
	Mention            // argument Arg is neither read nor written
	Reset              // argument Arg shows other memory from now on
	Window             // result Res shows what argument Arg has in its buffer, until the next Turn
	Attach             // argument Arg reads from or writes to the argument behind it from now on
	Send               // another goroutine is given argument Arg
	Turn               // argument Arg writes to its buffer: what it has shown is over
)

// An Effect is an Op with its places. Arguments count from 0, the receiver
// first.
type Effect struct {
	Op       Op
	Arg, Res int
}

// A Func describes one function.
type Func struct {
	Effects []Effect
	Family  Family
	Default bool // the pool is the package's own
}

// A Family is a set of pools whose memory may go from one to the other only
// where the pools are the same. It is a value, and what is known of a function of
// another package has it whole: there is no list of families. The zero Family is none.
type Family struct {
	Name string
	// Counted says that somebody counts what is in use, by a limit, a count of references or the check of an
	// allocator. Where nobody does, the collector takes what is not released, often on purpose.
	Counted bool
	// More says that the packages of the pools do more than pooling, so that of their other functions nothing is known.
	More bool
	// Put and Method say how a deferred release is written: as a function of
	// the package or pool that the memory came from, or as a method of the
	// memory itself.
	Put, Method string
}

// The families known from the start.
var (
	Slices     = Family{Name: "bytespool", Counted: true, Put: "Release"}
	BufPools   = Family{Name: "bytespool.BufPool", Counted: true, Put: "Put"}
	Buffers    = Family{Name: "buffer", Counted: true, Method: "Release"}
	SyncPool   = Family{Name: "sync.Pool"}
	ByteBuffer = Family{Name: "bytebufferpool"}
	Mcache     = Family{Name: "mcache"}
	Proxy      = Family{Name: "httputil.BufferPool"}
	Libp2p     = Family{Name: "go-buffer-pool"}
	Bpool      = Family{Name: "bpool"}
	GrpcPool   = Family{Name: "grpc/mem.BufferPool"}
	GrpcBuffer = Family{Name: "grpc/mem", Counted: true, Method: "Free"}
	Arrow      = Family{Name: "arrow/memory", Counted: true}
	ZapBuffer  = Family{Name: "zap/buffer", Method: "Free"}
	Fasthttp   = Family{Name: "fasthttp", More: true}
	Pbytes     = Family{Name: "gobwas/pool"}
	Frp        = Family{Name: "fatedier/golib/pool"}
	User       = Family{Name: "user", Counted: true, More: true}
	// Windows are what a decoder shows of its buffer.
	Windows = Family{Name: "binary.StreamDecoder"}
	// Owner are structs that have pooled memory, and a method that releases it.
	Owner = Family{Name: "owner"}
)

// Table maps the full name of a function, as go/types prints it, to what it
// does.
type Table map[string]*Func

// New returns a table of the packages that poolcheck knows from the start.
func New() Table {
	t := make(Table)
	t.addPools()
	t.addBinary()
	t.addStandard()
	return t
}

// Packages returns the import paths of the packages, other than those of the
// standard library, whose functions the table names. Those that are nothing but
// pools are mapped to true: their other functions borrow.
func (t Table) Packages() map[string]bool {
	paths := make(map[string]bool)
	for name, f := range t {
		if path := PackageOf(name); !Standard(path) {
			paths[path] = paths[path] || !f.Family.More
		}
	}
	return paths
}

// PackageOf returns the import path in a full name such as "(*a/b.T).M".
func PackageOf(name string) string {
	name = strings.TrimLeft(name, "(*")
	slash := strings.LastIndexByte(name, '/')
	dot := strings.IndexByte(name[slash+1:], '.')
	if dot < 0 {
		return name
	}
	return name[:slash+1+dot]
}
