// Package bug is a small HTTP client with pooled requests.
package bug

import (
	"bufio"
	"io"
	"sync"

	"github.com/valyala/bytebufferpool"
)

type header struct {
	method      string
	contentType []byte
}

type request struct {
	header header
	uri    string
	body   *bytebufferpool.ByteBuffer
}

var requests sync.Pool

func acquireRequest() *request {
	v := requests.Get()
	if v == nil {
		return &request{}
	}
	return v.(*request)
}

func releaseRequest(r *request) {
	r.reset()
	requests.Put(r)
}

func (r *request) reset() {
	r.header = header{contentType: r.header.contentType[:0]}
	r.uri = ""
	if r.body != nil {
		r.body.Reset()
	}
}

func (r *request) bodyWriter() io.Writer {
	if r.body == nil {
		r.body = new(bytebufferpool.ByteBuffer)
	}
	return r.body
}

type doer interface {
	do(req *request, dst []byte, url string) (int, []byte, error)
}

func postURL(dst []byte, url string, post io.WriterTo, c doer) (status int, body []byte, err error) {
	req := acquireRequest()
	req.header.method = "POST"
	req.header.contentType = append(req.header.contentType[:0], "application/x-www-form-urlencoded"...)
	if post != nil {
		if _, err := post.WriteTo(req.bodyWriter()); err != nil {
			return 0, nil, err
		}
	}

	status, body, err = c.do(req, dst, url)

	releaseRequest(req)
	return status, body, err
}

type httpWriter interface {
	Write(w *bufio.Writer) error
}

func getString(hw httpWriter) string {
	w := bytebufferpool.Get()
	bw := bufio.NewWriter(w)
	if err := hw.Write(bw); err != nil {
		return err.Error()
	}
	if err := bw.Flush(); err != nil {
		return err.Error()
	}
	s := string(w.B)
	bytebufferpool.Put(w)
	return s
}
