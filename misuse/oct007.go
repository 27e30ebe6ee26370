package main

import (
	"github.com/octet-go/octet/bytespool"
	earlier "github.com/octet-go/octet/compat/bytespool/buffer"
)

const foreignReleased = "octet: OCT007: "

var oct007 = class{
	code:  "OCT007",
	title: "foreign release",
	kinds: []kind{
		{
			what:  "a slice is released that no pool handed out",
			debug: "foreign=report",
			found: found{
				full:  panicked(foreignReleased),
				guard: panicked(foreignReleased),
				race:  dataRace.given(usedAfterwards),
				asan:  poison.given(usedAfterwards),
			},
			programs: []program{
				{madeSlice, "a slice of make"},
				{innerArray, "a field of a struct that lives on"},
			},
		},
		{
			what:  "a slice is released into another pool",
			debug: "foreign=report",
			found: found{
				sample: logged(foreignReleased).given(sampled),
				full:   panicked(foreignReleased),
				guard:  panicked(foreignReleased),
			},
			programs: []program{
				{otherPool, "two pools of one program"},
				{bufPoolToDefault, "a slice of a BufPool released by bytespool.Release"},
			},
		},
		{
			what: "a reader of another Buffer is put into a Buffer",
			found: found{
				sample: logged(foreignReleased).given(sampled),
				full:   panicked(foreignReleased),
				guard:  panicked(foreignReleased),
			},
			programs: []program{
				{readerOfOther, "two Buffers swap their readers"},
			},
		},
		{
			what: "a reader of buffer.GetReader is put into a Buffer",
			found: found{
				full:  panicked(foreignReleased),
				guard: panicked(foreignReleased),
			},
			programs: []program{
				{readerOfNone, "which loses a reference"},
			},
		},
	},
	alike: oct007Alike,
}

func madeSlice() {
	b := make([]byte, 4096)
	use(copy(b, "mine"))
	bytespool.Release(b) // now
	use(b[0])
}

func innerArray() {
	type conn struct{ in, out [1024]byte }
	c := new(conn)
	bytespool.Release(c.in[:]) // now
	use(copy(c.in[:], c.out[:]))
}

func otherPool() {
	small := bytespool.NewPool(bytespool.WithSizes(64, 4096), bytespool.WithName("small"))
	large := bytespool.NewPool(bytespool.WithSizes(64, 1<<20), bytespool.WithName("large"))
	b := small.New(1000) // acquired
	large.Release(b)     // now
}

func bufPoolToDefault() {
	pool := bytespool.NewBufPool(8 << 10)
	b := pool.Get()      // acquired
	bytespool.Release(b) // now
}

func readerOfOther() {
	a, b := earlier.NewString("a"), earlier.NewString("b")
	r, s := a.GetReader(), b.GetReader() // acquired
	b.PutReader(r)                       // now
	a.PutReader(s)
	a.Release()
	b.Release()
}

func readerOfNone() {
	buf := earlier.NewString("a")
	buf.RefInc()
	r := earlier.GetReader(buf.Bytes()) // acquired
	buf.PutReader(r)                    // now
	buf.Release()
}
