package oct004

import (
	"bytes"
	"encoding/csv"
	"mime/multipart"
	"sync"
)

var packBufs = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func putPack(b *bytes.Buffer) { packBufs.Put(b) }

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
