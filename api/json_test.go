//lint:file-ignore SA1019 deprecated types are exported, too

package api_test

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/octet-go/octet/binary"
	"github.com/octet-go/octet/bytebuf"
	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	"github.com/octet-go/octet/bytespool/stats"
	"github.com/octet-go/octet/checked"
	"github.com/octet-go/octet/checked/finding"
	compat "github.com/octet-go/octet/compat/binary"
	compatpool "github.com/octet-go/octet/compat/bytespool"
	compatbuffer "github.com/octet-go/octet/compat/bytespool/buffer"
	"github.com/octet-go/octet/poolz"
)

// Every type is the same in JSON on all Go releases, whose encoding/json looks for
// different methods, and what has exported fields comes back from it.
func TestJSON(t *testing.T) {
	missing := make(map[string]bool)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		p, typ, ok := strings.Cut(strings.TrimSpace(line), ": type ")
		if ok && !strings.Contains(typ, "interface") && !strings.Contains(typ, "=") {
			name, _, _ := strings.Cut(typ, " ")
			name, _, _ = strings.Cut(name, "[")
			missing[p+"."+name] = true
		}
	}

	const opaque = "{}"
	buf := buffer.Get()
	buf.WriteString("caf\xe9")
	buf.Next(1) // reading leaves B alone
	other := bytebuf.NewBufferString("text")
	for name, c := range map[string]struct {
		v    any    // a pointer
		want string // or empty, for a struct of plain fields
	}{
		"binary.Appender":                 {&binary.BE{1, 2, 3}, `"AQID"`},
		"binary.Big":                      {new(binary.Big), `[{}]`},
		"binary.Little":                   {new(binary.Little), `[]`},
		"binary.Decoder":                  {new(binary.LEDecoder), opaque},
		"binary.Error":                    {new(binary.Error), ""},
		"binary.Mark":                     {new(binary.Mark), opaque},
		"binary.StreamDecoder":            {binary.NewStreamDecoder[binary.Big](other), opaque},
		"binary.StreamEncoder":            {binary.NewStreamEncoder[binary.Big](other), opaque},
		"bytebuf.Buffer":                  {other, opaque},
		"bytespool/buffer.Body":           {buf.Body(), opaque},
		"bytespool/buffer.Buffer":         {buf, `{"B":"Y2Fm6Q=="}`},
		"bytespool/buffer.Pool":           {buffer.NewPool(bytespool.NewPool(bytespool.WithSizes(2, 100))), opaque},
		"bytespool.Allocator":             {new(bytespool.Allocator), opaque},
		"bytespool.BufPool":               {bytespool.NewBufPool(100), opaque},
		"bytespool.Pool":                  {bytespool.NewPool(bytespool.WithSizes(2, 100)), opaque},
		"bytespool/stats.Class":           {new(stats.Class), ""},
		"bytespool.ClearPolicy":           {new(bytespool.ClearPolicy), "0"},
		"bytespool/stats.Options":         {new(stats.Options), ""},
		"bytespool/stats.Dropped":         {new(stats.Dropped), ""},
		"bytespool.Limit":                 {bytespool.NewLimit(1), opaque},
		"bytespool/stats.Limit":           {new(stats.Limit), ""},
		"bytespool.PointerPool":           {new(bytespool.PointerPool), opaque},
		"bytespool/stats.Pressure":        {new(stats.Pressure), ""},
		"bytespool.Reservation":           {new(bytespool.Reservation), opaque},
		"bytespool/stats.Pool":            {new(stats.Pool), ""},
		"checked.Action":                  {new(checked.Action), "0"},
		"checked.Mode":                    {new(checked.Mode), "0"},
		"checked.Options":                 {new(checked.Options), ""},
		"checked/finding.Code":            {new(finding.Code), `""`},
		"checked/finding.Report":          {new(finding.Report), ""},
		"checked/finding.Stack":           {new(finding.Stack), ""},
		"compat/binary.Reader":            {new(compat.Reader), `{"Reader":null,"ByteOrder":null}`},
		"compat/bytespool.CapacityPools":  {compatpool.NewCapacityPools(2, 100), "{}"},
		"compat/bytespool/buffer.Buffer":  {(*compatbuffer.Buffer)(buf), `{"B":"Y2Fm6Q=="}`},
		"compat/bytespool.PoolStat":       {new(compatpool.PoolStat), ""},
		"compat/bytespool.RuntimeSummary": {new(compatpool.RuntimeSummary), ""},
		"compat/binary.WriteChain":        {new(compat.WriteChain), `{"Writer":null,"ByteOrder":null}`},
		"poolz.Var":                       {new(poolz.Var), opaque},
		"checked.Status":                  {new(checked.Status), ""},
	} {
		if c.want == "" {
			fillIn(reflect.ValueOf(c.v).Elem())
		}
		got, err := json.Marshal(c.v)
		if err != nil || c.want != "" && string(got) != c.want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, c.want)
		}
		again := reflect.New(reflect.TypeOf(c.v).Elem())
		if err := json.Unmarshal(got, again.Interface()); err != nil {
			t.Errorf("%s: %s: %v", name, got, err)
		} else if c.want == "" && !reflect.DeepEqual(c.v, again.Interface()) {
			t.Errorf("%s: %+v comes back as %+v", name, c.v, again)
		}
		delete(missing, name)
	}
	for name := range missing {
		t.Errorf("%s is not tested", name)
	}
}

// fillIn sets v, and what it has, to values other than zero.
func fillIn(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fillIn(v.Field(i))
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fillIn(v.Index(1))
	case reflect.Array:
		fillIn(v.Index(0))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillIn(v.Elem())
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(0.5)
	default:
		if v.CanInt() {
			v.SetInt(7)
		} else if v.CanUint() {
			v.SetUint(7)
		}
	}
}
