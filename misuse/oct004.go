package main

import (
	"errors"
	"io"
	"strings"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	earlier "github.com/octet-go/octet/compat/bytespool/buffer"
)

const neverReleased = "octet: OCT004: never released"

var oct004 = class{
	code:  "OCT004",
	title: "missing release",
	kinds: []kind{
		{
			what: "a slice is lost",
			found: found{
				sample: logged(neverReleased).given(sampledCollected),
				full:   logged(neverReleased).given(whenCollected),
			},
			programs: []program{
				{errorPathLeaks, "the error path returns without a release"},
				{overwritten, "the variable gets another slice"},
				{lostInChannel, "a channel is dropped with a slice in it"},
				{panicLeaks, "a panic is recovered above the release"},
				{copyOfBufferLost, "nobody releases what Copy returned"},
			},
		},
		{
			what: "a Buffer is lost",
			found: found{
				sample: logged(neverReleased).given(sampledCollected),
				full:   logged(neverReleased).given(whenCollected),
				guard:  logged(neverReleased).given(whenCollected),
			},
			programs: []program{
				{encodeErrorLeaks, "the error path returns without a release"},
				{shareLost, "the Buffer that Share made is dropped"},
			},
		},
		{
			what: "a reader of a Buffer is lost",
			found: found{
				sample: logged(neverReleased).given(sampledCollected),
				full:   logged(neverReleased).given(whenCollected),
				guard:  logged(neverReleased).given(whenCollected),
			},
			programs: []program{
				{readerOfBufferLost, "it is not put, and keeps the Buffer"},
			},
		},
		{
			what: "a reader of buffer.GetReader is lost",
			found: found{
				full:  logged(neverReleased).given(whenCollected),
				guard: logged(neverReleased).given(whenCollected),
			},
			programs: []program{
				{readerLost, "nobody puts the reader"},
			},
		},
		{
			what: "lost memory is still referred to",
			programs: []program{
				{keptForEver, "a slice stays in a package variable"},
			},
		},
	},
	alike: oct004Alike,
}

// load reads n bytes, and forgets the slice if there are fewer.
func load(r io.Reader, n int) ([]byte, error) {
	b := bytespool.New(n)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, err
	}
	return b, nil
}

func errorPathLeaks() {
	b, err := load(strings.NewReader("short"), 4096) // acquired
	if err != nil {
		return
	}
	bytespool.Release(b)
}

func overwritten() {
	b := bytespool.New(64) // acquired
	for len(b) < 1000 {
		b = bytespool.New(2 * len(b)) // acquired
	}
	bytespool.Release(b)
}

func lostInChannel() {
	queue := make(chan []byte, 4)
	for range 3 {
		queue <- bytespool.New(256) // acquired
	}
	bytespool.Release(<-queue)
}

// panicLeaks lacks the defer.
func panicLeaks() {
	defer func() { use(recover()) }()
	b := bytespool.New(10) // acquired
	use(b[len(b)])
	bytespool.Release(b)
}

func copyOfBufferLost() {
	buf := earlier.NewString("copied")
	defer buf.Release()
	use(len(buf.Copy())) // acquired
}

// encode fills a Buffer, and forgets it if it cannot.
func encode(parts ...string) (*buffer.Buffer, error) {
	buf := buffer.Make(64)
	for _, p := range parts {
		if p == "" {
			return nil, errors.New("encode: empty part")
		}
		buf.WriteString(p)
	}
	return buf, nil
}

func encodeErrorLeaks() {
	if buf, err := encode("a", "", "c"); err == nil { // acquired
		buf.Release()
	}
}

func shareLost() {
	buf := buffer.Get()
	buf.WriteString("original")
	use(buf.Share().Len()) // acquired
	buf.Release()
}

func readerLost() {
	r := earlier.GetReader([]byte("abc")) // acquired
	use(r.Len())
}

func readerOfBufferLost() {
	buf := earlier.NewString("abc")
	use(buf.GetReader().Len()) // acquired
	buf.Release()
}

func keptForEver() {
	kept = bytespool.New(64)
}
