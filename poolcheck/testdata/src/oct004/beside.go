package oct004

import (
	"io"

	"github.com/octet-go/octet/bytespool"
)

type chained struct {
	b    []byte
	next *chained
}

// bad: each round drops the node of the one before.
func unchained(ps [][]byte, w io.Writer) {
	var last *chained
	for _, p := range ps {
		last = &chained{b: append(bytespool.Make(len(p)), p...)} // want "OCT004: .* .the loop acquires another."
		w.Write(last.b)
	}
	if last != nil {
		bytespool.Release(last.b)
	}
}

// ok: a variable tells whether there is something to release.
func byState(in []byte, w io.Writer) {
	const (
		idle = iota
		within
	)
	state := idle
	var b []byte
	for _, c := range in {
		switch state {
		case idle:
			if c == '{' {
				b = bytespool.Make(64)
				state = within
			}
		case within:
			if c == '}' {
				w.Write(b)
				bytespool.Release(b)
				state = idle
				continue
			}
			b = append(b, c)
		}
	}
	if state == within {
		bytespool.Release(b)
	}
}

// bad: the state is left without a release.
func byStateForgotten(in []byte, w io.Writer) {
	within := 0
	var b []byte
	for _, c := range in {
		if c == '{' && within == 0 {
			b = bytespool.Make(64) // want "OCT004: .*b.*"
			within = 1
		} else if c == '}' && within == 1 {
			w.Write(b)
			within = 0
		}
	}
	if within == 1 {
		bytespool.Release(b)
	}
}

type settings struct{ scratch []byte }

type option func(*settings)

func withScratch(b []byte) option { return func(s *settings) { s.scratch = b } }

func configure(opts ...option) *settings {
	s := new(settings)
	for _, o := range opts {
		o(s)
	}
	return s
}

// ok: an option carries the slice into the struct.
func configured() *settings {
	b := bytespool.New(100)
	return configure(withScratch(b))
}
