package oct002

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

var wires = sync.Pool{New: func() any { return new(bytes.Buffer) }}

type payload struct {
	kind byte
	data []byte
}

type envelope struct {
	name    string
	payload payload
}

func decodeEnvelope(p []byte) (envelope, error) {
	if len(p) < 2 {
		return envelope{}, io.ErrUnexpectedEOF
	}
	return envelope{string(p[:1]), payload{p[1], p[2:]}}, nil
}

// bad: the inner struct shows the buffer.
func readPayload(r io.Reader) (payload, error) {
	buf := wires.Get().(*bytes.Buffer)
	defer wires.Put(buf)
	buf.Reset()
	if _, err := buf.ReadFrom(r); err != nil {
		return payload{}, err
	}
	env, err := decodeEnvelope(buf.Bytes())
	if err != nil {
		return payload{}, err
	}
	if env.name == "" {
		return payload{}, errors.New("no name")
	}
	return env.payload, nil // want "OCT002: .*buf.*"
}

// ok: the bytes of the inner struct are a copy.
func readCopy(r io.Reader) (payload, error) {
	buf := wires.Get().(*bytes.Buffer)
	defer wires.Put(buf)
	buf.Reset()
	if _, err := buf.ReadFrom(r); err != nil {
		return payload{}, err
	}
	env, err := decodeEnvelope(buf.Bytes())
	if err != nil {
		return payload{}, err
	}
	env.payload.data = bytes.Clone(env.payload.data)
	return env.payload, nil
}

// ok: the kind is no view.
func readKind(r io.Reader) (byte, error) {
	buf := wires.Get().(*bytes.Buffer)
	defer wires.Put(buf)
	buf.Reset()
	if _, err := buf.ReadFrom(r); err != nil {
		return 0, err
	}
	env, err := decodeEnvelope(buf.Bytes())
	return env.payload.kind, err
}
