//lint:file-ignore SA1019 programs written for the earlier package misuse memory by these names

package main

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/octet-go/octet/bytespool"
)

var oct008 = class{
	code:  "OCT008",
	title: "grown and lost",
	kinds: []kind{
		{
			what: "the built-in append moves the content, the pooled array is lost",
			found: found{
				sample: logged(neverReleased).given(sampledCollected),
				full:   logged(neverReleased).given(whenCollected),
			},
			programs: []program{
				{appendGrows, "append, and the result is released"},
				{calleeAppends, "a callee appends and returns the result"},
				{formatted, "fmt.Appendf grows"},
			},
		},
		{
			what: "the built-in append moves the content, the old slice is written",
			programs: []program{
				{lengthInOldSlice, "the length of a frame is put in front of the content that append has moved away"},
			},
		},
		{
			what: "a callee grows the slice by bytespool.Append, its caller releases the old one",
			found: found{
				sample: logged(releasedTwice).given(sampled).and(neverReleased),
				full:   panicked(releasedTwice),
				guard:  panicked(releasedTwice),
				race:   dataRace,
			},
			programs: []program{
				{resultDropped, "the callee has a copy of the slice header"},
			},
		},
		{
			what: "a callee grows the slice by bytespool.Append, its caller reads the old one",
			found: found{
				sample: logged(neverReleased).given(sampledCollected),
				full:   logged(neverReleased).given(whenCollected),
				guard:  faulted(afterRelease),
				race:   dataRace,
				asan:   poison,
			},
			programs: []program{
				{oldHeaderRead, "the first bytes are read by the old slice"},
			},
		},
	},
	alike: oct008Alike,
}

func appendGrows() {
	b := bytespool.Make(64) // acquired
	b = append(b, strings.Repeat("too much for it ", 20)...)
	bytespool.Release(b)
}

// addFields appends as the functions of strconv do.
func addFields(b []byte, fields ...string) []byte {
	for _, f := range fields {
		b = append(b, f...)
		b = append(b, ' ')
	}
	return b
}

func calleeAppends() {
	line := bytespool.Make(16) // acquired
	for i := range 10 {
		line = addFields(line, "level=info", "msg=started", "port="+strconv.Itoa(8080+i))
	}
	use(line)
	bytespool.Release(line)
}

func lengthInOldSlice() {
	b := append(bytespool.Make(len("0000")), "0000"...)
	defer bytespool.Release(b)
	frame := append(b, strings.Repeat("content", 100)...)
	binary.BigEndian.PutUint32(b, uint32(len(frame)))
	use(frame[3])
}

func formatted() {
	b := bytespool.Make(8) // acquired
	b = fmt.Appendf(b, "the table has %100d entries", 1000)
	defer bytespool.Release(b)
	use(len(b))
}

// addLine loses what Append returned.
func addLine(b []byte, line string) {
	b = bytespool.Append(b, []byte(line)...)
	b = bytespool.Append(b, '\n')
	use(b)
}

func resultDropped() {
	b := append(bytespool.Make(8), "12345678"...)                  // acquired
	addLine(b, strings.Repeat("more than there was room for", 10)) // released
	bytespool.Release(b)                                           // now
}

func oldHeaderRead() {
	b := append(bytespool.Make(8), "12345678"...)                  // acquired
	addLine(b, strings.Repeat("more than there was room for", 10)) // acquired, released
	use(b[0])                                                      // now
}
