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
	Order   int
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

	if r.Order != 0 {
		buf.WriteString(`,"order":`)
		buf.WriteString(strconv.Itoa(r.Order))
	}
	buf.WriteString("}")
	data := buf.Bytes()
	buf.Reset()
	recordBuffers.Put(buf)
	return data, nil
}

type level int

const (
	info level = iota
	warning
	failure
)

type entry struct {
	time    time.Time
	level   level
	message string
	fields  map[string]any
}

type line struct {
	Time     int64
	Host     string
	Severity uint8
	Fields   map[string]any
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
	if e.message != "" {
		e.fields["msg"] = e.message
	}
	switch e.level {
	case info:
		l.Severity = 6
	case warning:
		l.Severity = 4
	case failure:
		l.Severity = 3
	}

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
