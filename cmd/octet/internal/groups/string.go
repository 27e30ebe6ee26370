package groups

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/octet-go/octet/bytebuf"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// String measures ways to build a string from pieces and to buffer bytes: with
// bytebuf.Buffer, with bytes.Buffer as a zero value and on an array in the
// stack frame, and with strings.Builder.
func String() contest.Group {
	g := contest.Group{
		Name: "string",
		About: "Op=String builds a string: with one write of that size, or 16 bytes at a time, and String. " +
			"Op=ReadFrom reads into a new buffer.",
	}
	for _, size := range []int{5, 64, 128, 1024} {
		g.Rows = append(g.Rows, stringRow(fmt.Sprintf("op=String/size=%d", size), size, size))
	}
	for _, size := range []int{128, 8192} {
		g.Rows = append(g.Rows, stringRow(fmt.Sprintf("op=String/write=16/size=%d", size), size, 16))
	}
	g.Rows = append(g.Rows, stringReadFrom())
	return g
}

// stringSink makes strings escape from the functions that build them.
var stringSink string

var _ = &stringSink // it is never read otherwise

// stringContestant returns a contestant whose operations share nothing. They are done at eight
// depths of the stack, in turn: the position of a frame relative to cache lines and pages can
// change the time of an operation of a few nanoseconds by half, and should not decide between
// contestants.
func stringContestant(name string, do func(n int)) contest.Contestant {
	return stateless(name, func(n int) {
		for depth := range 8 {
			stringDeeper(depth, (n+depth)/8, do)
		}
	})
}

// stringDeeper uses 40 bytes of stack for each call on amd64, so eight calls
// reach each offset in a cache line.
//
//go:noinline
func stringDeeper(depth, n int, do func(n int)) {
	if depth > 0 {
		stringDeeper(depth-1, n, do)
		return
	}
	do(n)
}

// stringRow measures a string that is built from pieces.
func stringRow(name string, size, piece int) contest.Row {
	s := bytes.Repeat([]byte("x"), piece)
	return contest.Row{
		Name: name,
		Contestants: []contest.Contestant{
			stringContestant("octet/bytebuf", func(n int) {
				for range n {
					b := bytebuf.New()
					for i := 0; i < size; i += len(s) {
						b.Write(s)
					}
					stringSink = b.String()
				}
			}),
			stringContestant("bytes.Buffer", func(n int) {
				for range n {
					var b bytes.Buffer
					for i := 0; i < size; i += len(s) {
						b.Write(s)
					}
					stringSink = b.String()
				}
			}),
			stringContestant("bytes.Buffer on a stack array", func(n int) {
				for range n {
					var a [64]byte
					b := bytes.NewBuffer(a[:0])
					for i := 0; i < size; i += len(s) {
						b.Write(s)
					}
					stringSink = b.String()
				}
			}),
			stringContestant("strings.Builder", func(n int) {
				for range n {
					var b strings.Builder
					for i := 0; i < size; i += len(s) {
						b.Write(s)
					}
					stringSink = b.String()
				}
			}),
		},
	}
}

func stringReadFrom() contest.Row {
	data := make([]byte, 1<<20)
	open := func() io.Reader { return struct{ io.Reader }{bytes.NewReader(data)} } // whose length is not known
	return contest.Row{
		Name: fmt.Sprintf("op=ReadFrom/size=%d", len(data)),
		Contestants: []contest.Contestant{
			stringContestant("octet/bytebuf", func(n int) {
				for range n {
					b := bytebuf.New()
					b.ReadFrom(open())
				}
			}),
			stringContestant("bytes.Buffer", func(n int) {
				for range n {
					var b bytes.Buffer
					b.ReadFrom(open())
				}
			}),
		},
	}
}
