//lint:file-ignore SA1019 deprecated types are exported, too

package api_test

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/octet-go/octet/binary"
	"github.com/octet-go/octet/bytebuf"
	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	"github.com/octet-go/octet/checked"
	"github.com/octet-go/octet/checked/finding"
	compat "github.com/octet-go/octet/compat/binary"
	compatpool "github.com/octet-go/octet/compat/bytespool"
	compatbuffer "github.com/octet-go/octet/compat/bytespool/buffer"
	"github.com/octet-go/octet/poolz"
)

// Every type with methods is the same in JSON on all Go releases, whose encoding/json looks
// for different ones.
func TestJSON(t *testing.T) {
	missing := make(map[string]bool)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	method := regexp.MustCompile(`^(.*): method \(\*?(\w+)`)
	for line := range strings.Lines(string(text)) {
		if m := method.FindStringSubmatch(line); m != nil {
			missing[m[1]+"."+m[2]] = true
		}
	}

	const opaque = "{}"
	buf := buffer.Get()
	buf.WriteString("caf\xe9")
	buf.Next(1) // reading leaves B alone
	other := bytebuf.NewBufferString("text")
	for name, c := range map[string]struct {
		v    any // a pointer
		want string
	}{
		"binary.Appender":                {&binary.BE{1, 2, 3}, `"AQID"`},
		"binary.Big":                     {new(binary.Big), `[{}]`},
		"binary.Little":                  {new(binary.Little), `[]`},
		"binary.Decoder":                 {new(binary.LEDecoder), opaque},
		"binary.Error":                   {new(binary.Error), `{"Offset":0,"Field":"","Want":0,"Have":0,"Err":null}`},
		"binary.Mark":                    {new(binary.Mark), opaque},
		"binary.StreamDecoder":           {binary.NewStreamDecoder[binary.Big](other), opaque},
		"binary.StreamEncoder":           {binary.NewStreamEncoder[binary.Big](other), opaque},
		"bytebuf.Buffer":                 {other, opaque},
		"bytespool/buffer.Body":          {buf.Body(), opaque},
		"bytespool/buffer.Buffer":        {buf, `{"B":"Y2Fm6Q=="}`},
		"bytespool/buffer.Pool":          {buffer.NewPool(bytespool.NewPool(bytespool.WithSizes(2, 100))), opaque},
		"bytespool.Allocator":            {new(bytespool.Allocator), opaque},
		"bytespool.BufPool":              {bytespool.NewBufPool(100), opaque},
		"bytespool.Pool":                 {bytespool.NewPool(bytespool.WithSizes(2, 100)), opaque},
		"bytespool.ClearPolicy":          {new(bytespool.ClearPolicy), "0"},
		"bytespool.Limit":                {bytespool.NewLimit(1), opaque},
		"bytespool.PointerPool":          {new(bytespool.PointerPool), opaque},
		"bytespool.Reservation":          {new(bytespool.Reservation), opaque},
		"checked.Action":                 {new(checked.Action), "0"},
		"checked.Mode":                   {new(checked.Mode), "0"},
		"checked/finding.Code":           {new(finding.Code), `""`},
		"checked/finding.Report":         {new(finding.Report), `{"Code":"","What":"","Object":"","Size":0,"Pool":"","Age":0,"Idle":0,"Acquired":null,"Released":null,"Now":null,"Count":0}`},
		"checked/finding.Stack":          {new(finding.Stack), `{"Title":"","PCs":null}`},
		"compat/binary.Reader":           {new(compat.Reader), `{"Reader":null,"ByteOrder":null}`},
		"compat/bytespool.CapacityPools": {compatpool.NewCapacityPools(2, 100), "{}"},
		"compat/bytespool/buffer.Buffer": {(*compatbuffer.Buffer)(buf), `{"B":"Y2Fm6Q=="}`},
		"compat/binary.WriteChain":       {new(compat.WriteChain), `{"Writer":null,"ByteOrder":null}`},
		"poolz.Var":                      {new(poolz.Var), opaque},
	} {
		got, err := json.Marshal(c.v)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, c.want)
		}
		again := reflect.New(reflect.TypeOf(c.v).Elem())
		if err := json.Unmarshal(got, again.Interface()); err != nil {
			t.Errorf("%s: %s: %v", name, got, err)
		}
		delete(missing, name)
	}
	for name := range missing {
		t.Errorf("%s is not tested", name)
	}
}
