package api

import "strings"

// BinaryPath is the import path of octet's encoders and decoders.
const BinaryPath = "github.com/octet-go/octet/binary"

// What package binary has for each size of a number or of a length.
const (
	lengths = "8 16 24 32 Varint"
	reads   = `Bool Int8 Int16 Int32 Int64 Uint8 Uint16 Uint24 Uint32 Uint64 Float32 Float64 Uvarint Varint
		AppendBytes Align Copy Skip String
		Len8 Len16 Len32 Len64 LenVarint String8 String16 String32 StringVarint`
)

// addBinary adds package binary. A Decoder shows the slice that it reads. A StreamDecoder shows its buffer until it
// reads on; what only looks, such as Err, is no reason to copy. An Appender returns its slice, perhaps moved.
func (t Table) addBinary() {
	const pkg = BinaryPath + "."
	whole, view := Effect{Op: Whole}, Effect{Op: View}
	t.add(pkg, "DecodeLE DecodeBE NewDecoder", view)
	t.add(pkg, "AppendNumbers", whole)
	t.add(pkg, "NewStreamDecoder", Effect{Op: View})

	decoder := "(*" + pkg + "Decoder)."
	t.add(decoder, "Field", whole)
	t.add(decoder, "Bytes Peek Since Until "+sized("Bytes"), view)
	t.add(decoder, "AppendBytes", Effect{Op: Whole, Arg: 1})

	stream := "(*" + pkg + "StreamDecoder)."
	turn, window := Effect{Op: Turn}, Effect{Op: Window}
	t.add(stream, "Field", whole)
	t.add(stream, "Bytes Peek Until "+sized("Bytes"), turn, window)
	t.add(stream, "Since", window)
	t.add(stream, "Done More Next Read ReadByte Reset "+reads+sized("Begin"), turn)
	t.add(stream, "AppendBytes", turn, Effect{Op: Whole, Arg: 1})
	t.add(pkg, "ReadNumbers", turn, Effect{Op: Whole, Arg: 1})
	t.add(pkg, "DecodeNumbers", Effect{Op: Whole, Arg: 1})

	t.add("("+pkg+"Appender).", `Align Bool Bytes End Float32 Float64 Int8 Int16 Int32 Int64
		Pad String Uint8 Uint16 Uint24 Uint32 Uint64 Uvarint Varint
		String8 String16 String32 StringVarint`+sized("Begin")+sized("Bytes"), whole)
}

// sized returns the names of the methods for all lengths.
func sized(name string) string {
	return " " + name + strings.ReplaceAll(lengths, " ", " "+name)
}
