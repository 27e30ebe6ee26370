package source

import (
	"fmt"
	"path"
	"strings"

	"github.com/octet-go/octet/cmd/octet/internal/advise/profiles"
)

// A remedy is what to write in place of a function that allocates for its caller.
type remedy struct {
	what string
	// advice has {v} where the variable that gets the result is assigned, {v.name} where it stands, {0} where what the method is
	// called of stands, and {1}, {2} where the arguments stand, or {int 1}, {int 2} as ints.
	advice string
	// result says that the function returns the memory: its advice holds if the caller is
	// the last to use it. Otherwise the function keeps it itself, and ends says until when.
	result  bool
	at      int // which of its results that is
	ends    Ends
	release string // bytespool.Release({v.name}) unless it is said here
	by      string // what allocates, if it is not any function of the same module
	below   bool   // the call may be one that another module makes
	half    bool   // half of what it allocates remains
	grows   bool   // it appends to its first argument
	cleared bool   // what it returns is zero
}

// remedies are by the name of the function, as profiles have it.
var remedies = map[string]remedy{
	"io.ReadAll":        readAll("io.ReadAll grows a slice", "", "{1}"),
	"io/ioutil.ReadAll": readAll("ioutil.ReadAll grows a slice", "", "{1}"),
	"os.ReadFile":       readAll("os.ReadFile", "open the file f", "f"),
	"github.com/gorilla/websocket.(*Conn).ReadMessage": second(readAll("ReadMessage grows a slice", "_, r, err := {0}.NextReader()", "r")),
	"github.com/coder/websocket.(*Conn).Read":          second(readAll("Read grows a slice", "_, r, err := {0}.Reader({1})", "r")),
	"github.com/gobwas/ws/wsutil.ReadClientData": readAll("ReadClientData makes a slice",
		"r := &wsutil.Reader{Source: {1}, State: ws.StateServerSide}; header, err := r.NextFrame(), with control frames handled", "r"),

	"bytes.Clone": {what: "bytes.Clone", result: true, advice: copied + ", or nil if {1} is"},
	"encoding/json.Marshal": {what: "json.Marshal", result: true, release: "bb.Release()",
		advice: "bb := buffer.Get(); err := json.NewEncoder(bb).Encode({1}), which ends in a newline; {v} bb.Bytes()"},
	"google.golang.org/protobuf/proto.Marshal": {what: "proto.Marshal", result: true,
		advice: "{v.name}, err := proto.MarshalOptions{}.MarshalAppend(bytespool.Make(proto.Size({1})), {1})"},

	"encoding/hex.EncodeToString":                toString("hex.EncodeToString", "hex"),
	"encoding/hex.DecodeString":                  decodeString("hex.DecodeString", "hex"),
	"encoding/hex.AppendEncode":                  appendTo("hex.AppendEncode", "hex.EncodedLen(len({2}))"),
	"encoding/hex.AppendDecode":                  appendTo("hex.AppendDecode", "hex.DecodedLen(len({2}))"),
	"encoding/base64.(*Encoding).EncodeToString": toString("base64's EncodeToString", "{0}"),
	"encoding/base64.(*Encoding).DecodeString":   decodeString("base64's DecodeString", "{0}"),
	"encoding/base64.(*Encoding).AppendEncode":   appendTo("base64's AppendEncode", "{0}.EncodedLen(len({2}))"),
	"encoding/base64.(*Encoding).AppendDecode":   appendTo("base64's AppendDecode", "{0}.DecodedLen(len({2}))"),

	"github.com/golang/snappy.Decode":                         decode("snappy"),
	"github.com/golang/snappy.Encode":                         encode("snappy"),
	"github.com/klauspost/compress/snappy.Decode":             decode("snappy"),
	"github.com/klauspost/compress/snappy.Encode":             encode("snappy"),
	"github.com/klauspost/compress/s2.Decode":                 decode("s2"),
	"github.com/klauspost/compress/s2.Encode":                 encode("s2"),
	"github.com/klauspost/compress/zstd.(*Decoder).DecodeAll": zstd("DecodeAll"),
	"github.com/klauspost/compress/zstd.(*Encoder).EncodeAll": zstd("EncodeAll"),

	"image.NewRGBA":  newImage("RGBA", 4),
	"image.NewNRGBA": newImage("NRGBA", 4),
	"image.NewGray":  newImage("Gray", 1),
	"image.NewAlpha": newImage("Alpha", 1),

	"net/http/httputil.(*ReverseProxy).copyBuffer": {what: "httputil.ReverseProxy copies bodies", ends: Here, below: true,
		advice: "set the proxy's BufferPool to one bytespool.NewBufPool(32 << 10), a variable of the package"},
	"io.Copy": {what: "io.Copy's buffer", ends: Here, by: "io.copyBuffer",
		advice: "b := bytespool.New(32 << 10); io.CopyBuffer({1}, {2}, b); bytespool.Release(b)"},
	"io.CopyN": {what: "io.CopyN's buffer", ends: Here, by: "io.copyBuffer",
		advice: "b := bytespool.New(32 << 10); n, err := io.CopyBuffer({1}, io.LimitReader({2}, {3}), b), and io.EOF if n is less; bytespool.Release(b)"},

	"bufio.NewReader":     keep("Reader"),
	"bufio.NewReaderSize": keep("Reader"),
	"bufio.NewWriter":     keep("Writer"),
	"bufio.NewWriterSize": keep("Writer"),
}

// copied is a copy of what is in parentheses, and not nil.
const copied = "{v} append(bytespool.Make(len({1})), {1}...)"

func readAll(what, open, from string) remedy {
	if open != "" {
		open += "; "
	}
	return remedy{what: what, result: true, release: "bb.Release()", advice: open + "bb := buffer.Get(); _, err := bb.ReadFrom(" + from + "); {v} bb.Bytes()"}
}

func second(r remedy) remedy { r.at = 1; return r }

// toString is for functions that encode into memory of their own, and copy that to a string.
func toString(what, of string) remedy {
	return remedy{what: what, ends: Here, half: true, advice: strings.ReplaceAll(
		"b := OF.AppendEncode(bytespool.Make(OF.EncodedLen(len({1}))), {1}); {v} string(b); bytespool.Release(b); better, use b in place of the string", "OF", of)}
}

func decodeString(what, of string) remedy {
	return remedy{what: what, result: true, advice: strings.ReplaceAll(
		"{v.name}, err := OF.AppendDecode(bytespool.Make(OF.DecodedLen(len({1}))), []byte({1}))", "OF", of)}
}

func appendTo(what, size string) remedy {
	return remedy{what: what + "(nil, …)", result: true, advice: "pass bytespool.Make(" + size + ") as the first argument"}
}

func decode(pkg string) remedy {
	return remedy{what: pkg + ".Decode(nil, …)", result: true, advice: strings.ReplaceAll(
		"n, err := PKG.DecodedLen({2}); {v.name}, err := PKG.Decode(bytespool.New(n), {2})", "PKG", pkg)}
}

func encode(pkg string) remedy {
	return remedy{what: pkg + ".Encode(nil, …)", result: true, advice: strings.ReplaceAll(
		"{v} PKG.Encode(bytespool.New(PKG.MaxEncodedLen(len({2}))), {2})", "PKG", pkg)}
}

func zstd(method string) remedy {
	return remedy{what: "zstd's " + method + "(…, nil)", result: true, advice: "pass bytespool.Make(size) as the second argument, for the size that is usual"}
}

// newImage is for images with so many bytes a pixel.
func newImage(kind string, bytes int) remedy {
	return remedy{what: "image.New" + kind, result: true, release: "bytespool.Release({v.name}.Pix)", advice: fmt.Sprintf("r := {1}; pix := bytespool.New(%d * r.Dx() * r.Dy()); "+
		"clear(pix), for not every pixel is certain to be written before it is read; {v} &image.%s{Pix: pix, Stride: %[1]d * r.Dx(), Rect: r}", bytes, kind)}
}

func keep(kind string) remedy {
	return remedy{what: "a bufio." + kind + "'s buffer", ends: Unknown, advice: "keep the bufio." + kind + " for the next use, and Reset it"}
}

// remedyOf returns what to write in place of the call that inner is the stack of, if the called function itself
// allocates: what a reader allocates that it reads from, say, is another matter.
func remedyOf(inner profiles.Stack) (r remedy, ok bool) {
	for i := len(inner) - 1; i >= 0; i-- {
		r, ok = remedies[inner[i].Func]
		if ok && (i == len(inner)-1 || r.below) {
			return r, r.by == inner[0].Func || r.by == "" && allocatesFor(inner[i].Func, inner[0].Func)
		}
	}
	return remedy{}, false
}

// allocatesFor reports whether the function of that name allocates on behalf of another one: it is of the same package,
// of the same module, or grows a slice or a Buffer.
func allocatesFor(function, allocator string) bool {
	own, its := packagePath(function), packagePath(allocator)
	switch its {
	case own, "io", "bytes", "slices":
		return true
	}
	module := path.Dir(own) + "/"
	return strings.Contains(module, ".") && strings.HasPrefix(its, module)
}

func isKnown(name string) bool {
	_, ok := remedies[name]
	return ok
}
