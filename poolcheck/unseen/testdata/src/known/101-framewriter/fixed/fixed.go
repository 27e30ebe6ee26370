// Package fixed writes frames of blocks, which are compressed one by one or several
// at once.
package fixed

import (
	"encoding/binary"
	"io"
	"net"
	"sync"
)

const (
	size64K  = 64 << 10
	size256K = 256 << 10
)

var (
	pool64K  = sync.Pool{New: func() any { return make([]byte, size64K) }}
	pool256K = sync.Pool{New: func() any { return make([]byte, size256K) }}
)

// A sizeIndex says how long the blocks of a frame are: 4 or 5.
type sizeIndex uint8

func (i sizeIndex) get() []byte {
	var buf any
	switch i {
	case 4:
		buf = pool64K.Get()
	case 5:
		buf = pool256K.Get()
	}
	return buf.([]byte)
}

func (i sizeIndex) put(buf []byte) {
	switch i {
	case 4:
		if cap(buf) == size64K {
			pool64K.Put(buf[:size64K])
		}
	case 5:
		if cap(buf) == size256K {
			pool256K.Put(buf[:size256K])
		}
	}
}

// A dataBlock is one block of a frame.
type dataBlock struct {
	stored bool
	out    []byte // what is written: a part of data, or the source
	data   []byte // for what is compressed
}

func newDataBlock(size sizeIndex) *dataBlock {
	buf := size.get()
	return &dataBlock{out: buf, data: buf}
}

func (b *dataBlock) close(f *frame) {
	if b.data == nil {
		return
	}
	f.size.put(b.data)
	b.out = nil
	b.data = nil
}

// compress replaces runs of a byte. What would not become shorter is stored.
func (b *dataBlock) compress(src []byte) *dataBlock {
	n := 0
	for i := 0; i < len(src); {
		run := 1
		for i+run < len(src) && run < 255 && src[i+run] == src[i] {
			run++
		}
		if n+2 >= len(src) {
			b.stored, b.out = true, src
			return b
		}
		b.data[n], b.data[n+1] = byte(run), src[i]
		n += 2
		i += run
	}
	b.stored, b.out = false, b.data[:n]
	return b
}

func (b *dataBlock) write(dst io.Writer) error {
	head := uint32(len(b.out))
	if b.stored {
		head |= 1 << 31
	}
	var buf [4]byte
	binary.LittleEndian.PutUint32(buf[:], head)
	_, err := (&net.Buffers{buf[:], b.out}).WriteTo(dst)
	return err
}

type frame struct {
	size   sizeIndex
	block  *dataBlock           // if there is one block at a time
	blocks chan chan *dataBlock // if there are several, in their order
	err    error
}

func (f *frame) init(dst io.Writer, num int) {
	if num == 1 {
		f.block = newDataBlock(f.size)
		return
	}
	f.block = nil
	blocks := make(chan chan *dataBlock, num)
	f.blocks = blocks
	go func() {
		for c := range blocks {
			b := <-c
			if b == nil {
				close(c)
				return
			}
			if f.err == nil {
				f.err = b.write(dst)
			}
			close(c) // whoever sent b may have it back
		}
	}()
}

func (f *frame) closeBlocks(num int) error {
	switch {
	case num == 1 && f.block != nil:
		f.block.close(f)
		return nil
	case f.blocks == nil:
		return nil
	}
	c := make(chan *dataBlock)
	f.blocks <- c
	c <- nil
	<-c
	f.blocks = nil
	err := f.err
	f.err = nil
	return err
}

func (f *frame) reset(num int) {
	f.closeBlocks(num)
}

func (f *frame) close(dst io.Writer, num int) error {
	if err := f.closeBlocks(num); err != nil {
		return err
	}
	_, err := dst.Write(make([]byte, 4))
	return err
}

// A Writer compresses what is written to it.
type Writer struct {
	dst   io.Writer
	num   int
	frame frame
	data  []byte // what is not a block yet
	idx   int
}

func NewWriter(dst io.Writer, num int) *Writer {
	w := &Writer{num: max(num, 1), frame: frame{size: 4}}
	w.Reset(dst)
	return w
}

func (w *Writer) Write(p []byte) (n int, err error) {
	if w.data == nil {
		w.frame.init(w.dst, w.num)
		w.data = w.frame.size.get()
	}
	for len(p) > 0 {
		m := copy(w.data[w.idx:], p)
		n += m
		w.idx += m
		p = p[m:]
		if w.idx < len(w.data) {
			break
		}
		if err := w.write(w.data, true); err != nil {
			return n, err
		}
		if w.num > 1 {
			w.data = w.frame.size.get()
		}
		w.idx = 0
	}
	return n, nil
}

// write compresses and writes a block. If there are several at once, and safe,
// it puts data back.
func (w *Writer) write(data []byte, safe bool) error {
	if w.num == 1 {
		return w.frame.block.compress(data).write(w.dst)
	}
	c := make(chan *dataBlock)
	w.frame.blocks <- c
	go func() {
		b := newDataBlock(w.frame.size)
		c <- b.compress(data)
		<-c
		b.close(&w.frame)
		if safe {
			w.frame.size.put(data)
		}
	}()
	return nil
}

// Close writes what is left, and the end of the frame.
func (w *Writer) Close() error {
	if w.data == nil {
		return nil
	}
	var err error
	if w.idx > 0 {
		err = w.write(w.data[:w.idx], false)
		w.idx = 0
	}
	if e := w.frame.close(w.dst, w.num); err == nil {
		err = e
	}
	w.frame.size.put(w.data)
	w.data = nil
	return err
}

// Reset makes w write another frame, to dst. Close is to be called before.
func (w *Writer) Reset(dst io.Writer) {
	w.frame.reset(w.num)
	w.dst = dst
}

// WriteAll writes each text as a frame of its own.
func WriteAll(dst io.Writer, texts ...string) error {
	w := NewWriter(dst, 1)
	for _, text := range texts {
		_, err := io.WriteString(w, text)
		if e := w.Close(); err == nil {
			err = e
		}
		if err != nil {
			return err
		}
		w.Reset(dst)
	}
	return nil
}
