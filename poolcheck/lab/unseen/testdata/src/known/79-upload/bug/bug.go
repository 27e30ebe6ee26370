// Package bug uploads the chunks of files to volume servers, and keeps what it
// uploaded in a cache.
package bug

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"path/filepath"
	"sync"

	"github.com/valyala/bytebufferpool"
)

type uploadResult struct {
	Name  string `json:"name"`
	Size  int    `json:"size"`
	Error string `json:"error"`
	ETag  string `json:"eTag"`
}

// The attributes of a file go into headers.
type attributes map[string]string

type fileChunk struct {
	FileID string
	Offset int64
	Size   int
}

// A bytesReader reads from bytes that its user owns.
type bytesReader struct {
	Bytes []byte
	*bytes.Reader
}

func newBytesReader(b []byte) *bytesReader {
	return &bytesReader{Bytes: b, Reader: bytes.NewReader(b)}
}

type httpClient interface {
	Do(req *http.Request) (*http.Response, error)
}

var client httpClient = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1024}}

// upload uploads what can be read. It returns the data, too.
func upload(url, filename string, reader io.Reader, header attributes) (result *uploadResult, err error, data []byte) {
	result, err, data = doUpload(url, filename, reader, header)
	return
}

func doUpload(url, filename string, reader io.Reader, header attributes) (result *uploadResult, err error, data []byte) {
	br, ok := reader.(*bytesReader)
	if ok {
		data = br.Bytes
	} else {
		buf := bytebufferpool.Get()
		_, err = buf.ReadFrom(reader)
		defer bytebufferpool.Put(buf)
		if err != nil {
			err = fmt.Errorf("read input: %v", err)
			return
		}
		data = buf.Bytes()
	}
	uploaded, uploadErr := retriedUpload(url, filename, data, header)
	return uploaded, uploadErr, data
}

func retriedUpload(url, filename string, data []byte, header attributes) (result *uploadResult, err error) {
	for range 3 {
		result, err = uploadOnce(url, filename, data, header)
		if err == nil {
			return
		}
		log.Printf("uploading to %s: %v", url, err)
	}
	return
}

func uploadOnce(url, filename string, data []byte, header attributes) (*uploadResult, error) {
	result, err := post(url, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}, filename, header)
	if err != nil {
		return nil, err
	}
	result.Size = len(data)
	return result, nil
}

func post(url string, fill func(w io.Writer) error, filename string, header attributes) (*uploadResult, error) {
	var body bytes.Buffer
	mw := multipart.NewWriter(&body)
	h := make(textproto.MIMEHeader)
	h.Set("Content-Disposition", fmt.Sprintf("form-data; name=%q; filename=%q", "file", filename))
	part, err := mw.CreatePart(h)
	if err != nil {
		return nil, err
	}
	if err := fill(part); err != nil {
		return nil, err
	}
	if err := mw.Close(); err != nil {
		return nil, err
	}
	req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body.Bytes()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", mw.FormDataContentType())
	for k, v := range header {
		req.Header.Set(k, v)
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	result := &uploadResult{ETag: resp.Header.Get("ETag")}
	if resp.StatusCode == http.StatusNoContent {
		return result, nil
	}
	if err := json.NewDecoder(resp.Body).Decode(result); err != nil {
		return nil, err
	}
	return result, nil
}

type chunkCache struct {
	mu     sync.Mutex
	chunks map[string][]byte
}

func (c *chunkCache) setChunk(id string, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.chunks == nil {
		c.chunks = make(map[string][]byte)
	}
	c.chunks[id] = data
}

type filesystem struct {
	assign func(path string) (host, id string, err error)
	cache  chunkCache
}

// saveAsChunk uploads a part of a file that is written.
func (f *filesystem) saveAsChunk(path string, reader io.Reader, offset int64) (*fileChunk, error) {
	host, id, err := f.assign(path)
	if err != nil {
		return nil, fmt.Errorf("assign a volume: %w", err)
	}
	result, err, data := upload("http://"+host+"/"+id, filepath.Base(path), reader, nil)
	if err != nil {
		return nil, fmt.Errorf("upload data: %w", err)
	}
	if result.Error != "" {
		return nil, errors.New("upload: " + result.Error)
	}
	f.cache.setChunk(id, data)
	return &fileChunk{FileID: id, Offset: offset, Size: result.Size}, nil
}
