// Package bug turns calls that no RPC service can serve into HTTP requests.
package bug

import (
	"fmt"

	"github.com/valyala/fasthttp"
)

type request struct {
	id      uint64
	service string
	method  string
	args    map[string]string
}

type exception struct {
	code int
	text string
}

type response struct {
	id        uint64
	value     []byte
	exception *exception
	meta      map[string]string
}

func failure(id uint64, text string) *response {
	return &response{id: id, exception: &exception{500, text}}
}

func toHTTP(r *request, hr *fasthttp.Request, method string) error {
	hr.Header.SetMethod(method)
	for k, v := range r.args {
		if k == "" {
			return fmt.Errorf("argument %q has no name", v)
		}
		hr.URI().QueryArgs().Add(k, v)
	}
	return nil
}

func fromHTTP(res *response, hr *fasthttp.Response) {
	if code := hr.StatusCode(); code != fasthttp.StatusOK {
		res.exception = &exception{code, "call failed"}
	}
	res.meta = map[string]string{"type": string(hr.Header.ContentType())}
	body := hr.Body()
	if body == nil {
		body = []byte{}
	}
	res.value = body
}

type cluster interface {
	CanServe(method string) bool
	Call(*request) *response
}

type agent struct{ client *fasthttp.Client }

func (a *agent) call(r *request, c cluster) (res *response) {
	if c.CanServe(r.method) {
		if res = c.Call(r); res != nil {
			return res
		}
	}
	hreq := fasthttp.AcquireRequest()
	hres := fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(hreq)
	defer fasthttp.ReleaseResponse(hres)
	hreq.Header.Del("Host")
	hreq.SetHost(r.service)
	hreq.URI().SetPath(r.method)
	if err := toHTTP(r, hreq, "GET"); err != nil {
		return failure(r.id, "bad request: "+err.Error())
	}
	if err := a.client.Do(hreq, hres); err != nil {
		return failure(r.id, "request failed: "+err.Error())
	}
	res = &response{id: r.id}
	fromHTTP(res, hres)
	return res
}
