package oct004

import (
	"bytes"
	"compress/flate"
	"compress/lzw"
	"encoding/csv"
	"encoding/json"
	"mime/multipart"
	"sync"
)

// A packed is memory to compress into.
type packed struct{ b []byte }

func (p *packed) Write(data []byte) (int, error) {
	p.b = append(p.b, data...)
	return len(data), nil
}

var (
	packedPool = sync.Pool{New: func() any { return new(packed) }}
	packBufs   = sync.Pool{New: func() any { return new(bytes.Buffer) }}
)

func putPack(b *bytes.Buffer) { packBufs.Put(b) }

// bad: there may be no such level
func deflateAt(level int, data []byte) ([]byte, error) {
	buf := packBufs.Get().(*bytes.Buffer) // want "OCT004: buf is not released on every path"
	buf.Reset()
	zw, err := flate.NewWriter(buf, level)
	if err != nil {
		return nil, err
	}
	if _, err := zw.Write(data); err != nil {
		return nil, err
	}
	if err := zw.Close(); err != nil {
		return nil, err
	}
	out := bytes.Clone(buf.Bytes())
	putPack(buf)
	return out, nil
}

// ok: bytes are what eight bits hold
func lzwPacked(data []byte) (*packed, error) {
	p := packedPool.Get().(*packed)
	zw := lzw.NewWriter(p, lzw.LSB, 8)
	if _, err := zw.Write(data); err != nil {
		return nil, err
	}
	return p, nil
}

// bad: not every value can be encoded
func encodePacked(v any) ([]byte, error) {
	buf := packBufs.Get().(*bytes.Buffer) // want "OCT004: buf is not released on every path"
	buf.Reset()
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		return nil, err
	}
	out := bytes.Clone(buf.Bytes())
	putPack(buf)
	return out, nil
}

// ok: a form in memory is written whole
func formPacked(name string, data []byte) ([]byte, error) {
	buf := packBufs.Get().(*bytes.Buffer)
	buf.Reset()
	mw := multipart.NewWriter(buf)
	part, err := mw.CreateFormFile("file", name)
	if err != nil {
		return nil, err
	}
	if _, err := part.Write(data); err != nil {
		return nil, err
	}
	if err := mw.WriteField("name", name); err != nil {
		return nil, err
	}
	if err := mw.Close(); err != nil {
		return nil, err
	}
	out := bytes.Clone(buf.Bytes())
	putPack(buf)
	return out, nil
}

// ok: rows of texts are no trouble
func rowsPacked(rows [][]string) ([]byte, error) {
	buf := packBufs.Get().(*bytes.Buffer)
	buf.Reset()
	cw := csv.NewWriter(buf)
	for _, row := range rows {
		if err := cw.Write(row); err != nil {
			return nil, err
		}
	}
	cw.Flush()
	if err := cw.Error(); err != nil {
		return nil, err
	}
	out := bytes.Clone(buf.Bytes())
	putPack(buf)
	return out, nil
}
