// Package fixed compresses the files of an archive and reads them back. What it
// compresses and decompresses with is large, and serves one file after another.
package fixed

import (
	"bufio"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"sync"
)

var errClosed = errors.New("archive: file is closed")

// A deflater has a window and tables of some hundred kilobytes, an inflater
// those of some ten.
type deflater struct {
	z *flate.Writer
	n int64
}

func newDeflater(w io.Writer, level int) (*deflater, error) {
	z, err := flate.NewWriter(w, level)
	if err != nil {
		return nil, err
	}
	return &deflater{z: z}, nil
}

func (d *deflater) reset(w io.Writer) {
	d.z.Reset(w)
	d.n = 0
}

func (d *deflater) write(p []byte) (int, error) {
	n, err := d.z.Write(p)
	d.n += int64(n)
	return n, err
}

type inflater struct {
	z io.ReadCloser
	n int64
}

func newInflater(r io.Reader) *inflater { return &inflater{z: flate.NewReader(r)} }

func (i *inflater) reset(r io.Reader) error {
	i.n = 0
	return i.z.(flate.Resetter).Reset(r, nil)
}

func (i *inflater) read(p []byte) (int, error) {
	n, err := i.z.Read(p)
	i.n += int64(n)
	return n, err
}

var inflaters sync.Pool

type fileReader struct {
	mu  sync.Mutex // held by Read and Close
	dec *inflater
}

func openFile(r io.Reader) (io.ReadCloser, error) {
	dec, ok := inflaters.Get().(*inflater)
	if !ok {
		return &fileReader{dec: newInflater(r)}, nil
	}
	if err := dec.reset(r); err != nil {
		inflaters.Put(dec)
		return nil, err
	}
	return &fileReader{dec: dec}, nil
}

func (f *fileReader) Read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dec == nil {
		return 0, errClosed
	}
	return f.dec.read(p)
}

func (f *fileReader) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var err error
	if f.dec != nil {
		err = f.dec.z.Close()
		inflaters.Put(f.dec)
		f.dec = nil
	}
	return err
}

type fileWriter struct {
	mu   sync.Mutex // held by Write and Close
	enc  *deflater
	pool *sync.Pool
}

func (f *fileWriter) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.enc == nil {
		return 0, errClosed
	}
	return f.enc.write(p)
}

func (f *fileWriter) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var err error
	if f.enc != nil {
		err = f.enc.z.Close()
		f.pool.Put(f.enc)
		f.enc = nil
	}
	return err
}

// creator returns a function that begins a file with the given level. Files of
// other levels have deflaters of their own.
func creator(level int) func(io.Writer) (io.WriteCloser, error) {
	var deflaters sync.Pool
	return func(w io.Writer) (io.WriteCloser, error) {
		enc, ok := deflaters.Get().(*deflater)
		if ok {
			enc.reset(w)
		} else {
			var err error
			enc, err = newDeflater(w, level)
			if err != nil {
				return nil, err
			}
		}
		return &fileWriter{enc: enc, pool: &deflaters}, nil
	}
}

// An archive is a sequence of names and compressed files.
type archive struct {
	out    io.Writer
	create func(io.Writer) (io.WriteCloser, error)
}

func newArchive(out io.Writer, level int) *archive {
	return &archive{out: out, create: creator(level)}
}

func (a *archive) add(name string, content io.Reader) error {
	head := binary.AppendUvarint(nil, uint64(len(name)))
	if _, err := a.out.Write(append(head, name...)); err != nil {
		return err
	}
	f, err := a.create(a.out)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, content); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// extract writes the file that r begins with.
func extract(w io.Writer, r *bufio.Reader) (name string, err error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return "", err
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return "", err
	}
	f, err := openFile(r)
	if err != nil {
		return "", err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return string(text), err
}
