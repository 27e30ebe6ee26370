//lint:file-ignore SA1019 programs written for the earlier package misuse memory by these names

package main

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	earlier "github.com/octet-go/octet/compat/bytespool/buffer"
)

const releasedTwice = "octet: OCT003: released twice"

var oct003 = class{
	code:  "OCT003",
	title: "double release",
	kinds: []kind{
		{
			what: "a slice is released twice",
			found: found{
				sample: logged(releasedTwice).given(sampled),
				full:   panicked(releasedTwice),
				guard:  panicked(releasedTwice),
				race:   dataRace,
			},
			programs: []program{
				{deferAndExplicit, "released at the end and in a defer"},
				{helperReleasesToo, "a helper releases its argument, and so does its caller"},
				{senderAndReceiver, "sender and receiver of a channel both release"},
				{oldOneAfterAppend, "the slice that bytespool.Append released is released"},
				{putTwice, "a BufPool gets a slice twice"},
				{sliceAndBuffer, "a slice is released that a Buffer took over"},
				{otherLength, "released again with another length"},
			},
		},
		{
			what: "a slice is released again when somebody else has its memory",
			found: found{
				sample: logged(releasedTwice).given(sampled),
				full:   panicked(releasedTwice).given(ownerReleases),
				guard:  panicked(releasedTwice),
				race:   dataRace.given(ownerReleases),
			},
			programs: []program{
				{releasedUnderSuccessor, "an old release comes late, others got and released meanwhile"},
			},
		},
		{
			what: "the slice of Detach is released twice",
			found: found{
				full:  panicked(releasedTwice),
				guard: panicked(releasedTwice),
				race:  dataRace,
			},
			programs: []program{
				{detachedTwice, "by the helper that it was given to, and by its caller"},
			},
		},
		{
			what: "a Buffer is released twice",
			found: found{
				sample: logged(releasedTwice).given(sampled),
				full:   panicked(releasedTwice),
				guard:  panicked(releasedTwice),
			},
			programs: []program{
				{bufferDeferAndExplicit, "Release at the end and in a defer"},
				{sharedTwice, "the Buffer that Share made is released twice"},
				{putAllAndRelease, "PutAll ends the Buffer, and Release again"},
			},
		},
		{
			what: "two goroutines release the last reference of a Buffer at once",
			found: found{
				sample: logged(releasedTwice).given(sampled),
				full:   panicked(releasedTwice),
				guard:  panicked(releasedTwice),
				race:   dataRace.given(readsFirst),
			},
			programs: []program{
				{bothReleaseLast, "each has read the content, and thinks it is the last"},
			},
		},
		{
			what: "a reader of a Buffer is put twice",
			found: found{
				sample: logged(releasedTwice).given(sampled),
				full:   panicked(releasedTwice),
				guard:  panicked(releasedTwice),
			},
			programs: []program{
				{readerOfBufferPutTwice, "in a defer and at the end"},
			},
		},
		{
			what: "a reader of buffer.GetReader is put twice",
			found: found{
				full:  panicked(releasedTwice),
				guard: panicked(releasedTwice),
			},
			programs: []program{
				{readerPutTwice, "buffer.PutReader twice"},
			},
		},
	},
	alike: oct003Alike,
}

var errBroken = errors.New("broken")

func deferAndExplicit() {
	b := bytespool.New(1024)   // acquired
	defer bytespool.Release(b) // now
	use(copy(b, "work"))
	bytespool.Release(b) // released
} // now

// parse releases what it parsed.
func parse(b []byte) error {
	defer bytespool.Release(b)
	if !bytes.HasPrefix(b, []byte("{")) {
		return errBroken
	}
	return nil
}

func helperReleasesToo() {
	b := append(bytespool.Make(2), "{}"...) // acquired
	if err := parse(b); err != nil {        // released
		use(err)
	}
	bytespool.Release(b) // now
}

func senderAndReceiver() {
	work := make(chan []byte)
	var wg sync.WaitGroup
	wg.Go(func() {
		for b := range work {
			use(len(b))
			bytespool.Release(b) // released
		}
	})
	b := append(bytespool.Make(3), "job"...) // acquired
	work <- b
	close(work)
	wg.Wait()
	bytespool.Release(b) // now
}

func oldOneAfterAppend() {
	b := append(bytespool.Make(8), "12345678"...)                     // acquired
	grown := bytespool.Append(b, []byte(strings.Repeat("9", 200))...) // released
	bytespool.Release(grown)
	bytespool.Release(b) // now
}

func putTwice() {
	pool := bytespool.NewBufPool(32 << 10)
	b := pool.Get() // acquired
	pool.Put(b)     // released
	pool.Put(b)     // now
}

// releasedUnderSuccessor waits for its memory to be handed out again, which some
// modes never do.
func releasedUnderSuccessor() {
	old := bytespool.New(4096) // acquired
	bytespool.Release(old)     // released
	b := bytespool.New(4096)   // acquired
	for range 1000 {
		if &b[0] == &old[0] {
			break
		}
		bytespool.Release(b)
		b = bytespool.New(4096) // acquired
	}
	bytespool.Release(old) // released, now
	bytespool.Release(b)   // now
}

func sliceAndBuffer() {
	b := bytespool.New(512) // acquired
	buf := buffer.NewBuffer(b)
	use(buf.Len())
	buf.Release()        // released
	bytespool.Release(b) // now
}

func detachedTwice() {
	buf := buffer.Get()
	buf.WriteString("{detached}")
	b := buf.Detach() // acquired
	buf.Release()
	use(parse(b))        // released
	bytespool.Release(b) // now
}

func otherLength() {
	b := bytespool.New(1000)  // acquired
	bytespool.Release(b[:10]) // released
	bytespool.Release(b)      // now
}

func bufferDeferAndExplicit() {
	buf := buffer.Get() // acquired
	defer buf.Release() // now
	buf.WriteString("work")
	buf.Release() // released
} // now

func sharedTwice() {
	buf := buffer.Get()
	buf.WriteString("read by two")
	view := buf.Share() // acquired
	view.Release()      // released
	view.Release()      // now
	buf.Release()
}

// bothReleaseLast lets both goroutines read before one of them releases. It sleeps for
// that, because the race detector does not take sleeping for synchronization.
func bothReleaseLast() {
	buf := buffer.Get() // acquired
	buf.WriteString("for both")
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			use(buf.Bytes()[0]) // now
			time.Sleep(100 * time.Millisecond)
			buf.Release() // now
		})
	}
	wg.Wait()
}

func putAllAndRelease() {
	buf := earlier.NewString("two readers") // acquired
	r, s := buf.GetReader(), buf.GetReader()
	buf.PutAll(r, s) // released
	buf.Release()    // now
}

func readerPutTwice() {
	r := earlier.GetReader([]byte("abc")) // acquired
	earlier.PutReader(r)                  // released
	earlier.PutReader(r)                  // now
}

func readerOfBufferPutTwice() {
	buf := earlier.NewString("abc")
	defer buf.Release()
	r := buf.GetReader()   // acquired
	defer buf.PutReader(r) // now
	c, _ := r.ReadByte()
	use(c)
	buf.PutReader(r) // released
} // now
