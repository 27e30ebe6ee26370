// Package binary writes and reads numbers, strings and length-prefixed messages in
// binary form, at the speed of hand-written code. Numbers look as encoding/binary
// writes them. The package needs no reflection, and working on byte slices does not allocate.
//
// There are two ways in, with the same methods. The first works on a byte slice.
// An append chain, [LE] or [BE], writes to it in little- or big-endian order, and a
// decoder, from [DecodeLE] or [DecodeBE], reads from it. A decoder keeps its first
// error, so one check is enough for many reads:
//
//	buf = binary.BE(buf[:0]).Uint16(id).Uint8(flags).String16(name)
//
//	d := binary.DecodeBE(buf)
//	id, flags, name := d.Uint16(), d.Uint8(), d.String16()
//	if err := d.Err(); err != nil {
//		return err // binary: at offset 5: want 300 bytes, have 12: unexpected EOF
//	}
//
// The second works on a stream. [StreamEncoder] and [StreamDecoder] put a buffer
// between the caller and an io.Writer or io.Reader. The encoder must be flushed, and
// the decoder reads ahead, so nobody else should read from its Reader. Decompressors and
// the like read from the decoder, and take only their own bytes:
//
//	e := binary.NewStreamEncoder[binary.Big](conn)
//	e.Uint16(id).Uint8(flags).String16(name)
//	err := e.Flush()
//
//	d := binary.NewStreamDecoder[binary.Big](conn)
//	for d.Next(1 << 20) { // a message of at most 1 MiB
//		id, flags, name := d.Uint16(), d.Uint8(), d.String16()
//	}
//	err := d.Err()
//
// # Lengths
//
// Strings and byte slices can be preceded by their length, in 8, 16 or 32 bits or as a
// varint, and byte slices in 24 bits too. For 64 bits, append Uint64(uint64(len(p))).Bytes(p),
// and read d.Bytes(d.Len64()). To build the content in place, call Begin, which reserves
// room for the length, then append the content, then call End, which fills the length in.
// The Begin and End methods of a decoder limit its reads to the content. Such spans nest.
// They need no closures and allocate nothing:
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
//	d.End(&record) // fails if the span has unread bytes
//
// In many formats a length counts itself, or a header around it, or leaves something
// out. [Mark.Plus] says how much: d.Begin32(record.Plus(4)). Until reads up to a
// delimiter, as of C strings and lines, with a bound.
//
// # Slices of numbers
//
// [AppendNumbers], [DecodeNumbers], [WriteNumbers] and [ReadNumbers] convert whole
// slices, in the best case at the speed of a memory copy.
//
// # Checksums
//
// The packages in hash calculate them. Since returns the bytes that a decoder has read since
// a Mark. The bytes that were appended are in the slice, from the length that it had before;
// a record for a StreamEncoder is appended to a slice first, and then encoded with Bytes.
// The example Checksum shows both sides:
//
//	d.Mark(&m)
//	id, text := d.Uint16(), d.String8()
//	sum := crc32.ChecksumIEEE(d.Since(&m))
//	if d.Uint32() != sum {
//		d.Fail(errChecksum)
//	}
//
// # Untrusted input
//
// A decoder does not trust lengths. For a slice, it checks a length against the
// bytes that are left before it allocates. For a stream, it reads in chunks and
// allocates in proportion to the bytes that have arrived; [StreamDecoder.Next]
// bounds each message, and [Limit] the whole input.
// Varints end after 10 bytes, nesting costs nothing, and no input makes a decoder
// panic.
//
// A failure is an [*Error]. It names the offset, the number of bytes wanted and
// available, and the field, if [Decoder.Field] named it. Use errors.Is to tell
// [io.EOF] (there was nothing to read) from [io.ErrUnexpectedEOF] (there was too
// little), and from [ErrOverflow], [ErrTooLong] and [ErrTrailing].
//
// # Byte orders
//
// Appenders, decoders and streams have their byte order in their type, [Little] or
// [Big], so it costs nothing at run time. For a format that comes in both orders,
// write a function that is generic over it:
//
//	func parse[O binary.Order](d *binary.Decoder[O]) (Header, error)
//
// For single fields in another order, convert: (*binary.LEDecoder)(&d).Uint32().
//
// Programs written for howl.moe/binary import
// [github.com/octet-go/octet/compat/binary].
package binary

// # Map
//
//	append.go, append_prefix.go  LE and BE: appending to a slice
//	decoder.go                   Decoder: reading numbers from a slice; failures
//	decoder_bytes.go             bytes, strings and lengths
//	decoder_span.go              spans and marks
//	decoder_input*.go            the memory a Decoder reads, with and without unsafe
//	stream_encoder*.go           StreamEncoder: numbers; bytes, strings and spans
//	stream_decoder*.go           StreamDecoder: buffering; numbers; bytes; spans; for other readers
//	stream_option.go             options of both
//	numbers.go                   slices of numbers for appenders, decoders and streams
//	numbers_memory*.go           their memory as bytes, with and without unsafe
//	mark.go                      marks of spans, and who set them
//	error.go                     Error and the reasons it wraps
//	order.go, order_*.go         byte orders as types; the machine's
//	doc.go                       the package documentation
