// Package binary writes and reads numbers, strings and framed messages as bytes, at
// the speed of code written by hand. What it writes is byte for byte what
// encoding/binary writes; it needs no reflection and, on byte slices, allocates
// nothing.
//
// There are three ways in. Which one to take depends on what you have.
//
// A byte slice. Append to it with a chain, in little- or big-endian order
// ([LE], [BE]), and read it with a decoder that remembers its first error
// ([DecodeLE], [DecodeBE]), so that one check is enough for many reads:
//
//	buf = binary.BE(buf[:0]).Uint16(id).Uint8(flags).String16(name)
//
//	d := binary.DecodeBE(buf)
//	id, flags, name := d.Uint16(), d.Uint8(), d.String16()
//	if err := d.Err(); err != nil {
//		return err // binary: at offset 5: want 300 bytes, have 12: unexpected EOF
//	}
//
// A stream that is yours alone. [StreamEncoder] and [StreamDecoder] have the same
// methods over an io.Writer and an io.Reader, and a buffer between: what was
// encoded must be flushed, and the decoder reads ahead.
//
//	e := binary.NewStreamEncoder[binary.Big](conn)
//	e.Uint16(id).Uint8(flags).String16(name)
//	err := e.Flush()
//
//	d := binary.NewStreamDecoder[binary.Big](conn, binary.Limit(1<<20))
//	for d.More() {
//		id, flags, name := d.Uint16(), d.Uint8(), d.String16()
//	}
//	err := d.Err()
//
// A Writer or Reader that others use in between. [WriteChain] and [Reader] hand
// over every field at once and take exactly the bytes of a field, which costs a
// call of the Writer or Reader for each:
//
//	c := binary.WriteChain{Writer: w, ByteOrder: binary.BigEndian}
//	n, err := c.Uint16(id).Uint8(flags).End()
//
// # Lengths
//
// Strings and byte slices can have a length in front: of 8, 16, 24 or 32 bits, or a
// varint. Where the content is built in place, Begin makes room for the length and
// End fills it in; a decoder's Begin and End bound its reads to the content. Spans
// nest, without closures and without allocation:
//
//	var record, list binary.Mark
//	buf = binary.BE(buf).
//		Begin16(&record).
//			Uint8(kind).
//			Begin8(&list).Uint16(a).Uint16(b).End(&list).
//		End(&record)
//
//	d.Begin16(&record)
//	kind := d.Uint8()
//	for d.Begin8(&list); d.Len() > 0; {
//		items = append(items, d.Uint16())
//	}
//	d.End(&list)
//	d.End(&record) // fails if bytes are left over
//
// # Input from strangers
//
// A decoder never allocates for a length before it knows that so many bytes are
// there: in a slice it looks, from a stream it reads in chunks that grow with what
// has arrived. [Limit] bounds a stream as a whole. Nesting costs nothing, varints
// end after 10 bytes, and no input makes it panic. A failure is an [*Error] that
// says where, what was wanted, what was there, and the field if it was named;
// errors.Is tells [io.EOF], nothing was there, from [io.ErrUnexpectedEOF], too
// little, and from [ErrOverflow], [ErrLimit], [ErrTrailing] and [ErrChecksum].
//
// # Byte orders
//
// Appenders, decoders and streams have their order in their type, [Little] or
// [Big], so that it costs nothing. A format whose files say their order themselves
// is read by a function that is generic over it:
//
//	func parse[O binary.Order](d *binary.Decoder[O]) (Header, error)
//
// [WriteChain] and [Reader] have theirs in a field, of the type that encoding/binary
// has for it.
package binary

// # Map
//
//	append.go, append_prefix.go  LE and BE: appending to a slice
//	decoder.go                   Decoder: reading a slice; numbers, and how it fails
//	decoder_bytes.go             bytes, strings and lengths
//	decoder_span.go              spans and checksums
//	decoder_input*.go            the memory that it reads, with unsafe and without
//	stream_encoder*.go           StreamEncoder, by what it encodes
//	stream_decoder*.go           StreamDecoder, by what it reads
//	stream_option.go             options of both
//	bulk.go                      slices of numbers, in an order given as a value
//	bulk_numbers.go              the same for an Appender, a Decoder and the streams
//	bulk_memory*.go              their memory as bytes, with unsafe and without
//	bulk_loops_purego.go         loops over them, without unsafe
//	exact_writechain.go          WriteChain: a field at a time to a Writer
//	exact_reader.go              Reader: a field at a time from a Reader
//	exact_static.go              the Writers and Readers that they know
//	exact_scratch*.go            memory for those that they do not
//	order.go                     byte orders as types
//	byteorder.go                 byte orders as values
//	mark.go                      marks of spans, and whose they are
//	error.go                     Error, and the reasons in it
//	doc.go                       the documentation
