package real

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// A stream is a sequence of records, one for each file, in the order of the
// tree. A record is, with all integers little-endian:
//
//	uint32  length of the name
//	        name
//	int64   size
//	uint32  mode, as fs.FileMode has it
//	int64   modification time, nanoseconds since 1970
//	        contents
//	uint32  CRC-32C of the contents
const (
	nameLen  = 4
	metaLen  = 8 + 4 + 8
	crcLen   = 4
	overhead = nameLen + metaLen + crcLen // a record without its name and contents
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// meta is the part of a record that has a fixed size, as a struct for
// encoding/binary.
type meta struct {
	Size    int64
	Mode    uint32
	ModTime int64
}

// recordSize returns the length of f's record.
func recordSize(f *file) int64 { return overhead + int64(len(f.name)) + f.Size }

// appendHead appends the part of f's record that precedes the contents.
func appendHead(dst []byte, f *file) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(f.name)))
	dst = append(dst, f.name...)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(f.Size))
	dst = binary.LittleEndian.AppendUint32(dst, f.Mode)
	return binary.LittleEndian.AppendUint64(dst, uint64(f.ModTime))
}

// isHead reports whether h is what appendHead appends for f. It must have the
// same length.
func isHead(h []byte, f *file) bool {
	n := len(f.name)
	if binary.LittleEndian.Uint32(h) != uint32(n) {
		return false
	}
	name, h := h[nameLen:nameLen+n], h[nameLen+n:]
	return string(name) == f.name &&
		int64(binary.LittleEndian.Uint64(h)) == f.Size &&
		binary.LittleEndian.Uint32(h[8:]) == f.Mode &&
		int64(binary.LittleEndian.Uint64(h[12:])) == f.ModTime
}

// changed returns the error for a file whose size is no longer the one that was
// listed.
func changed(f *file) error {
	return fmt.Errorf("%s changed while it was read: it is no longer %d bytes long", f.path, f.Size)
}

// damaged returns the error for a stream that does not hold f's record.
func damaged(f *file, how string) error {
	return fmt.Errorf("the stream does not hold %s: %s", f.path, how)
}

// short returns the error for a stream that could not be read to the end of f's
// record.
func short(f *file, err error) error {
	return fmt.Errorf("the stream does not hold %s: %w", f.path, err)
}
