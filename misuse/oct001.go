package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"log"
	"os"
	"slices"
	"strings"

	wire "github.com/octet-go/octet/binary"
	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	earlier "github.com/octet-go/octet/compat/bytespool/buffer"
)

const (
	afterRelease = "octet: OCT001: used after release"
	writtenAfter = "octet: OCT001: written after release"
)

var oct001 = class{
	code:  "OCT001",
	title: "use after release",
	kinds: slices.Concat(oct001Slices, oct001Buffers),
	alike: oct001Alike,
}

var oct001Slices = []kind{
	{
		what: "a slice is written",
		found: found{
			sample: logged(writtenAfter).given(sampledLeaving),
			full:   panicked(writtenAfter).given(onLeaving),
			guard:  faulted(afterRelease),
			race:   dataRace,
			asan:   poison,
		},
		programs: []program{
			{oldSliceAfterAppend, "the slice given to bytespool.Append is written"},
			{noReturnAfterRelease, "the error path releases and then runs on"},
			{bufPoolAfterPut, "the slice of a BufPool is written after Put"},
			{takenOverByBuffer, "a slice is written that NewBuffer took over, after the Buffer's end"},
		},
	},
	{
		what: "a slice is read",
		found: found{
			guard: faulted(afterRelease),
			race:  dataRace,
			asan:  poison,
		},
		programs: []program{
			{headerParsedLate, "a field of the header is parsed after release"},
			{readerOfReleased, "a reader of GetReader reads a slice that was released"},
			{scannerOverReleased, "bufio.Scanner keeps the token of a released buffer"},
			{deferredArgument, "a deferred function runs after the deferred release"},
			{decoderReadsOn, "a Decoder reads on when its slice was released"},
		},
	},
	{
		what:  "a slice is read",
		debug: "faults=on",
		found: found{
			sample: faulted(afterRelease).given("if sampled and guarded"),
			guard:  faulted(afterRelease),
			race:   dataRace,
			asan:   poison,
		},
		programs: []program{
			{headersParsedLate, "several requests, each parsed after its release"},
		},
	},
	{
		what: "a string made by unsafe is read",
		found: found{
			guard: faulted(afterRelease),
		},
		programs: []program{
			{unsafeStringCopied, "strings.Clone of an UnsafeString that outlived its Buffer"},
		},
	},
	{
		what: "assembly reads a slice: bytes.IndexByte, hash/crc32",
		found: found{
			guard: faulted(afterRelease),
		},
		programs: []program{
			{indexByte, "bytes.IndexByte"},
			{crc, "crc32.Update with a SIMD table"},
		},
	},
	{
		what: "assembly writes a slice: clear",
		found: found{
			sample: logged(writtenAfter).given(sampledLeaving),
			full:   panicked(writtenAfter).given(onLeaving),
			guard:  faulted(afterRelease),
		},
		programs: []program{
			{cleared, "clear after release"},
		},
	},
	{
		what: "a system call reads a slice: os.File.Write",
		found: found{
			guard: failed("bad address"),
			race:  dataRace,
			asan:  poison,
		},
		programs: []program{
			{fileWrite, "a released slice is written to a pipe"},
		},
	},
	{
		what: "a system call writes a slice: os.File.Read",
		found: found{
			sample: logged(writtenAfter).given(sampledLeaving),
			full:   panicked(writtenAfter).given(onLeaving),
			guard:  failed("bad address"),
			race:   dataRace,
			asan:   poison,
		},
		programs: []program{
			{fileRead, "a pipe is read into a released slice"},
		},
	},
}

// oldSliceAfterAppend keeps what Append released.
func oldSliceAfterAppend() {
	b := append(bytespool.Make(6), "head: "...) // acquired
	b = b[:cap(b)]
	grown := bytespool.Append(b, []byte("value")...) // released
	b[0] = 'H'                                       // now
	bytespool.Release(grown)
}

// noReturnAfterRelease lacks a return in its error path.
func noReturnAfterRelease() {
	b := bytespool.New(512) // acquired
	n, err := strings.NewReader("").Read(b)
	if err != nil {
		bytespool.Release(b) // released
	}
	b[n] = '\n' // now
}

func bufPoolAfterPut() {
	pool := bytespool.NewBufPool(4096)
	b := pool.Get() // acquired
	pool.Put(b)     // released
	b[100] = 1      // now
}

func takenOverByBuffer() {
	b := bytespool.New(64) // acquired
	buf := buffer.NewBuffer(b[:0])
	buf.WriteString("taken over")
	buf.Release() // released
	b[0] = 'T'    // now
}

func headerParsedLate() {
	b := bytespool.New(24) // acquired
	binary.BigEndian.PutUint16(b[2:], 443)
	bytespool.Release(b)                 // released
	use(binary.BigEndian.Uint16(b[2:4])) // now
}

func headersParsedLate() {
	for range 4 {
		b := bytespool.New(24)              // acquired
		bytespool.Release(b)                // released
		use(binary.BigEndian.Uint64(b[8:])) // now
	}
}

func readerOfReleased() {
	b := append(bytespool.Make(17), "body of a request"...) // acquired
	r := earlier.GetReader(b)
	bytespool.Release(b) // released
	c, _ := r.ReadByte() // now
	use(c)
	earlier.PutReader(r)
}

// scannerOverReleased lends a pooled slice to a Scanner and keeps a token.
func scannerOverReleased() {
	b := bytespool.New(256) // acquired
	s := bufio.NewScanner(strings.NewReader("one\ntwo\n"))
	s.Buffer(b[:0], len(b))
	s.Scan()
	token := s.Bytes()
	bytespool.Release(b) // released
	use(token[0])        // now
}

// deferredArgument defers in the wrong order: the last one deferred runs first.
func deferredArgument() {
	b := append(bytespool.Make(10), "request 17"...) // acquired
	defer func() {
		use(b[8]) // now
	}()
	defer bytespool.Release(b) // released
	use(len(b))
} // released

func decoderReadsOn() {
	b := append(bytespool.Make(len("\x00\x05hello\x00\x07")), "\x00\x05hello\x00\x07"...) // acquired
	d := wire.DecodeBE(b)
	use(len(d.Bytes16()))
	bytespool.Release(b) // released
	use(d.Uint16())      // now
}

func unsafeStringCopied() {
	buf := earlier.NewString("session-4711") // acquired
	id := buf.UnsafeString()
	buf.Release()          // released
	use(strings.Clone(id)) // now
}

func indexByte() {
	b := append(bytespool.Make(14), "a line\nanother"...) // acquired
	bytespool.Release(b)                                  // released
	use(bytes.IndexByte(b, '\n'))                         // now
}

func crc() {
	b := bytespool.New(8192) // acquired
	table := crc32.MakeTable(crc32.Castagnoli)
	bytespool.Release(b)           // released
	use(crc32.Update(0, table, b)) // now
}

func cleared() {
	b := bytespool.New(1 << 10) // acquired
	bytespool.Release(b)        // released
	clear(b)                    // now
}

// fileWrite releases before it writes. Write does not fault but fails, as the
// kernel reads the memory.
func fileWrite() {
	r, w := pipe()
	defer r.Close()
	defer w.Close()
	b := append(bytespool.Make(9), "a record\n"...) // acquired
	bytespool.Release(b)                            // released
	if _, err := w.Write(b); err != nil {           // now
		log.Fatal(err)
	}
}

func fileRead() {
	r, w := pipe()
	defer r.Close()
	defer w.Close()
	w.WriteString("a record\n")
	b := bytespool.New(512)              // acquired
	bytespool.Release(b)                 // released
	if _, err := r.Read(b); err != nil { // now
		log.Fatal(err)
	}
}

func pipe() (r, w *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		log.Fatal(err)
	}
	return r, w
}
