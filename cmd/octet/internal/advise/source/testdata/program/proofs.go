package program

import (
	"bytes"
	"encoding/base64"
	"io"
	"iter"
	"math/big"
	"sort"

	"example.com/other"
)

func replacedAndReturned(p []byte) []byte {
	b := make([]byte, 64) // unknown: gets other memory at line +2
	if len(p) > 64 {
		b = p
	}
	return b
}

func replacedAndStored(c *conn, p []byte) {
	b := make([]byte, 64) // unknown: gets other memory at line +2
	if len(p) > 64 {
		b = p
	}
	c.buf = b
}

func replacedInLoop(w io.Writer, parts [][]byte) {
	for _, p := range parts {
		b := make([]byte, 64) // unknown: gets other memory at line +2
		if len(p) > 64 {
			b = p
		}
		w.Write(b)
	}
}

func replacedByCallee(p []byte) []byte {
	b := make([]byte, 64) // unknown: gets other memory at line +1
	b = longer(b, p)
	return b
}

func longer(b, p []byte) []byte {
	if len(p) > len(b) {
		b = p
	}
	return b
}

func growsFromParameter(w io.Writer, b, p []byte) {
	if b == nil {
		b = []byte("x") // here: defer bytespool.Release(b)
	}
	w.Write(append(b, p...))
}

func encodesByVariable(w io.Writer, p []byte, text string) {
	enc := base64.StdEncoding.WithPadding('-')
	b := make([]byte, enc.EncodedLen(len(p))) // here: b := bytespool.New(int(enc.EncodedLen(len(p)))); defer
	enc.Encode(b, p)
	w.Write(b)
	n := new(big.Int)
	number := []byte(text) // here
	n.SetBytes(number)
}

func keepsNumber(n *big.Int) []byte {
	b := make([]byte, 64) // unknown: returned
	return n.FillBytes(b)
}

func encodesByOther(w io.Writer, enc other.Encoding, p []byte) {
	b := make([]byte, 64) // unknown: given to enc.Encode
	enc.Encode(b, p)
	w.Write(b)
}

func setsOther(n *other.Number, text string) {
	number := []byte(text) // unknown: given to n.SetBytes
	n.SetBytes(number)
}

func closures(w io.Writer, keys []int) {
	b := make([]byte, 64) // here
	put := func(c byte) { b[0] = c }
	put(1)
	func() { w.Write(b) }()
	sort.Slice(keys, func(i, j int) bool { return b[i] < b[j] })
}

func closureStarted(w io.Writer) {
	b := make([]byte, 64) // unknown: kept by a closure
	go func() { w.Write(b) }()
}

func closureKept(c *conn) {
	b := make([]byte, 64) // unknown: kept by a closure
	c.hook = func(p []byte) { copy(b, p) }
}

func closureGiven(w io.Writer) {
	b := make([]byte, 64) // unknown: kept by a closure
	other.Use(func() { w.Write(b) })
}

func closureHandedOn(w io.Writer) {
	b := make([]byte, 64) // unknown: kept by a closure
	write := func() { w.Write(b) }
	other.Use(write)
}

func closureStartedByVariable(w io.Writer) {
	b := make([]byte, 64) // unknown: kept by a closure
	write := func() { w.Write(b) }
	go write()
}

func closureInClosure(w io.Writer) {
	b := make([]byte, 64) // unknown: kept by a closure
	write := func() { w.Write(b) }
	other.Use(func() { write() })
}

func closureStores(c *conn) {
	b := make([]byte, 64) // elsewhere: stored in c.buf
	func() { c.buf = b }()
}

func closureReturns() func() []byte {
	b := make([]byte, 64) // unknown: kept by a closure
	return func() []byte { return b }
}

func closureDeferredBefore(w io.Writer) {
	var b []byte
	defer func() { w.Write(b) }()
	b = make([]byte, 64) // unknown: kept by a closure
}

func closureDeferredInLoop(w io.Writer) {
	for range 2 {
		b := make([]byte, 64) // unknown: kept by a closure
		defer func() { w.Write(b) }()
	}
}

func closureOfIterator(w io.Writer, p []byte) iter.Seq[[]byte] {
	b := make([]byte, 64) // unknown: kept by a closure
	return bytes.FieldsFuncSeq(p, func(r rune) bool { return r == rune(b[0]) })
}
