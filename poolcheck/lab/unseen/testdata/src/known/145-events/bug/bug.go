// Package bug tells the members of a cluster what happens, in JSON whose fields
// have a fixed order.
package bug

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unsafe"
)

const channel = "cluster.events"

// A bufPool has empty buffers.
type bufPool struct {
	p sync.Pool
}

func newBufPool() *bufPool {
	return &bufPool{p: sync.Pool{New: func() any { return new(bytes.Buffer) }}}
}

func (p *bufPool) Put(b *bytes.Buffer) {
	b.Reset()
	p.p.Put(b)
}

func (p *bufPool) Get() *bytes.Buffer { return p.p.Get().(*bytes.Buffer) }

func bytesToString(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b))
}

var pool = newBufPool()

type event interface {
	Encode() (string, error)
}

type extractor func(r reflect.Value, field string) (any, error)

// encodeEvent encodes the given fields of an event in their order.
func encodeEvent(data any, fields []string, extract extractor) (string, error) {
	buf := pool.Get()
	defer pool.Put(buf)

	buf.WriteString("{")
	r := reflect.Indirect(reflect.ValueOf(data))
	for i, field := range fields {
		sf, ok := r.Type().FieldByName(field)
		if !ok {
			return "", fmt.Errorf("field not found: %s", field)
		}
		name, err := strconv.Unquote(strings.TrimPrefix(string(sf.Tag), "json:"))
		if err != nil {
			return "", err
		}
		value, err := extract(r, field)
		if err != nil {
			return "", err
		}
		if i != 0 {
			buf.WriteString(",")
		}
		key, err := json.Marshal(name)
		if err != nil {
			return "", err
		}
		buf.Write(key)
		buf.WriteString(":")
		val, err := json.Marshal(value)
		if err != nil {
			return "", err
		}
		buf.Write(val)
	}
	buf.WriteString("}")
	return bytesToString(buf.Bytes()), nil
}

type nodeJoin struct {
	Kind      string `json:"kind"`
	Source    string `json:"source"`
	Node      string `json:"node_join"`
	Timestamp int64  `json:"timestamp"`
}

func (n *nodeJoin) Encode() (string, error) {
	fields := []string{"Timestamp", "Source", "Kind", "Node"}
	return encodeEvent(n, fields, func(r reflect.Value, field string) (any, error) {
		switch field {
		case "Timestamp":
			return r.FieldByName(field).Int(), nil
		case "Source", "Kind", "Node":
			return r.FieldByName(field).String(), nil
		}
		return nil, fmt.Errorf("invalid field: %s", field)
	})
}

type publisher interface {
	Publish(ctx context.Context, channel, message string) error
}

type routingTable struct {
	ctx  context.Context
	this string
	pub  publisher
	wg   sync.WaitGroup
}

func (r *routingTable) publish(e event) {
	r.wg.Add(1)
	go func() {
		defer r.wg.Done()
		data, err := e.Encode()
		if err != nil {
			log.Printf("encoding an event: %v", err)
			return
		}
		if err := r.pub.Publish(r.ctx, channel, data); err != nil {
			log.Printf("publishing an event: %v", err)
		}
	}()
}
