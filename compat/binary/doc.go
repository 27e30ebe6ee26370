// Package binary has the names of howl.moe/binary (version 2), for programs that were
// written for it: they change their import path and nothing else.
//
// [WriteChain] and [Reader] pass each field on at once and never read ahead, as they did
// there, which costs one call of the Writer or io.Reader per field. They get fixes but no
// new methods. New programs should use package [github.com/octet-go/octet/binary], which
// is several times faster: its LE and BE append to a slice, a Decoder reads from one, and
// a StreamEncoder and a StreamDecoder put a buffer before a Writer or an io.Reader.
package binary

// # Map
//
//	writechain.go  WriteChain: a field at a time to a Writer
//	reader.go      Reader: a field at a time from an io.Reader
//	static.go      the Writers and Readers that they call statically
//	scratch*.go    heap memory for all others
//	byteorder.go   byte orders, and numbers in unusual ones
//	doc.go         the package documentation
