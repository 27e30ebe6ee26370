// Command built misuses a pool in the way that its argument names, or uses pools rightly in many ways, and
// prints what came of it.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
)

var buffers = sync.Pool{New: func() any { return bytes.NewBuffer(make([]byte, 0, 64)) }}

type state struct {
	bytes.Buffer
	n int
}

var states = sync.Pool{New: func() any { return new(state) }}

func late(s string) []byte {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	b.WriteString(s)
	return b.Bytes()
}

func read() string { return string(late("read after Put")) }

func write() string {
	s := states.Get().(*state)
	states.Put(s)
	s.n++
	return "written"
}

func double() string {
	s := states.Get().(*state)
	states.Put(s)
	states.Put(s)
	return "twice"
}

// early puts often in one place, and nothing that was put before.
func early() string {
	for range 10_000 {
		states.Put(new(state))
	}
	os.Exit(0)
	return ""
}

var (
	slices   = sync.Pool{New: func() any { return make([]byte, 0, 64) }}
	boxes    = sync.Pool{New: func() any { b := make([]byte, 512); return &b }}
	pointers sync.Pool // of pointers that have carried a slice of boxes
	lines    = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 64) }}
	arrays   = sync.Pool{New: func() any { return new([64]byte) }}
	tables   = sync.Pool{New: func() any { return &table{rows: rows} }}
	parts    = sync.Pool{New: func() any { return newPart() }}
	rows     = bytes.Repeat([]byte("r"), 64)
)

// A table shares its rows with all others.
type table struct {
	rows []byte
	n    int
}

// A part has two slices of one array.
type part struct{ whole, rest []byte }

func newPart() *part {
	p := &part{whole: make([]byte, 64)}
	p.rest = p.whole[32:]
	return p
}

// right does what is allowed.
func right() string {
	var all strings.Builder
	var mu sync.Mutex
	var group sync.WaitGroup
	for k := range 4 {
		group.Go(func() {
			sum := 0
			for i := range 500 {
				text := fmt.Sprintf("%d, %d, %s", k, i, strings.Repeat("x", i%200))

				b := buffers.Get().(*bytes.Buffer)
				b.Reset()
				b.WriteString(text) // which may grow it
				s := b.String()
				buffers.Put(b)

				d := buffers.Get().(*bytes.Buffer) // which nobody puts back
				d.Reset()
				d.WriteString(text[:4])
				mine := d.Bytes()

				g := buffers.Get().(*bytes.Buffer) // which moves, and leaves its array to somebody
				g.Reset()
				g.WriteString(text[:4])
				old := g.Bytes()
				g.WriteString(strings.Repeat("y", 2*g.Cap()))
				buffers.Put(g)
				if i%50 == 0 {
					runtime.GC()
				}
				if string(mine) != text[:4] || string(old) != text[:4] {
					panic("bytes that are somebody's have changed")
				}

				p := slices.Get().([]byte)
				p = append(p[:0], text...)
				sum += len(string(p))
				slices.Put(p[:0])

				box := boxes.Get().(*[]byte)
				n := copy((*box)[100:], text)
				sum += bytes.Count((*box)[100:100+n], []byte("x"))
				if cap(*box) == 512 {
					boxes.Put(box)
				}

				carrier := boxes.Get().(*[]byte)
				carried := *carrier
				pointers.Put(carrier) // which leads to carried still
				carried[0] = byte(i)
				carrier, _ = pointers.Get().(*[]byte)
				if carrier == nil {
					carrier = new([]byte)
				}
				*carrier = carried
				boxes.Put(carrier)

				var out bytes.Buffer
				w := lines.Get().(*bufio.Writer)
				w.Reset(&out)
				w.WriteString(text)
				w.Flush()
				w.Reset(nil)
				lines.Put(w)

				a := arrays.Get().(*[64]byte)
				a[i%64] = 1
				arrays.Put(a)

				t := tables.Get().(*table)
				sum += bytes.Count(t.rows, []byte("r"))
				tables.Put(t)

				x := parts.Get().(*part)
				x.rest[0] = byte(i)
				if x.whole[32] != byte(i) {
					panic("the slices of a part are not of one array")
				}
				parts.Put(x)

				if s != text || out.String() != text {
					panic(s)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintln(&all, sum)
		})
	}
	group.Wait()
	return fmt.Sprint(len(strings.Fields(all.String())), " sums")
}

func main() {
	f := map[string]func() string{"read": read, "write": write, "double": double, "early": early, "right": right}[os.Args[1]]
	fmt.Println(f())
}
