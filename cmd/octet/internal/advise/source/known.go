package source

import (
	"regexp"
	"slices"
	"strings"

	"github.com/octet-go/octet/cmd/octet/internal/advise/profiles"
)

// A remedy is what to write in place of a function that allocates for its caller.
type remedy struct {
	what string
	// advice has {v} where the variable that gets the result is assigned, {v.name} where it stands, and {1}, {2} where the
	// arguments stand, or {int 1}, {int 2} as ints.
	advice string
	// result says that the function returns the memory: its advice holds if the caller is
	// the last to use it. Otherwise the function keeps it itself, and it ends with the call.
	result  bool
	release string // bytespool.Release({v.name}) unless it is said here
	below   bool   // the call may be one that another module makes
	grows   bool   // it appends to its first argument
	cleared bool   // what it returns is zero
}

// remedies are by the name of the function, as profiles have it.
var remedies = map[string]remedy{
	"io.ReadAll":        readAll("io.ReadAll grows a slice", "", "{1}"),
	"io/ioutil.ReadAll": readAll("ioutil.ReadAll grows a slice", "", "{1}"),
	"os.ReadFile":       readAll("os.ReadFile", "open the file f; ", "f"),

	"bytes.Clone": {what: "bytes.Clone", result: true, advice: copied + ", or nil if {1} is"},
	"encoding/json.Marshal": {what: "json.Marshal", result: true, release: "bb.Release()",
		advice: "bb := buffer.Get(); err := json.NewEncoder(bb).Encode({1}), which ends in a newline; {v} bb.Bytes()"},
	"google.golang.org/protobuf/proto.Marshal": {what: "proto.Marshal", result: true,
		advice: "{v.name}, err := proto.MarshalOptions{}.MarshalAppend(bytespool.Make(proto.Size({1})), {1})"},

	"github.com/golang/snappy.Decode":                         pass("snappy.Decode", "first", "New(n) with n, err := snappy.DecodedLen({2})"),
	"github.com/golang/snappy.Encode":                         pass("snappy.Encode", "first", "New(snappy.MaxEncodedLen(len({2})))"),
	"github.com/klauspost/compress/s2.Decode":                 pass("s2.Decode", "first", "New(n) with n, err := s2.DecodedLen({2})"),
	"github.com/klauspost/compress/s2.Encode":                 pass("s2.Encode", "first", "New(s2.MaxEncodedLen(len({2})))"),
	"github.com/klauspost/compress/zstd.(*Decoder).DecodeAll": pass("zstd's DecodeAll", "second", "Make(size), for the size that is usual"),
	"github.com/klauspost/compress/zstd.(*Encoder).EncodeAll": pass("zstd's EncodeAll", "second", "Make(size), for the size that is usual"),

	"net/http/httputil.(*ReverseProxy).copyBuffer": {what: "httputil.ReverseProxy copies bodies", below: true,
		advice: "set the proxy's BufferPool to one bytespool.NewBufPool(32 << 10), a variable of the package"},
	"io.Copy": {what: "io.Copy's buffer",
		advice: "b := bytespool.New(32 << 10); io.CopyBuffer({1}, {2}, b); bytespool.Release(b)"},
}

// copied is a copy of what is in parentheses, and not nil.
const copied = "{v} append(bytespool.Make(len({1})), {1}...)"

// readAll is for functions that return all of a reader.
func readAll(what, open, from string) remedy {
	return remedy{what: what, result: true, release: "bb.Release()", advice: open + "bb := buffer.Get(); _, err := bb.ReadFrom(" + from + "); {v} bb.Bytes()"}
}

// pass is for functions that allocate where they are given nil.
func pass(what, argument, made string) remedy {
	return remedy{what: what, result: true, advice: "pass, as the " + argument + " argument, bytespool." + made}
}

// remedyOf returns what to write in place of the call that inner is the stack of, if the called function itself
// allocates: what a reader allocates that it reads from, say, is another matter.
func remedyOf(inner profiles.Stack) (r remedy, ok bool) {
	for i := len(inner) - 1; i >= 0; i-- {
		r, ok = remedies[inner[i].Func]
		if ok && (i == len(inner)-1 || r.below) {
			return r, allocatesFor(inner[i].Func, inner[0].Func)
		}
	}
	return remedy{}, false
}

// allocatesFor reports whether the function of that name allocates on behalf of another one: it is of the same package,
// or grows a slice or a Buffer.
func allocatesFor(function, allocator string) bool {
	return slices.Contains([]string{packagePath(function), "io", "bytes", "slices"}, packagePath(allocator))
}

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
	bytes.TrimRightFunc bytes.CutPrefix bytes.CutSuffix bytes.NewReader bytes.NewBuffer
	io.NopCloser io/ioutil.NopCloser io.LimitReader io.TeeReader io.MultiReader io.NewSectionReader io.NewOffsetWriter io.MultiWriter
	encoding/json.RawMessage encoding/xml.CharData encoding/xml.Comment encoding/xml.Directive encoding/json.NewEncoder encoding/json.NewDecoder encoding/xml.NewEncoder encoding/xml.NewDecoder encoding/xml.NewTokenDecoder
	encoding/base32.NewEncoder encoding/base32.NewDecoder encoding/base64.NewEncoder encoding/base64.NewDecoder encoding/hex.NewEncoder encoding/hex.NewDecoder encoding/hex.Dumper
	bufio.NewReader bufio.NewReaderSize bufio.NewScanner bufio.NewWriter bufio.NewWriterSize
	compress/gzip.NewReader compress/gzip.NewWriter compress/zlib.NewReader compress/zlib.NewWriter compress/flate.NewReader compress/flate.NewWriter
	slices.Grow slices.Clip slices.Insert slices.Delete slices.DeleteFunc slices.Replace slices.Compact slices.CompactFunc
	encoding/gob.NewEncoder encoding/csv.NewWriter mime/quotedprintable.NewWriter net.IP`)

// dividing are functions of these packages that return several slices of the bytes that they are given, or iterators.
var dividing = regexp.MustCompile(`^(bytes\.(Cut$|Fields|Split|Lines)|slices\.(All|Values|Backward|Chunk)$|syscall\.Parse)`)

// copying are functions elsewhere that copy what they need of the bytes.
var copying = set(`crypto/hmac.New crypto/hmac.Equal runtime.Stack
	google.golang.org/protobuf/proto.Unmarshal github.com/golang/protobuf/proto.Unmarshal
	github.com/gobwas/ws/wsutil.WriteMessage github.com/gobwas/ws/wsutil.WriteServerMessage github.com/gobwas/ws/wsutil.WriteClientMessage
	github.com/gogo/protobuf/proto.Unmarshal github.com/klauspost/crc32.ChecksumIEEE github.com/klauspost/crc32.Update`)

// stateless are packages whose types keep no bytes that their methods are given.
var stateless = set("encoding/base32 encoding/base64 encoding/binary")

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
	case dividing.MatchString(name):
		return unknown
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
