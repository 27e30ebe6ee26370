// Package bytebuf provides a replacement for [bytes.Buffer] that starts on the
// stack and gives its string away.
//
// A [Buffer] has the methods of bytes.Buffer and behaves the same, so that a
// program changes over by changing the import path. Two things are different:
//
//   - [New] returns a buffer whose first 64 bytes are on the caller's stack. A
//     function that builds a short string or reads a few bytes back does not
//     allocate, but for a string that leaves it.
//   - [Buffer.String] does not copy where it need not. Appending to a buffer never
//     changes the bytes that it holds already, so they may be a string as well.
//     What would change them, such as writing after [Buffer.Reset], takes another
//     array first. Strings never change.
//
// # When String copies
//
// String shares an array that the buffer allocated itself, and that the string
// uses by half at least: it never keeps more than twice its length alive. It
// copies, as bytes.Buffer always does,
//
//   - from New's first array, and from one given to [NewBuffer];
//   - after [Buffer.Bytes], [Buffer.Next], [Buffer.Peek] and
//     [Buffer.AvailableBuffer], whose slices callers may write to, until the buffer
//     needs a larger array;
//   - from a buffer that is used again: once a string has taken the array, and
//     Reset or [Buffer.Truncate] and a write followed, the buffer keeps its next
//     array to itself. Copying from memory that is in the cache is then cheaper
//     than filling new memory.
//
// With the build tag octet_purego it always copies.
//
// # When to use something else
//
//   - [strings.Builder], if all you do is append and then take the string. It is a
//     little faster, but cannot read, and a copy of it must not be used.
//   - bytes.Buffer, if you need bytes and no string, and the buffer is long-lived
//     or goes to functions as an [io.Writer] or [io.Reader]: there is nothing to
//     save then, and its struct is smaller.
//   - bytespool/buffer, if buffers of some kilobytes come and go: it takes them
//     from a pool, but you have to release them.
//
// # Sharing and safety
//
// A [io.Writer] that modifies what it is given, or keeps it, and an [io.Reader]
// that keeps it, break their contracts. What they do may show in strings.
package bytebuf
