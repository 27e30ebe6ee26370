// Package buffer has the names of github.com/fufuok/bytespool/buffer, for programs that
// were written for it: they change their import path and nothing else.
//
// A [Buffer] is a [buffer.Buffer] under other methods, and the one is converted to the other
// as it is, for example to call a method that only the other has:
//
//	body := (*octetbuffer.Buffer)(b).Body()
//
// The two packages take memory from the same pools and return it there.
package buffer

// # Map
//
//	buffer.go         Buffer, what returns one, and the methods that do not write
//	write.go          the methods that write
//	refs.go           the methods of the count
//	reader.go         pooled readers
//	unsafestring*.go  UnsafeString, with and without unsafe
//	pools.go          SetCapacity, and the RuntimeStats family
//	doc.go            the package documentation
