// Package bug parses a stream of JSON lines, in blocks and in parallel.
package bug

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"runtime"
	"sync"
)

const blockSize = 10 << 20

// A parsed document. Its tape points into the message.
type parsed struct {
	message []byte
	tape    []uint64
}

type item struct {
	value *parsed
	err   error
}

type parser struct{ parsed }

func (p *parser) parse(message []byte) error {
	p.message = message
	p.tape = p.tape[:0]
	for i, c := range message {
		switch c {
		case '{', '}', '[', ']', '"':
			p.tape = append(p.tape, uint64(c)<<56|uint64(i))
		case 0:
			return errors.New("zero byte")
		}
	}
	return nil
}

func queueError(queue chan chan item, err error) {
	result := make(chan item)
	queue <- result
	result <- item{err: err}
}

// parseStream sends what is in r, in order. Documents that come back over reuse
// are used again.
func parseStream(r io.Reader, res chan<- item, reuse <-chan *parsed) {
	buf := bufio.NewReaderSize(r, blockSize)
	blocks := sync.Pool{New: func() any { return make([]byte, blockSize+1024) }}
	queue := make(chan chan item, (runtime.GOMAXPROCS(0)+1)/2)
	go func() {
		defer close(res)
		for items := range queue {
			res <- <-items
		}
	}()
	go func() {
		defer close(queue)
		for {
			block := blocks.Get().([]byte)
			block = block[:blockSize]
			n, err := buf.Read(block)
			if err != nil && err != io.EOF {
				blocks.Put(block)
				queueError(queue, err)
				return
			}
			block = block[:n]
			if err != io.EOF {
				rest, err2 := buf.ReadBytes('\n')
				if err2 != nil && err2 != io.EOF {
					blocks.Put(block)
					queueError(queue, err2)
					return
				}
				block = append(block, rest...)
				err = err2
			}

			if lines := bytes.TrimSpace(block); len(lines) > 0 {
				result := make(chan item)
				queue <- result
				go func() {
					defer blocks.Put(block)
					var p parser
					select {
					case v := <-reuse:
						p.parsed = *v
					default:
					}
					if err := p.parse(lines); err != nil {
						result <- item{err: err}
						return
					}
					doc := p.parsed
					result <- item{value: &doc}
				}()
			} else {
				blocks.Put(block)
			}
			if err != nil {
				queueError(queue, err)
				return
			}
		}
	}()
}
