//lint:file-ignore SA1019 programs written for the earlier package misuse memory by these names

package main

import (
	"io"

	"github.com/octet-go/octet/bytespool/buffer"
	earlier "github.com/octet-go/octet/compat/bytespool/buffer"
)

var oct001Buffers = []kind{
	{
		what: "the array of a Buffer is read",
		found: found{
			guard: faulted(afterRelease),
			race:  dataRace,
			asan:  poison,
		},
		programs: []program{
			{peekedAtReleased, "what Peek returned is read after Release"},
		},
	},
	{
		what: "the array of a Buffer is written",
		found: found{
			full:  panicked(writtenAfter).given(onLeaving),
			guard: faulted(afterRelease),
			race:  dataRace,
			asan:  poison,
		},
		programs: []program{
			{bytesOfReleasedBuffer, "Bytes of a Buffer are written after its Release"},
			{availableAfterGrowth, "AvailableBuffer is kept over a write that grows"},
		},
	},
	{
		what: "a method of a Buffer is called that reads or writes the content",
		found: found{
			sample: logged(afterRelease).given(sampled),
			full:   panicked(afterRelease),
			guard:  panicked(afterRelease),
			race:   dataRace,
			asan:   poison,
		},
		programs: []program{
			{bufferWritten, "Write after Release"},
			{bufferStringLate, "String after Release"},
			{bufferGrown, "Grow after Release, which moves the content"},
		},
	},
	{
		what: "another method of a Buffer is called: Len, Share, WriteTo",
		found: found{
			sample: logged(afterRelease).given(sampled).and(releasedTwice),
			full:   panicked(afterRelease),
			guard:  panicked(afterRelease),
		},
		programs: []program{
			{bufferMeasured, "Len after Release"},
			{bufferShared, "Share after Release"},
			{responseFlushedTwice, "WriteTo after Put"},
		},
	},
	{
		what: "a method of a Buffer is called: Reset, Cap, Available, RefInc, RefDec, RefValue",
		programs: []program{
			{bufferReset, "Reset after Release, and no more than that"},
			{bufferCounted, "RefInc and RefDec after Release"},
		},
	},
	{
		what: "a method of a Buffer is called when somebody else has it",
		found: found{
			sample: logged(afterRelease).given(sampled),
			full:   panicked(afterRelease),
			guard:  panicked(afterRelease),
		},
		programs: []program{
			{bufferReused, "the Buffer was handed out again meanwhile"},
		},
	},
}

func bytesOfReleasedBuffer() {
	buf := buffer.Make(256) // acquired
	buf.WriteString("status: ?")
	p := buf.Bytes()
	buf.Release()     // released
	p[len(p)-1] = 'o' // now
}

// availableAfterGrowth writes into the room of an array that a larger one
// replaced.
func availableAfterGrowth() {
	buf := buffer.Get() // acquired
	buf.WriteString("id=")
	defer buf.Release()
	room := buf.AvailableBuffer()
	room = room[:cap(room)]
	buf.Grow(4096) // released
	room[0] = '7'  // now
}

func peekedAtReleased() {
	buf := buffer.Get() // acquired
	buf.WriteString("4711 apples")
	p, _ := buf.Peek(4)
	buf.Release() // released
	use(p[0])     // now
}

func bufferWritten() {
	buf := buffer.Get() // acquired
	buf.WriteString("one")
	buf.Release()          // released
	buf.WriteString("two") // now
}

func bufferStringLate() {
	buf := buffer.Get() // acquired
	buf.WriteString("answer")
	buf.Release()     // released
	use(buf.String()) // now
}

func bufferGrown() {
	buf := buffer.Get() // acquired
	buf.WriteString("answer, with some text")
	buf.Release()  // released
	buf.Grow(4096) // now
}

func bufferMeasured() {
	buf := buffer.Get() // acquired
	buf.WriteString("answer")
	buf.Release()  // released
	use(buf.Len()) // now
}

func bufferShared() {
	buf := buffer.Get() // acquired
	buf.WriteString("answer")
	buf.Release()       // released
	view := buf.Share() // now
	view.Release()
}

func bufferReset() {
	buf := buffer.Get()
	buf.WriteString("answer")
	buf.Release()
	buf.Reset()
}

func bufferCounted() {
	buf := earlier.NewString("answer")
	buf.Release()
	buf.RefInc()
	use(buf.Cap())
	buf.RefDec()
}

// bufferReused uses a handle after the Buffer's release, when others got theirs.
func bufferReused() {
	old := buffer.Make(128) // acquired
	old.Release()           // released
	var others []*buffer.Buffer
	for range 8 {
		others = append(others, buffer.Make(128))
	}
	old.WriteString("into somebody's") // now
	for _, b := range others {
		b.Release()
	}
}

func responseFlushedTwice() {
	buf := earlier.NewString("HTTP/1.1 204 No Content\r\n\r\n") // acquired
	buf.WriteTo(io.Discard)
	buf.Put()               // released
	buf.WriteTo(io.Discard) // now
}
