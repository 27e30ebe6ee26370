package oct005

import (
	"bytes"
	"io"
	"net/http"
)

// The body of a request, which the Transport may still read when Do has returned.

// bad: nothing has waited for the server.
func posted(c *http.Client, url, text string) (*http.Response, error) {
	buf := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buf) // want "OCT005: buf .*"
	buf.WriteString(text)
	req, err := http.NewRequest("POST", url, bytes.NewReader(buf.Bytes()))
	if err != nil {
		return nil, err
	}
	return c.Do(req)
}

// bad: the buffer is the body, and put where the request has failed.
func failed(url, text string) error {
	buf := buffers.Get().(*bytes.Buffer)
	buf.WriteString(text)
	_, err := http.Post(url, "text/plain", buf)
	buffers.Put(buf) // want "OCT005: buf .*"
	return err
}

// bad: the request is sent after the Put.
func tooLate(c *http.Client, url, text string) error {
	buf := buffers.Get().(*bytes.Buffer)
	buf.WriteString(text)
	body := bytes.NewReader(buf.Bytes())
	buffers.Put(buf)
	_, err := c.Post(url, "text/plain", body) // want "OCT001: buf .*"
	return err
}

// A closing body tells when the Transport is done.
type closing struct {
	io.Reader
	done chan struct{}
}

func (c closing) Close() error {
	close(c.done)
	return nil
}

// ok: it waits until the Transport has closed the body.
func closed(c *http.Client, url, text string) (*http.Response, error) {
	buf := buffers.Get().(*bytes.Buffer)
	buf.WriteString(text)
	done := make(chan struct{})
	resp, err := c.Post(url, "text/plain", closing{bytes.NewReader(buf.Bytes()), done})
	<-done
	buffers.Put(buf)
	return resp, err
}

// ok: a request that failed keeps the buffer.
func kept(c *http.Client, url, text string) error {
	buf := buffers.Get().(*bytes.Buffer)
	buf.WriteString(text)
	resp, err := c.Post(url, "text/plain", buf)
	if err != nil {
		return err
	}
	resp.Body.Close()
	buffers.Put(buf)
	return nil
}
