package oct005

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// A request that has failed: the Transport may read its body for longer than anybody waits.

func sendBody(c *http.Client, url string, body []byte) error {
	req, err := http.NewRequest("POST", url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// bad: each round waits, and the Transport of none is done.
func retried(ctx context.Context, c *http.Client, url, text string) error {
	buf := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buf) // want "OCT005: buf .*"
	buf.WriteString(text)
	for {
		err := sendBody(c, url, buf.Bytes())
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Second):
		}
	}
}

// bad: the lock has to do with others.
func noted(mu *sync.Mutex, failures map[string]error, url, text string) {
	buf := buffers.Get().(*bytes.Buffer)
	buf.WriteString(text)
	_, err := http.Post(url, "text/plain", bytes.NewReader(buf.Bytes()))
	if err != nil {
		mu.Lock()
		failures[url] = err
		mu.Unlock()
	}
	buffers.Put(buf) // want "OCT005: buf .*"
}

// ok: the error is asked before.
func putWithoutError(c *http.Client, url, text string) error {
	buf := buffers.Get().(*bytes.Buffer)
	buf.WriteString(text)
	err := sendBody(c, url, buf.Bytes())
	if err == nil {
		buffers.Put(buf)
	}
	return err
}

// ok: its Close tells when the Transport is done, and is waited for.
func closedAfterFailure(c *http.Client, url, text string) error {
	buf := buffers.Get().(*bytes.Buffer)
	buf.WriteString(text)
	done := make(chan struct{})
	req, err := http.NewRequest("POST", url, closing{bytes.NewReader(buf.Bytes()), done})
	if err != nil {
		buffers.Put(buf)
		return err
	}
	_, err = c.Do(req)
	<-done
	buffers.Put(buf)
	return err
}
