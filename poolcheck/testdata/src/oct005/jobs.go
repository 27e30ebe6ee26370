package oct005

import (
	"errors"
	"io"
	"sync"
	"time"
)

var jobPages = sync.Pool{New: func() any { return new([4096]byte) }}

var errTimeout = errors.New("timeout")

// An executor runs the jobs that it is sent.
type executor struct{ jobs chan func() }

// bad: the job may still read into the block when the time is over.
func (x *executor) readInTime(r io.Reader, t *time.Timer) error {
	b := jobPages.Get().(*[4096]byte)
	defer jobPages.Put(b) // want "OCT005: b is released while another goroutine may still use it .*handed to a goroutine"
	done := make(chan struct{})
	job := func() {
		defer close(done)
		r.Read(b[:])
	}
	select {
	case x.jobs <- job:
	case <-t.C:
		return errTimeout
	}
	select {
	case <-done:
		return nil
	case <-t.C:
		return errTimeout
	}
}

// ok: a job that was sent is waited for.
func (x *executor) readWhole(r io.Reader, t *time.Timer) error {
	b := jobPages.Get().(*[4096]byte)
	defer jobPages.Put(b)
	done := make(chan struct{})
	job := func() {
		defer close(done)
		r.Read(b[:])
	}
	select {
	case x.jobs <- job:
	case <-t.C:
		return errTimeout
	}
	<-done
	return nil
}

// ok: the job releases.
func (x *executor) discard(r io.Reader) {
	b := jobPages.Get().(*[4096]byte)
	x.jobs <- func() {
		r.Read(b[:])
		jobPages.Put(b)
	}
}

// bad: the job has released it.
func (x *executor) discardTwice(r io.Reader) {
	b := jobPages.Get().(*[4096]byte)
	x.jobs <- func() {
		r.Read(b[:])
		jobPages.Put(b)
	}
	jobPages.Put(b) // want "OCT003: b is released twice"
}
