package api_test

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/octet-go/octet/binary"
	"github.com/octet-go/octet/bytebuf"
	"github.com/octet-go/octet/bytespool/buffer"
	compat "github.com/octet-go/octet/compat/binary"
	compatbuffer "github.com/octet-go/octet/compat/bytespool/buffer"
	"github.com/octet-go/octet/compat/bytespool/readerpool"
)

// A greedy Writer, and Reader, appends to the slices that it is given.
type greedy struct {
	t    *testing.T
	name string
	left int
}

func (g *greedy) use(p []byte) {
	if cap(p) > len(p) {
		g.t.Errorf("%s: a slice of %d bytes with capacity %d", g.name, len(p), cap(p))
	}
	_ = append(p, '\n')
}

func (g *greedy) Write(p []byte) (int, error) {
	g.use(p)
	return len(p), nil
}

func (g *greedy) Read(p []byte) (int, error) {
	g.use(p)
	if g.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), g.left)
	g.left -= n
	return n, nil
}

// No Writer and no Reader is given memory beyond the slice that it is to use: appending
// to it would change what strings, other owners and later writes have there.
func TestSlicesForOthersAreClipped(t *testing.T) {
	text := append(make([]byte, 0, 1<<20), strings.Repeat("text ", 2000)...)
	for name, f := range map[string]func(g *greedy){
		"bytebuf.Buffer.WriteTo": func(g *greedy) {
			var b bytebuf.Buffer
			b.Write(text)
			s := b.String()
			b.Truncate(50)
			b.WriteTo(g)
			if s != string(text) {
				t.Error("a string has changed")
			}
		},
		"bytebuf.Buffer.ReadFrom": func(g *greedy) { new(bytebuf.Buffer).ReadFrom(g) },
		"bytebuf.NewReader": func(g *greedy) {
			var b bytebuf.Buffer
			b.Write(text[:100])
			bytebuf.NewReader(&b).WriteTo(g)
		},
		"buffer.Buffer.WriteTo": func(g *greedy) {
			b := buffer.Make(1000)
			defer b.Release()
			b.WriteString("content")
			b.WriteTo(g)
		},
		"buffer.Buffer.ReadFrom": func(g *greedy) {
			b := buffer.Make(8000)
			defer b.Release()
			b.Write(text[:8000]) // reads into another slice when it is full
			b.ReadFrom(g)
		},
		"compat/buffer.Buffer.GetReader": func(g *greedy) {
			b := compatbuffer.Make(1000)
			defer b.Release()
			b.WriteString("content")
			r := b.GetReader()
			r.WriteTo(g)
			b.PutReader(r)
		},
		"compat/buffer.GetReader": func(g *greedy) {
			r := compatbuffer.GetReader(text)
			r.WriteTo(g)
			compatbuffer.PutReader(r)
		},
		"readerpool.New": func(g *greedy) {
			r := readerpool.New(text)
			r.WriteTo(g)
			readerpool.Release(r)
		},
		"compat/binary.WriteChain": func(g *greedy) {
			c := &compat.WriteChain{Writer: g, ByteOrder: compat.BigEndian}
			callAll(reflect.ValueOf(c), text)
			if _, err := c.End(); err != nil {
				t.Error(err)
			}
		},
		"compat/binary.Reader": func(g *greedy) {
			g.left = 1 << 20
			r := &compat.Reader{Reader: g, ByteOrder: compat.BigEndian}
			callAll(reflect.ValueOf(r), text)
			if _, err := r.End(); err != nil {
				t.Error(err)
			}
		},
		"binary.StreamEncoder": func(g *greedy) {
			e := binary.NewStreamEncoder[binary.Little](g)
			e.Uint32(1).String("text").Bytes(text).String(string(text)).Write(text)
			if err := errors.Join(e.Flush(), e.Close()); err != nil {
				t.Error(err)
			}
		},
		"binary.StreamDecoder": func(g *greedy) {
			g.left = 1 << 20
			d := binary.NewStreamDecoder[binary.Little](g)
			d.Uint32()
			d.Bytes(10_000)
			d.Read(text)
			if err := d.Err(); err != nil {
				t.Error(err)
			}
		},
	} {
		f(&greedy{t: t, name: name, left: 100_000})
	}
}

// callAll calls all methods of v whose arguments it can make.
func callAll(v reflect.Value, text []byte) {
	for i := range v.NumMethod() {
		m := v.Type().Method(i)
		if m.Name == "End" {
			continue
		}
		var args []reflect.Value
		for j := range v.Method(i).Type().NumIn() {
			switch in := v.Method(i).Type().In(j); in.Kind() {
			case reflect.Slice:
				args = append(args, reflect.ValueOf(text))
			case reflect.String:
				args = append(args, reflect.ValueOf(string(text)))
			default:
				args = append(args, reflect.New(in).Elem())
			}
		}
		v.Method(i).Call(args)
	}
}
