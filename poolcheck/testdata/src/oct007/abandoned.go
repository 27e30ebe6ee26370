package oct007

import (
	"bytes"

	"github.com/octet-go/octet/bytespool"
)

// ok: nobody uses the bytes.Buffer again.
func bufferAbandoned(s string) int {
	var buf bytes.Buffer
	n, _ := buf.WriteString(s)
	bytespool.Release(buf.Bytes())
	return n
}

// bad: the bytes.Buffer is read again.
func bufferReadAgain(s string) string {
	var buf bytes.Buffer
	buf.WriteString(s)
	bytespool.Release(buf.Bytes()) // want "OCT007: .*buf.*"
	return buf.String()
}

// bad: the next round writes to it.
func bufferWrittenAgain(ss []string) {
	var buf bytes.Buffer
	for _, s := range ss {
		buf.WriteString(s)
		bytespool.Release(buf.Bytes()) // want "OCT007: .*buf.*"
	}
}

// bad: a literal can reach it.
func bufferCaptured(s string) func() string {
	var buf bytes.Buffer
	buf.WriteString(s)
	bytespool.Release(buf.Bytes()) // want "OCT007: .*buf.*"
	return func() string { return buf.String() }
}
