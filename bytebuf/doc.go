// Package bytebuf provides a replacement for [bytes.Buffer] whose first bytes are on
// the stack and whose String method need not copy.
//
// A [Buffer] has the methods of bytes.Buffer, and they do the same, so changing the
// import path is enough to switch. Two things are different:
//
//   - [New] returns a buffer whose first 64 bytes are on the caller's stack. A
//     function that builds a short string, or reads a few bytes back, does not
//     allocate, except for a string that leaves the function.
//   - [Buffer.String] returns a string that shares the buffer's memory, where that is
//     safe. Appending to a buffer does not change the bytes it already has, so a
//     string can show them. Before anything would change them, such as a write after
//     [Buffer.Reset], the buffer takes another array. Strings never change.
//
// # When String copies
//
// String shares an array if the buffer allocated it and the string is at least half as
// long, so a string never keeps more than about twice its length alive. It copies, as
// bytes.Buffer always does,
//
//   - from the array on the stack, and from one given to [NewBuffer];
//   - after [Buffer.Bytes], [Buffer.Next], [Buffer.Peek] and
//     [Buffer.AvailableBuffer], because callers may write to the slices that these
//     return, until the buffer needs a larger array;
//   - from a buffer that is reused: if it is written after a string has taken its array
//     and Reset or [Buffer.Truncate] was called, its next array is never shared with
//     strings. Copying from memory that is in the cache then costs less than filling new
//     memory.
//
// With the build tag octet_purego, String always copies.
//
// # When to use something else
//
//   - [strings.Builder], if you only append and then take the string. It is a little
//     faster, but it cannot be read from, and copies of it must not be used.
//   - bytes.Buffer, if you need bytes and no string, and the buffer is long-lived or
//     passed to functions as an [io.Writer] or [io.Reader]. There is nothing to save
//     then, and its struct is smaller.
//   - bytespool/buffer, if many buffers of some kilobytes are needed for a short time.
//     It takes them from a pool, and you have to release them.
//
// # Safety
//
// An [io.Writer] must not modify or retain the slice that it is given, and an
// [io.Reader] must not retain it. If WriteTo or ReadFrom is given one that does,
// strings may change.
package bytebuf

// # Map
//
//	buffer.go       Buffer, its constructors, and the methods that look at it or shorten it
//	write.go        writing, growing and ReadFrom
//	read.go         reading
//	lend.go         String, and how a string shares the array
//	lend_purego.go  the same without unsafe, where String copies
//	doc.go          the package documentation
