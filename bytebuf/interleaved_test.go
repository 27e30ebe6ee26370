//go:build octet_interleave && !octet_purego

package bytebuf

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/octet-go/octet/internal/interleave"
)

// An outcome is a buffer, and what the threads of a run got from it.
type outcome struct {
	b       Buffer
	slices  [][]byte // of b
	strings []string // of b and of copies of it
	wants   []string // what they should be
}

const before = "0123456789012345678901234567890123456789012345678901234567890123456789"

func (o *outcome) took(s, want string) {
	o.strings, o.wants = append(o.strings, s), append(o.wants, want)
}

// check checks the outcome, and again after writing to all slices, which must change the
// buffer but no string.
func (o *outcome) check() error {
	for _, p := range o.slices {
		if unsafe.SliceData(p) != unsafe.SliceData(o.slices[0]) {
			return fmt.Errorf("two slices of one buffer have different arrays")
		}
	}
	o.took(o.b.String(), before)
	for i, s := range o.strings {
		if s != o.wants[i] {
			return fmt.Errorf("got %q, want %q", s, o.wants[i])
		}
		o.wants[i] = strings.Clone(s)
	}
	if o.slices = append(o.slices, o.b.Bytes()); unsafe.SliceData(o.slices[0]) != unsafe.SliceData(o.b.Bytes()) {
		return fmt.Errorf("a slice is not that of the buffer")
	}
	for _, p := range o.slices {
		for i := range p[:cap(p)] {
			p[:cap(p)][i] = '!'
		}
	}
	for i, s := range o.strings {
		if s != o.wants[i] {
			return fmt.Errorf("a string changed from %q to %q", o.wants[i], s)
		}
	}
	if s := o.b.String(); strings.Trim(s, "!") != "" {
		return fmt.Errorf("the buffer has %q after a change through its slice", s)
	}
	return nil
}

// appendTo appends to a copy of the buffer and takes its string twice.
func (o *outcome) appendTo(c Buffer, s string) {
	c.WriteString(s)
	o.took(c.String(), before+s)
	o.took(c.String(), before+s)
}

// What a thread does while the others look.
var threads = []struct {
	name string
	do   func(o *outcome)
}{
	{"Bytes", func(o *outcome) { o.slices = append(o.slices, o.b.Bytes()) }},
	{"String", func(o *outcome) { o.took(o.b.String(), before) }},
	{"copy and append", func(o *outcome) {
		interleave.Step()
		o.appendTo(o.b, "appended")
	}},
	{"Bytes, copy and append", func(o *outcome) {
		o.slices = append(o.slices, o.b.Bytes())
		interleave.Step()
		o.appendTo(o.b, "appended")
	}},
}

// Who uses the array of the buffer when the threads start.
var beginnings = []struct {
	name string
	do   func(o *outcome)
}{
	{"unlent", func(o *outcome) {}},
	{"lent", func(o *outcome) { o.took(o.b.String(), before) }},
	{"out", func(o *outcome) { o.slices = append(o.slices, o.b.Bytes()) }},
	{"lent to a copy that is longer", func(o *outcome) { o.appendTo(o.b, "longer") }},
	{"lent, and a copy moved", func(o *outcome) {
		o.took(o.b.String(), before)
		c := o.b
		c.Bytes()[0] = '?'
	}},
}

// TestInterleaved explores all interleavings of three threads, of which at most one
// appends to a copy of the buffer: all combinations, from all beginnings.
func TestInterleaved(t *testing.T) {
	total := 0
	for _, begin := range beginnings {
		for i := range threads {
			for j := range min(i, 1) + 1 { // the others look
				for k := range j + 1 {
					runs, err := interleave.Explore(func() interleave.Program {
						o := new(outcome)
						o.b.Grow(100)
						o.b.WriteString(before)
						begin.do(o)
						var p interleave.Program
						for _, c := range [...]int{i, j, k} {
							p.Threads = append(p.Threads, func() { threads[c].do(o) })
						}
						p.Check = o.check
						return p
					})
					if total += runs; err != nil {
						t.Fatalf("%s; %s, %s, %s: %v", begin.name, threads[i].name, threads[j].name, threads[k].name, err)
					}
				}
			}
		}
	}
	t.Logf("%d runs", total)
}
