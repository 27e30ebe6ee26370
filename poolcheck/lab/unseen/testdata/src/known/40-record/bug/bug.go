// Package bug encodes the records of a store and the lines of its log.
package bug

import (
	"bytes"
	"encoding/json"
	"strconv"
	"sync"
	"time"
)

var recordBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// A record is what a client stores under a name.
type record struct {
	Name    string
	Changed int // in milliseconds
	Content string
}

func seconds(ms int) string {
	return strconv.FormatFloat(float64(ms)/1000, 'f', 2, 64)
}

func (r record) MarshalJSON() ([]byte, error) {
	buf := recordBuffers.Get().(*bytes.Buffer)
	buf.WriteString(`{"name":`)
	if name, err := json.Marshal(r.Name); err == nil {
		buf.Write(name)
	} else {
		buf.Reset()
		recordBuffers.Put(buf)
		return nil, err
	}

	buf.WriteString(`,"changed":`)
	buf.WriteString(seconds(r.Changed))

	buf.WriteString(`,"content":`)
	if content, err := json.Marshal(r.Content); err == nil {
		buf.Write(content)
	} else {
		buf.Reset()
		recordBuffers.Put(buf)
		return nil, err
	}

	buf.WriteString("}")
	data := buf.Bytes()
	buf.Reset()
	recordBuffers.Put(buf)
	return data, nil
}

type entry struct {
	time   time.Time
	fields map[string]any
}

type line struct {
	Time   int64
	Host   string
	Fields map[string]any
}

var lineBuffers = sync.Pool{
	New: func() any {
		return new(bytes.Buffer)
	},
}

type formatter struct{ host string }

// Format is called by the logger, which writes what it returns.
func (f *formatter) Format(e *entry) ([]byte, error) {
	l := &line{Time: e.time.UnixNano(), Host: f.host, Fields: e.fields}

	b := lineBuffers.Get().(*bytes.Buffer)
	defer func() {
		b.Reset()
		lineBuffers.Put(b)
	}()
	if err := json.NewEncoder(b).Encode(l); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
