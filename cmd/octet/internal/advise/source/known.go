package source

import (
	"strings"
)

// A remedy is what to write in place of a function that allocates for its caller.
type remedy struct {
	what string
	// advice has {v} where the variable that gets the result is assigned, {v.name} where it stands, and {1}, {2} where the
	// arguments stand.
	advice string
	// result says that the function returns the memory: its advice holds if the caller is
	// the last to use it. Otherwise the function keeps it itself, and ends says until when.
	result bool
	at     int // which of its results that is
	ends   Ends
}

const readAll = "bb := buffer.Get(); _, err := bb.ReadFrom({1}); {v} bb.Bytes()"

// remedies are by the name of the function, as profiles have it. Those that are methods of the
// documented type stand for all its methods where the name ends in a dot.
var remedies = map[string]remedy{
	"io.ReadAll":                {what: "io.ReadAll grows a slice", advice: readAll, result: true},
	"io/ioutil.ReadAll":         {what: "ioutil.ReadAll grows a slice", advice: readAll, result: true},
	"os.ReadFile":               {what: "os.ReadFile", advice: "open the file f, then " + strings.Replace(readAll, "{1}", "f", 1), result: true},
	"bytes.Clone":               {what: "bytes.Clone", advice: "{v} bytespool.NewBytes({1})", result: true},
	"encoding/json.Marshal":     {what: "json.Marshal", advice: "bb := buffer.Get(); err := json.NewEncoder(bb).Encode({1}), which ends in a newline; {v} bb.Bytes()", result: true},
	"encoding/hex.DecodeString": {what: "hex.DecodeString", advice: "{v.name}, err := hex.AppendDecode(bytespool.Make(hex.DecodedLen(len({1}))), []byte({1}))", result: true},
	"github.com/golang/snappy.Decode": {what: "snappy.Decode(nil, …)", result: true,
		advice: "n, err := snappy.DecodedLen({2}); {v.name}, err := snappy.Decode(bytespool.New(n), {2})"},
	"github.com/golang/snappy.Encode": {what: "snappy.Encode(nil, …)", result: true,
		advice: "{v} snappy.Encode(bytespool.New(snappy.MaxEncodedLen(len({2}))), {2})"},
	"github.com/klauspost/compress/snappy.Decode": {what: "snappy.Decode(nil, …)", result: true,
		advice: "n, err := snappy.DecodedLen({2}); {v.name}, err := snappy.Decode(bytespool.New(n), {2})"},
	"github.com/klauspost/compress/snappy.Encode": {what: "snappy.Encode(nil, …)", result: true,
		advice: "{v} snappy.Encode(bytespool.New(snappy.MaxEncodedLen(len({2}))), {2})"},
	"github.com/klauspost/compress/s2.Decode": {what: "s2.Decode(nil, …)", result: true,
		advice: "n, err := s2.DecodedLen({2}); {v.name}, err := s2.Decode(bytespool.New(n), {2})"},
	"github.com/klauspost/compress/s2.Encode": {what: "s2.Encode(nil, …)", result: true,
		advice: "{v} s2.Encode(bytespool.New(s2.MaxEncodedLen(len({2}))), {2})"},
	"github.com/klauspost/compress/zstd.(*Decoder).DecodeAll": {what: "zstd's DecodeAll(…, nil)", result: true,
		advice: "pass bytespool.Make(size) as the second argument, for the size that is usual"},
	"github.com/klauspost/compress/zstd.(*Encoder).EncodeAll": {what: "zstd's EncodeAll(…, nil)", result: true,
		advice: "pass bytespool.Make(size) as the second argument, for the size that is usual"},
	"google.golang.org/protobuf/proto.Marshal": {what: "proto.Marshal", result: true,
		advice: "{v.name}, err := proto.MarshalOptions{}.MarshalAppend(bytespool.Make(proto.Size({1})), {1})"},
	"net/http/httputil.(*ReverseProxy).": {what: "httputil.ReverseProxy copies bodies", ends: Here,
		advice: "set the proxy's BufferPool to one bytespool.NewBufPool(32 << 10), a variable of the package"},
	"io.Copy": {what: "io.Copy's buffer", ends: Here,
		advice: "b := bytespool.New(32 << 10); io.CopyBuffer({1}, {2}, b); bytespool.Release(b)"},
	"io.CopyN": {what: "io.CopyN's buffer", ends: Here,
		advice: "b := bytespool.New(32 << 10); io.CopyBuffer({1}, io.LimitReader({2}, {3}), b); bytespool.Release(b)"},
	"bufio.NewReader":     {what: "a bufio.Reader's buffer", advice: "keep the bufio.Reader for the next use, and Reset it", ends: Unknown},
	"bufio.NewReaderSize": {what: "a bufio.Reader's buffer", advice: "keep the bufio.Reader for the next use, and Reset it", ends: Unknown},
	"bufio.NewWriter":     {what: "a bufio.Writer's buffer", advice: "keep the bufio.Writer for the next use, and Reset it", ends: Unknown},
	"bufio.NewWriterSize": {what: "a bufio.Writer's buffer", advice: "keep the bufio.Writer for the next use, and Reset it", ends: Unknown},
	"github.com/gorilla/websocket.(*Conn).ReadMessage": {what: "ReadMessage grows a slice", result: true, at: 1,
		advice: "_, r, err := conn.NextReader(); " + strings.Replace(readAll, "{1}", "r", 1)},
	"github.com/gobwas/ws/wsutil.ReadClientData": {what: "ReadClientData grows a slice", result: true,
		advice: "r := &wsutil.Reader{Source: {1}, State: ws.StateServerSide}; header, err := r.NextFrame(), with control frames handled; " + strings.Replace(readAll, "{1}", "r", 1)},
	"github.com/coder/websocket.(*Conn).Read": {what: "Read grows a slice", result: true, at: 1,
		advice: "_, r, err := conn.Reader(ctx); " + strings.Replace(readAll, "{1}", "r", 1)},
}

// methods are the entries of remedies that stand for all methods of a type.
var methods = func() (all []string) {
	for name := range remedies {
		if strings.HasSuffix(name, ".") {
			all = append(all, name)
		}
	}
	return all
}()

// known returns the remedy for a function.
func known(name string) (remedy, bool) {
	if r, ok := remedies[name]; ok {
		return r, true
	}
	for _, m := range methods {
		if strings.HasPrefix(name, m) {
			return remedies[m], true
		}
	}
	return remedy{}, false
}

func isKnown(name string) bool {
	_, ok := known(name)
	return ok
}
