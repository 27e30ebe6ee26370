package migration

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/bytedance/gopkg/lang/mcache"
	"github.com/valyala/bytebufferpool"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	pool "github.com/octet-go/octet/cmd/octet/internal/migration/bufferpool"
	drop "github.com/octet-go/octet/cmd/octet/internal/migration/bytebufferpool"
	compat "github.com/octet-go/octet/compat/bytespool/buffer"
	"github.com/octet-go/octet/internal/engine"
)

// Programs by the heading and the first cell of their row. Each shows first what the
// other package does, and then what octet does.
var programs = map[string]map[string]func(t *testing.T){
	"From bytes.Buffer":           fromBytesBuffer,
	"From bytebufferpool":         fromBytebufferpool,
	"From go-buffer-pool":         fromBufferPool,
	"From a sync.Pool of *[]byte": fromSyncPool,
	"From mcache":                 fromMcache,
}

// Every row of the tables is a program, which shows what the row says.
func TestRows(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/MIGRATION.md")
	if err != nil {
		t.Fatal(err)
	}
	heading, rows := "", make(map[string]bool)
	for line := range strings.Lines(string(text)) {
		if h, ok := strings.CutPrefix(line, "## "); ok {
			heading = strings.TrimSpace(h)
		}
		cells := strings.Split(line, "|")
		if programs[heading] == nil || len(cells) < 5 {
			continue
		}
		row := strings.TrimSpace(cells[1])
		if row == "" || strings.HasPrefix(row, "---") {
			continue
		}
		rows[heading+row] = true
		f := programs[heading][row]
		if f == nil {
			t.Errorf("%s: %s: there is no program", heading, row)
			continue
		}
		t.Run(heading+"/"+row, func(t *testing.T) {
			// Pools keep what they have, and hand out what was released last.
			defer debug.SetGCPercent(debug.SetGCPercent(-1))
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			f(t)
		})
	}
	for heading, list := range programs {
		for row := range list {
			if !rows[heading+row] {
				t.Errorf("%s: %s: there is no such row", heading, row)
			}
		}
	}
}

// same fails unless got is want.
func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// panics returns what f panics with, or nil.
func panics(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// soon calls f until it returns true. A sync.Pool may forget what it is given.
func soon(t *testing.T, what string, f func() bool) {
	t.Helper()
	for range 1000 {
		if f() {
			return
		}
	}
	t.Error("not in 1,000 rounds: " + what)
}

const secret = "a secret of another user"

var fromBytesBuffer = map[string]func(t *testing.T){
	"end of use": func(t *testing.T) {
		b := buffer.Get()
		b.WriteString("content")
		p := b.Bytes()
		b.Release()
		soon(t, "the memory is another user's", func() bool {
			next := buffer.Get()
			next.WriteString(secret[:7])
			defer next.Release()
			return string(p) == secret[:7]
		})
	},
	"`WriteTo`": func(t *testing.T) {
		std := bytes.NewBufferString("text")
		var out strings.Builder
		std.WriteTo(&out)
		std.WriteTo(&out)
		same(t, "bytes.Buffer", out.String(), "text")

		out.Reset()
		b := buffer.Get()
		b.WriteString("text")
		defer b.Release()
		b.WriteTo(&out)
		b.WriteTo(&out)
		same(t, "buffer.Buffer", out.String(), "texttext")
		b.Reset()
		b.WriteTo(&out)
		same(t, "after Reset", out.String(), "texttext")
	},
	"reading": func(t *testing.T) {
		std := bytes.NewBufferString("ab")
		std.ReadByte()
		b := buffer.Get()
		b.WriteString("ab")
		defer b.Release()
		b.ReadByte()
		same(t, "the rest", b.String(), std.String())
		same(t, "B", string(b.B), "ab")
		j, _ := json.Marshal(b)
		same(t, "JSON", string(j), `{"B":"YWI="}`)
	},
	"`io.Reader`": func(t *testing.T) {
		_, std := any(new(bytes.Buffer)).(io.Reader)
		_, ours := any(new(buffer.Buffer)).(io.Reader)
		same(t, "bytes.Buffer", std, true)
		same(t, "buffer.Buffer", ours, false)

		b := buffer.Get()
		b.WriteString("text")
		defer b.Release()
		body := b.Body()
		for _, r := range []io.Reader{bytes.NewReader(b.Bytes()), body} {
			p, _ := io.ReadAll(r)
			same(t, "read", string(p), "text")
		}
		body.Close()
	},
	"body of a request": func(t *testing.T) {
		std, _ := http.NewRequest("POST", "http://localhost", bytes.NewBufferString("text"))
		b := buffer.Get()
		b.WriteString("text")
		defer b.Release()
		body := b.Body()
		defer body.Close()
		req, _ := http.NewRequest("POST", "http://localhost", body)
		same(t, "length before", req.ContentLength, 0)
		req.ContentLength, req.GetBody = body.Size(), body.GetBody
		same(t, "length", req.ContentLength, std.ContentLength)
		again, _ := req.GetBody()
		p, _ := io.ReadAll(again)
		again.Close()
		same(t, "body", string(p), "text")
	},
	"copy of the struct": func(t *testing.T) {
		b := buffer.Get()
		b.WriteString("text")
		defer b.Release()
		share := b.Share()
		same(t, "Share has the same array", &share.B[0] == &b.B[0], true)
		share.Release()
	},
	"`NewBuffer(p)`": func(t *testing.T) {
		p := []byte("content!") // 8 bytes, a class of the pool
		bytes.NewBuffer(p).WriteTo(io.Discard)
		same(t, "with bytes.Buffer", string(p), "content!")

		soon(t, "the memory is another user's", func() bool {
			buffer.NewBuffer(p).Release()
			next := buffer.Make(8)
			next.WriteString(secret[:8])
			defer next.Release()
			return string(p) == secret[:8]
		})
	},
	"`ReadFrom` of a Reader that returns a negative count": func(t *testing.T) {
		r := readerFunc(func([]byte) (int, error) { return -1, nil })
		same(t, "bytes.Buffer panics", panics(func() { new(bytes.Buffer).ReadFrom(r) }) != nil, true)
		_, err := new(buffer.Buffer).ReadFrom(r)
		same(t, "buffer.Buffer returns an error", err != nil, true)
	},
	"more than 2 GiB": func(t *testing.T) {
		same(t, "Make64", panics(func() { compat.Make64(1 << 31) }), any(buffer.ErrTooLarge))
		same(t, "Grow", panics(func() { new(buffer.Buffer).Grow(math.MaxInt) }), any(buffer.ErrTooLarge))
	},
	"`String` of nil": func(t *testing.T) {
		same(t, "bytes.Buffer", (*bytes.Buffer)(nil).String(), "<nil>")
		same(t, "buffer.Buffer", (*buffer.Buffer)(nil).String(), "")
	},
}

var fromBytebufferpool = map[string]func(t *testing.T){
	"`Put` twice": func(t *testing.T) {
		soon(t, "bytebufferpool gives a buffer to two users", func() bool {
			b := bytebufferpool.Get()
			bytebufferpool.Put(b)
			bytebufferpool.Put(b) //poolcheck:ignore OCT003 the row shows it
			first, second := bytebufferpool.Get(), bytebufferpool.Get()
			return first == second
		})
		for range 1000 {
			b := buffer.Get()
			b.Release()
			b.Release() //poolcheck:ignore OCT003 the row shows it
			x, y := buffer.Get(), buffer.Get()
			if x == y {
				t.Fatal("buffer gives a buffer to two users")
			}
			x.Release()
			y.Release()
		}
	},
	"several owners": func(t *testing.T) {
		b := buffer.Get()
		b.WriteString("text")
		b.RefInc()
		b.Release()
		same(t, "content", b.String(), "text")
		b.Release()
	},
	"growth": func(t *testing.T) {
		old := bytebufferpool.ByteBuffer{B: make([]byte, 64)}
		before := old.B
		old.Write(make([]byte, 100))
		same(t, "bytebufferpool has the old array", len(before), 64)

		var held []*buffer.Buffer // until the pool lends no larger ones
		soon(t, "another user has the old array", func() bool {
			b := buffer.Make(1000)
			before := b.B[:1]
			b.Write(make([]byte, 2000))
			other := buffer.Make(1000)
			held = append(held, b, other)
			return &other.B[:1][0] == &before[0]
		})
		for _, b := range held {
			b.Release()
		}
		for range 100 {
			b := buffer.Make(64)
			before := b.B[:1]
			b.RefInc()
			b.Write(make([]byte, 100))
			b.Release()
			other := buffer.Make(64)
			same(t, "another user has the array of a Buffer with a reference", &other.B[:1][0] == &before[0], false)
			other.Release()
			b.Release()
		}
	},
	"pools": func(t *testing.T) {
		var images, texts bytebufferpool.Pool
		images.Put(texts.Get())

		p := bytespool.NewPool(bytespool.WithSizes(64, 1024), bytespool.WithName("texts"))
		own := buffer.NewPool(p)
		b := own.Get()
		same(t, "in use", p.Stats().InUse, 1)
		b.Release()
	},
	"size of a new buffer": func(t *testing.T) {
		use := func(put func(), rounds int) {
			for range rounds {
				put()
			}
		}
		var p bytebufferpool.Pool
		use(func() { b := p.Get(); b.Write(make([]byte, 5000)); p.Put(b) }, 100)
		runtime.GC()
		runtime.GC()
		same(t, "bytebufferpool after 100 uses", cap(p.Get().B), 0)

		own := buffer.NewPool(bytespool.NewPool(bytespool.WithSizes(64, 1<<20)))
		use(func() { b := own.Get(); b.Write(make([]byte, 5000)); b.Release() }, 1)
		soon(t, "Get returns a large buffer", func() bool {
			b := own.Get()
			large := b.Cap() >= 5000
			b.Write(make([]byte, 5000))
			b.Release()
			return large
		})
	},
	"large buffers": func(t *testing.T) {
		soon(t, "bytebufferpool keeps 5 MiB", func() bool {
			b := &bytebufferpool.ByteBuffer{B: make([]byte, 5<<20)}
			var p bytebufferpool.Pool
			p.Put(b)
			return cap(p.Get().B) == 5<<20
		})
		p := bytespool.NewPool()
		same(t, "buffer keeps 64 MiB", engine.Of(p).Release(p.New(64<<20)), true)
		same(t, "buffer keeps 256 MiB", engine.Of(p).Release(p.New(256<<20)), false)
	},
	"`String` of nil": func(t *testing.T) {
		same(t, "bytebufferpool panics", panics(func() { _ = (*bytebufferpool.ByteBuffer)(nil).String() }) != nil, true)
		same(t, "buffer", (*buffer.Buffer)(nil).String(), "")
	},
}

// What go-buffer-pool does is from its documentation.
var fromBufferPool = map[string]func(t *testing.T){
	"a new `BufferPool`": func(t *testing.T) {
		same(t, "it panics", panics(func() { new(pool.BufferPool).Put(make([]byte, 64)) }) != nil, true)
	},
	"`Get(0)`": func(t *testing.T) {
		b := pool.Get(0)
		same(t, "length", len(b), 0)
		same(t, "nil", b == nil, false)
		pool.Put(b)
	},
	"`Get(-1)`": func(t *testing.T) { same(t, "length", len(pool.Get(-1)), 0) },
	"above 4 MiB": func(t *testing.T) {
		same(t, "kept", engine.Of(bytespool.Default()).Release(pool.Get(5<<20)), false)
	},
	"`Buffer`": func(t *testing.T) {
		b := pool.NewBufferString("text")
		b.WriteString(" and more")
		p := make([]byte, 100)
		n, _ := b.Read(p)
		same(t, "read", string(p[:n]), "text and more")
	},
	"content of a `Buffer` made of p": func(t *testing.T) {
		p := []byte("text")
		b := pool.NewBuffer(p)
		p[0] = 'n'
		same(t, "content", b.String(), "text")
	},
}

// The page shows the files that stand in for other packages as they are.
func TestFiles(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/MIGRATION.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bytebufferpool/bytebufferpool.go", "bufferpool/pool.go"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), "```go\n"+string(text)+"```\n") {
			t.Errorf("docs/MIGRATION.md does not show %s", name)
		}
	}
}

// Pools and functions of the two packages that the rows do not use.
func TestStandIns(t *testing.T) {
	var buffers drop.Pool
	for _, b := range []*drop.ByteBuffer{drop.Get(), buffers.Get()} {
		b.WriteString("text")
		same(t, "content", b.String(), "text")
		drop.Put(b)
	}
	buffers.Put(buffers.Get())
	b := pool.GlobalPool.Get(100)
	same(t, "length", len(b), 100)
	pool.GlobalPool.Put(b)
}

var fromSyncPool = map[string]func(t *testing.T){
	"pooled values": func(t *testing.T) {
		p := sync.Pool{New: func() any { b := make([]byte, 100); return &b }}
		b := p.Get().(*[]byte)
		p.Put(b)

		ours := bytespool.New(100)
		same(t, "kept", engine.Of(bytespool.Default()).Release(ours), true)
		pointers := bytespool.NewPointerPool(bytespool.Default())
		q := pointers.Get(100)
		same(t, "length", len(*q), 100)
		pointers.Put(q)
	},
	"length": func(t *testing.T) {
		soon(t, "the last user's length", func() bool {
			var p sync.Pool
			b := make([]byte, 7, 100)
			p.Put(&b)
			got, ok := p.Get().(*[]byte)
			return ok && len(*got) == 7
		})
		bytespool.Release(make([]byte, 7, 128))
		same(t, "New", len(bytespool.New(100)), 100)
	},
	"too small": func(t *testing.T) {
		for _, n := range []int{1, 100, 1 << 20, 5 << 20} {
			b := bytespool.New(n)
			same(t, "length", len(b), n)
			bytespool.Release(b)
		}
	},
	"content": func(t *testing.T) {
		soon(t, "old bytes", func() bool {
			bytespool.Release(append(bytespool.Make(len(secret)), secret...))
			b := bytespool.New(len(secret))
			defer bytespool.Release(b)
			return string(b) == secret
		})
		b := append(bytespool.Make(100), "mine"...)
		same(t, "Make", string(b), "mine")
		bytespool.Release(b)
	},
	"arrays, such as `*[65535]byte`": func(t *testing.T) {
		soon(t, "the array itself", func() bool {
			var p sync.Pool
			a := new([65535]byte)
			p.Put(a)
			return p.Get() == any(a)
		})
		p := bytespool.NewPool(bytespool.WithSizes(64, 65535), bytespool.WithExactMax())
		a := (*[65535]byte)(p.New(65535))
		same(t, "kept", engine.Of(p).Release(a[:]), true)
		same(t, "the same array comes back", (*[65535]byte)(p.New(65535)) == a, true)
	},
	"growth": func(t *testing.T) {
		p := bytespool.NewPool(bytespool.WithSizes(2, 1024))
		b := p.New(16)
		b = p.Append(b, 1)
		s := p.Stats()
		same(t, "in use: the new array alone", s.InUseBytes, int64(cap(b)))
		p.Release(b)
	},
	"the front is cut off, `b = b[4:]`, and the rest released": func(t *testing.T) {
		soon(t, "the next user gets the rest", func() bool {
			var p sync.Pool
			b := make([]byte, 100)
			b = b[4:]
			p.Put(&b)
			got, ok := p.Get().(*[]byte)
			return ok && cap(*got) == 96
		})
		p := bytespool.NewPool(bytespool.WithSizes(2, 1024))
		b := p.New(128)
		same(t, "the rest is kept", engine.Of(p).Release(b[4:]), false) //poolcheck:ignore OCT006 the row shows it
		same(t, "counted", p.Stats().Dropped.FrontCut, 1)

		packets := buffer.NewPool(p)
		b = p.New(128)
		packet := packets.NewBuffer(b)
		same(t, "the header", len(packet.Next(4)), 4)
		packet.Release()
		same(t, "in use", p.Stats().InUse, 0)
	},
	"the end is cut off, `b[:4:4]`, and the rest released": func(t *testing.T) {
		p := bytespool.NewPool(bytespool.WithSizes(2, 1024))
		b := p.New(128)
		same(t, "kept", engine.Of(p).Release(b[:4:4]), true) //poolcheck:ignore OCT006 the row shows it
		same(t, "it is a smaller slice", &p.New(4)[0] == &b[0], true)
	},
	"kept for good": func(t *testing.T) {
		p := bytespool.NewPool(bytespool.WithSizes(2, 1024))
		b := p.New(128)
		p.Abandon(b)
		s := p.Stats()
		same(t, "in use", s.InUse, 0)
		same(t, "counted", s.Dropped.Abandoned, 1)
	},
	"large slices": func(t *testing.T) {
		p := bytespool.NewPool(bytespool.WithSizes(2, 1024))
		same(t, "kept", engine.Of(p).Release(p.New(1025)), false)
	},
	"nil is released": func(t *testing.T) {
		soon(t, "the next user gets nil", func() bool {
			var p sync.Pool
			p.Put((*[]byte)(nil))
			got, ok := p.Get().(*[]byte)
			return ok && got == nil
		})
		same(t, "kept", engine.Of(bytespool.Default()).Release(nil), false)
	},
}

var fromMcache = map[string]func(t *testing.T){
	"`Malloc(n)`": func(t *testing.T) {
		p := bytespool.NewPool() // in which nothing has grown
		for _, n := range []int{1, 2, 100, 128, 129} {
			theirs, ours := mcache.Malloc(n), p.New(n)
			same(t, "length", len(ours), len(theirs))
			same(t, "capacity", cap(ours), max(cap(theirs), 2))
			p.Release(ours)
		}
		for range 2 {
			p.Release(append(p.New(100), make([]byte, 400)...))
		}
		if b := p.New(100); cap(b) < 500 {
			t.Errorf("slices grow to 500 bytes, and New(100) has %d", cap(b))
		}
	},
	"`Malloc(n, c)`": func(t *testing.T) {
		theirs, ours := mcache.Malloc(10, 100), bytespool.Make(100)[:10]
		same(t, "length", len(ours), len(theirs))
		same(t, "capacity is enough", cap(ours) >= cap(theirs), true)
		bytespool.Release(ours)
	},
	"`Free(b)`": func(t *testing.T) {
		mcache.Free(mcache.Malloc(100))
		same(t, "kept", engine.Of(bytespool.Default()).Release(bytespool.New(100)), true)
		same(t, "kept", engine.Of(bytespool.Default()).Release(make([]byte, 16<<20)), false)
	},
	"capacity is no power of two": func(t *testing.T) {
		b := make([]byte, 100)
		for range 100 {
			mcache.Free(b)
			same(t, "mcache hands it out", &mcache.Malloc(64)[0] == &b[0], false)
		}
		p := bytespool.NewPool(bytespool.WithSizes(2, 1024))
		same(t, "kept", engine.Of(p).Release(b), true)
		same(t, "handed out as a smaller one", &p.New(64)[0] == &b[0], true)
	},
	"above 64 MiB": func(t *testing.T) {
		soon(t, "mcache hands it out again", func() bool {
			b := mcache.Malloc(256 << 20)
			mcache.Free(b)
			return &mcache.Malloc(256 << 20)[0] == &b[0]
		})
		p := bytespool.NewPool()
		same(t, "kept", engine.Of(p).Release(p.New(256<<20)), false)
		p = bytespool.NewPool(bytespool.WithSizes(2, 1<<30))
		same(t, "kept by a larger pool", engine.Of(p).Release(p.New(256<<20)), true)
	},
	"negative size": func(t *testing.T) {
		same(t, "mcache panics", panics(func() { mcache.Malloc(-1) }) != nil, true)
		same(t, "length", len(bytespool.New(-1)), 0)
	},
	"freed memory that nobody uses": func(t *testing.T) {
		b := mcache.Malloc(1 << 20)
		mcache.Free(b)
		runtime.GC()
		runtime.GC()
		same(t, "mcache has it after two collections", &mcache.Malloc(1 << 20)[0] == &b[0], false)

		p := bytespool.NewPool(bytespool.WithSizes(2, 1<<20))
		ours := p.New(1 << 20)
		p.Release(ours)
		runtime.GC()
		runtime.GC()
		same(t, "bytespool has it", p.Stats().IdleBytes, 1<<20)
		p.Trim()
		same(t, "idle after Trim", p.Stats().IdleBytes, 0)
	},
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
