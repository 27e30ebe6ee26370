package source

import "strings"

// How a function treats bytes that it is given.
type treatment int

const (
	unknown treatment = iota
	borrows           // reads or writes them during the call
	shows             // its result shows them
)

// borrowing are methods that do not keep the bytes that they are given, by the contract of
// the interface that has their name.
var borrowing = set(`Read ReadAt ReadFull ReadFrom ReadFromUDP ReadFromUDPAddrPort ReadMsgUDP Write WriteAt
	WriteTo WriteToUDP WriteToUDPAddrPort WriteMsgUDP WriteString XORKeyStream CryptBlocks
	EncodedLen DecodedLen Uint16 Uint32 Uint64 PutUint16 PutUint32 PutUint64 Verify Equal UnmarshalBinary`)

// using are methods of buffers and readers that do not show what they are made of.
var using = set(`Reset Len Cap Size Seek Grow Truncate Available String Close Flush WriteByte WriteRune ReadByte ReadRune
	ReadString UnreadByte UnreadRune Encode Decode Token More SetIndent SetEscapeHTML Buffered Discard`)

// showing are methods whose result shows their receiver, or the bytes that they are given.
var showing = set("Bytes Next Peek AvailableBuffer Seal Open Sum AppendEncode AppendDecode AppendUint16 AppendUint32 AppendUint64")

// appending reports whether a method of showing appends to the bytes that it is given first.
func appending(method string) bool {
	return strings.HasPrefix(method, "Append") || method == "Seal" || method == "Open" || method == "Sum"
}

// In these packages of the standard library a function borrows, except for those in showingFuncs and those that append.
var borrowingPkgs = set(`bytes encoding/binary encoding/hex encoding/base64 encoding/json encoding/xml fmt io io/ioutil os strconv
	unicode/utf8 hash/crc32 hash/crc64 hash/adler32 hash/fnv crypto/sha1 crypto/sha256 crypto/sha512 crypto/md5
	crypto/subtle crypto/rand math/rand math/big encoding/base32 syscall regexp sort slices`)

var showingFuncs = set(`bytes.TrimRight bytes.TrimLeft bytes.TrimSpace bytes.Trim bytes.TrimPrefix bytes.TrimSuffix bytes.TrimFunc bytes.TrimLeftFunc
	bytes.TrimRightFunc bytes.Cut bytes.CutPrefix bytes.CutSuffix bytes.Fields bytes.FieldsFunc bytes.Split bytes.SplitN
	bytes.SplitAfter bytes.SplitAfterN bytes.SplitAfterSeq bytes.Lines bytes.SplitSeq bytes.FieldsSeq bytes.FieldsFuncSeq bytes.NewReader bytes.NewBuffer
	io.NopCloser io/ioutil.NopCloser io.LimitReader io.TeeReader io.MultiReader io.NewSectionReader io.NewOffsetWriter io.MultiWriter
	encoding/json.RawMessage encoding/xml.CharData encoding/xml.Comment encoding/xml.Directive encoding/json.NewEncoder encoding/json.NewDecoder encoding/xml.NewEncoder encoding/xml.NewDecoder encoding/xml.NewTokenDecoder
	encoding/base32.NewEncoder encoding/base32.NewDecoder encoding/base64.NewEncoder encoding/base64.NewDecoder encoding/hex.NewEncoder encoding/hex.NewDecoder encoding/hex.Dumper
	bufio.NewReader bufio.NewReaderSize bufio.NewScanner bufio.NewWriter bufio.NewWriterSize
	compress/gzip.NewReader compress/gzip.NewWriter compress/zlib.NewReader compress/zlib.NewWriter compress/flate.NewReader compress/flate.NewWriter
	slices.Grow slices.Clip slices.Insert slices.Delete slices.DeleteFunc slices.Replace slices.Compact slices.CompactFunc slices.Chunk
	encoding/gob.NewEncoder encoding/csv.NewWriter mime/quotedprintable.NewWriter math/big.FillBytes net.IP
	slices.All slices.Values slices.Backward syscall.ParseNetlinkMessage syscall.ParseNetlinkRouteAttr syscall.ParseSocketControlMessage`)

// copying are functions elsewhere that copy what they need of the bytes.
var copying = set(`crypto/hmac.New crypto/hmac.Equal runtime.Stack
	google.golang.org/protobuf/proto.Unmarshal github.com/golang/protobuf/proto.Unmarshal
	github.com/gobwas/ws/wsutil.WriteMessage github.com/gobwas/ws/wsutil.WriteServerMessage github.com/gobwas/ws/wsutil.WriteClientMessage
	github.com/gogo/protobuf/proto.Unmarshal github.com/klauspost/crc32.ChecksumIEEE github.com/klauspost/crc32.Update`)

// stateless are packages whose types keep no bytes that their methods are given.
var stateless = set("encoding/base32 encoding/base64 encoding/binary math/big")

// lent are methods that borrow in packages that import a certain one.
var lent = map[string]string{
	".WriteMessage": "github.com/gorilla/websocket",
}

// treat returns how the function treats its argument, if its name says so.
func treat(name string) treatment {
	if method, ok := strings.CutPrefix(name, "."); ok {
		switch {
		case showing[method]:
			return shows
		case borrowing[method]:
			return borrows
		}
		return unknown
	}
	dot := strings.LastIndexByte(name, '.')
	switch std := dot > 0 && borrowingPkgs[name[:dot]]; {
	case showingFuncs[name], std && strings.HasPrefix(name[dot+1:], "Append"):
		return shows
	case std, copying[name]:
		return borrows
	}
	return unknown
}

func set(names string) map[string]bool {
	m := make(map[string]bool)
	for _, name := range strings.Fields(names) {
		m[name] = true
	}
	return m
}
