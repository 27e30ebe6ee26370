package oct004

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/lzw"
	"encoding/csv"
	"encoding/json"
	"io"
	"mime/multipart"
	"sync"
)

// A packed is memory to compress into.
type packed struct{ b []byte }

func (p *packed) Write(data []byte) (int, error) {
	p.b = append(p.b, data...)
	return len(data), nil
}

// A bounded has room for so much, and no more.
type bounded struct{ b []byte }

func (p *bounded) Write(data []byte) (int, error) {
	if len(p.b)+len(data) > cap(p.b) {
		return 0, io.ErrShortBuffer
	}
	p.b = append(p.b, data...)
	return len(data), nil
}

var (
	packedPool  = sync.Pool{New: func() any { return new(packed) }}
	boundedPool = sync.Pool{New: func() any { return &bounded{make([]byte, 0, 1024)} }}
	packBufs    = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	zippers     = sync.Pool{New: func() any { return gzip.NewWriter(io.Discard) }}
)

func putPack(b *bytes.Buffer) { packBufs.Put(b) }

// ok: nothing that is written to memory fails
func zipPacked(data []byte) (*packed, error) {
	p := packedPool.Get().(*packed)
	zw := zippers.Get().(*gzip.Writer)
	zw.Reset(p)
	if _, err := zw.Write(data); err != nil {
		return nil, err
	}
	if err := zw.Close(); err != nil {
		return nil, err
	}
	zippers.Put(zw)
	return p, nil
}

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

// bad: what is copied has to be read, which may fail
func formCopied(name string, r io.Reader) ([]byte, error) {
	buf := packBufs.Get().(*bytes.Buffer) // want "OCT004: buf is not released on every path"
	buf.Reset()
	mw := multipart.NewWriter(buf)
	part, err := mw.CreateFormFile("file", name)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(part, r); err != nil {
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

// bad: a row that is empty is none
func rowsChecked(rows [][]string) ([]byte, error) {
	buf := packBufs.Get().(*bytes.Buffer) // want "OCT004: buf is not released on every path"
	buf.Reset()
	cw := csv.NewWriter(buf)
	for _, row := range rows {
		if len(row) == 0 {
			return nil, io.ErrUnexpectedEOF
		}
		if err := cw.Write(row); err != nil {
			return nil, err
		}
	}
	cw.Flush()
	out := bytes.Clone(buf.Bytes())
	putPack(buf)
	return out, nil
}
