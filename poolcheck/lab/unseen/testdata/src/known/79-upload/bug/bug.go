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
	"net/http"
	"sync"

	"github.com/valyala/bytebufferpool"
)

type uploadResult struct {
	Size  int    `json:"size"`
	Error string `json:"error"`
}

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

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1024}}

// upload uploads what can be read. It returns the data, too.
func upload(url string, reader io.Reader) (result *uploadResult, err error, data []byte) {
	result, err, data = doUpload(url, reader)
	return
}

func doUpload(url string, reader io.Reader) (result *uploadResult, err error, data []byte) {
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
	uploaded, uploadErr := retriedUpload(url, data)
	return uploaded, uploadErr, data
}

func retriedUpload(url string, data []byte) (result *uploadResult, err error) {
	for range 3 {
		result, err = uploadOnce(url, data)
		if err == nil {
			return
		}
		log.Printf("uploading to %s: %v", url, err)
	}
	return
}

func uploadOnce(url string, data []byte) (*uploadResult, error) {
	resp, err := client.Post(url, "application/octet-stream", bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	result := &uploadResult{Size: len(data)}
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
	result, err, data := upload("http://"+host+"/"+id, reader)
	if err != nil {
		return nil, fmt.Errorf("upload data: %w", err)
	}
	if result.Error != "" {
		return nil, errors.New("upload: " + result.Error)
	}
	f.cache.setChunk(id, data)
	return &fileChunk{FileID: id, Offset: offset, Size: result.Size}, nil
}
