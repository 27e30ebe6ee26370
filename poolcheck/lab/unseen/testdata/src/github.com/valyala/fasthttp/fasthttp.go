// Package fasthttp is a stub with some signatures of github.com/valyala/fasthttp:
// what the programs compile against.
package fasthttp

import (
	"sync"

	"github.com/valyala/bytebufferpool"
)

const StatusOK = 200

type Args struct{ buf []byte }

func (a *Args) Add(key, value string) {
	a.buf = append(append(append(append(a.buf, key...), '='), value...), '&')
}

type URI struct {
	path []byte
	args Args
}

func (u *URI) SetPath(path string) { u.path = append(u.path[:0], path...) }
func (u *URI) QueryArgs() *Args    { return &u.args }

type RequestHeader struct{ method, host []byte }

func (h *RequestHeader) SetMethod(method string) { h.method = append(h.method[:0], method...) }
func (h *RequestHeader) Del(key string)          { h.host = h.host[:0] }

type ResponseHeader struct {
	statusCode  int
	contentType []byte
}

func (h *ResponseHeader) ContentType() []byte { return h.contentType }

type Request struct {
	Header RequestHeader
	uri    URI
}

func (req *Request) SetHost(host string) { req.Header.host = append(req.Header.host[:0], host...) }
func (req *Request) URI() *URI           { return &req.uri }

func (req *Request) Reset() {
	req.Header.method = req.Header.method[:0]
	req.Header.host = req.Header.host[:0]
	req.uri.path = req.uri.path[:0]
	req.uri.args.buf = req.uri.args.buf[:0]
}

type Response struct {
	Header ResponseHeader
	body   *bytebufferpool.ByteBuffer
}

var responseBodyPool bytebufferpool.Pool

func (resp *Response) StatusCode() int { return resp.Header.statusCode }

func (resp *Response) Body() []byte {
	if resp.body == nil {
		return nil
	}
	return resp.body.B
}

func (resp *Response) Reset() {
	resp.Header.statusCode = 0
	resp.Header.contentType = resp.Header.contentType[:0]
	if resp.body != nil {
		responseBodyPool.Put(resp.body)
		resp.body = nil
	}
}

var requestPool, responsePool sync.Pool

func AcquireRequest() *Request {
	v := requestPool.Get()
	if v == nil {
		return &Request{}
	}
	return v.(*Request)
}

func ReleaseRequest(req *Request) {
	req.Reset()
	requestPool.Put(req)
}

func AcquireResponse() *Response {
	v := responsePool.Get()
	if v == nil {
		return &Response{}
	}
	return v.(*Response)
}

func ReleaseResponse(resp *Response) {
	resp.Reset()
	responsePool.Put(resp)
}

type Client struct {
	Dial func(req *Request, body *bytebufferpool.ByteBuffer) (int, error)
}

func (c *Client) Do(req *Request, resp *Response) (err error) {
	resp.body = responseBodyPool.Get()
	resp.Header.statusCode, err = c.Dial(req, resp.body)
	return err
}
