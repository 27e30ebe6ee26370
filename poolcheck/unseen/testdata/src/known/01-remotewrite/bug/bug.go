// Package bug sends compressed batches to a remote storage.
package bug

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"sync"
	"time"
)

type sample struct {
	name  string
	value float64
}

type batch struct{ samples []sample }

func (b *batch) marshal(dst []byte) []byte {
	for _, s := range b.samples {
		dst = binary.AppendUvarint(dst, uint64(len(s.name)))
		dst = append(dst, s.name...)
		dst, _ = binary.Append(dst, binary.LittleEndian, s.value)
	}
	return dst
}

func compress(dst, src []byte) []byte {
	buf := bytes.NewBuffer(dst)
	w, _ := flate.NewWriter(buf, flate.BestSpeed)
	w.Write(src)
	w.Close()
	return buf.Bytes()
}

type byteBuffer struct{ B []byte }

type byteBufferPool struct{ p sync.Pool }

func (p *byteBufferPool) Get() *byteBuffer {
	v := p.p.Get()
	if v == nil {
		return &byteBuffer{}
	}
	return v.(*byteBuffer)
}

func (p *byteBufferPool) Put(b *byteBuffer) {
	b.B = b.B[:0]
	p.p.Put(b)
}

var plainBufs, compressBufs byteBufferPool

type permanentError struct{ error }

type client struct {
	http     *http.Client
	addr     string
	retryMax time.Duration
}

func (c *client) flush(ctx context.Context, b *batch) {
	if len(b.samples) == 0 {
		return
	}
	defer func() { b.samples = b.samples[:0] }()

	pb := plainBufs.Get()
	pb.B = b.marshal(pb.B[:0])
	zb := compressBufs.Get()
	defer compressBufs.Put(zb)
	zb.B = compress(zb.B[:0], pb.B)
	plainBufs.Put(pb)

	start := time.Now()
	for attempt := 1; ; attempt++ {
		err := c.send(ctx, zb.B)
		if err != nil && errors.Is(err, io.EOF) {
			// The other end may have closed the connection meanwhile.
			err = c.send(ctx, zb.B)
		}
		if err == nil {
			return
		}
		log.Printf("attempt %d to send failed: %v", attempt, err)
		if _, ok := err.(*permanentError); ok {
			break
		}
		if ctx.Err() != nil || time.Since(start) > c.retryMax {
			break
		}
		time.Sleep(time.Second)
	}
	log.Printf("%d samples dropped", len(b.samples))
}

func (c *client) send(ctx context.Context, data []byte) error {
	r := bytes.NewReader(data)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.addr, r)
	if err != nil {
		return fmt.Errorf("creating a request: %w", err)
	}
	req.Header.Set("Content-Encoding", "deflate")
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("sending %d bytes: %w", len(data), err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	switch resp.StatusCode / 100 {
	case 2:
		return nil
	case 4:
		return &permanentError{fmt.Errorf("status %d: %s", resp.StatusCode, body)}
	}
	return fmt.Errorf("status %d: %s", resp.StatusCode, body)
}
