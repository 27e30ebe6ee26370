// Package bug handles commands and encodes the replies in the client's format.
package bug

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"io"
	"sync"
)

type format int

const (
	formatJSON format = iota
	formatBinary
)

type reply struct {
	ID    uint32
	Error string
	Data  []byte
}

type encoder interface {
	Reset()
	Encode(r *reply) error
	Finish() []byte
}

type jsonEncoder struct{ buf bytes.Buffer }

func (e *jsonEncoder) Reset() { e.buf.Reset() }

func (e *jsonEncoder) Encode(r *reply) error {
	return json.NewEncoder(&e.buf).Encode(r)
}

func (e *jsonEncoder) Finish() []byte { return bytes.Clone(e.buf.Bytes()) }

type binaryEncoder struct{ buf bytes.Buffer }

func (e *binaryEncoder) Reset() { e.buf.Reset() }

func (e *binaryEncoder) Encode(r *reply) error {
	return gob.NewEncoder(&e.buf).Encode(r)
}

func (e *binaryEncoder) Finish() []byte { return bytes.Clone(e.buf.Bytes()) }

var jsonEncoders, binaryEncoders sync.Pool

func getEncoder(f format) encoder {
	if f == formatJSON {
		v := jsonEncoders.Get()
		if v == nil {
			return &jsonEncoder{}
		}
		e := v.(encoder)
		e.Reset()
		return e
	}
	v := binaryEncoders.Get()
	if v == nil {
		return &binaryEncoder{}
	}
	e := v.(encoder)
	e.Reset()
	return e
}

func putEncoder(f format, e encoder) {
	if f == formatJSON {
		jsonEncoders.Put(e)
	}
	binaryEncoders.Put(e)
}

type client interface {
	format() format
	handle(cmd []byte) (*reply, error)
	write(p []byte) error
	close()
}

func handleData(c client, next func() ([]byte, error)) bool {
	e := getEncoder(c.format())
	replies := 0
	for {
		cmd, err := next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				break
			}
			c.close()
			putEncoder(c.format(), e)
			return false
		}
		r, err := c.handle(cmd)
		if err == nil && r != nil {
			err = e.Encode(r)
			replies++
		}
		if err != nil {
			c.close()
			putEncoder(c.format(), e)
			return false
		}
	}
	if replies > 0 {
		if err := c.write(e.Finish()); err != nil {
			c.close()
			putEncoder(c.format(), e)
			return false
		}
	}
	putEncoder(c.format(), e)
	return true
}
