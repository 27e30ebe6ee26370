package real

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// A stream is a row of records, one a file, in the order of the tree. A record
// is, every integer little-endian:
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

// meta is the part of a record that has a fixed length, as encoding/binary
// takes a struct.
type meta struct {
	Size    int64
	Mode    uint32
	ModTime int64
}

// recordSize returns how long f's record is.
func recordSize(f *file) int64 { return overhead + int64(len(f.name)) + f.Size }

// appendHead appends what comes before the contents in f's record.
func appendHead(dst []byte, f *file) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(f.name)))
	dst = append(dst, f.name...)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(f.Size))
	dst = binary.LittleEndian.AppendUint32(dst, f.Mode)
	return binary.LittleEndian.AppendUint64(dst, uint64(f.ModTime))
}

// isHead reports whether h, which is as long as what appendHead appends for f,
// says the same.
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

// changed reports that f has no longer the size with which it was listed.
func changed(f *file) error {
	return fmt.Errorf("%s changed while it was read: it is no longer %d bytes long", f.path, f.Size)
}

// damaged reports that the stream does not hold f's record.
func damaged(f *file, how string) error {
	return fmt.Errorf("the stream does not hold %s: %s", f.path, how)
}

// short reports that the stream could not be read to the end of f's record.
func short(f *file, err error) error {
	return fmt.Errorf("the stream does not hold %s: %w", f.path, err)
}
