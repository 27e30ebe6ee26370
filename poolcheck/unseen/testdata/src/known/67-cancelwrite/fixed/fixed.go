// Package fixed is the sending half of a stream of frames.
package fixed

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

const maxFrame = 1452

type frame interface{ isFrame() }

// A streamFrame has a part of the stream.
type streamFrame struct {
	id     int64
	offset int64
	data   []byte
	fin    bool
	pooled bool
}

type resetFrame struct {
	id       int64
	code     uint64
	size     int64
	reliable int64
}

func (*streamFrame) isFrame() {}
func (*resetFrame) isFrame()  {}

var streamFrames = sync.Pool{
	New: func() any { return &streamFrame{data: make([]byte, 0, maxFrame), pooled: true} },
}

func getStreamFrame() *streamFrame { return streamFrames.Get().(*streamFrame) }

func (f *streamFrame) PutBack() {
	if !f.pooled {
		return
	}
	if cap(f.data) != maxFrame {
		panic("frame of a wrong size")
	}
	f.data = f.data[:0]
	f.fin = false
	streamFrames.Put(f)
}

func (f *streamFrame) end() int64 { return f.offset + int64(len(f.data)) }

// split makes the first max bytes a frame of its own.
func (f *streamFrame) split(max int) *streamFrame {
	first := getStreamFrame()
	first.id, first.offset = f.id, f.offset
	first.data = append(first.data, f.data[:max]...)
	f.data = f.data[:copy(f.data, f.data[max:])]
	f.offset += int64(max)
	return first
}

// A frameHandler learns what became of a frame, once.
type frameHandler interface {
	OnAcked(f frame)
	OnLost(f frame)
}

type sender interface {
	onHasData(id int64, s *sendStream)
	onHasControl(id int64, s *sendStream)
	onCompleted(id int64)
}

type streamError struct {
	code   uint64
	remote bool
}

func (e *streamError) Error() string {
	return fmt.Sprintf("stream cancelled, code %d, remote %t", e.code, e.remote)
}

var errClosed = errors.New("write on a closed stream")

type sendStream struct {
	mu      sync.Mutex
	ctx     context.Context
	cancel  context.CancelCauseFunc
	id      int64
	sender  sender
	offset  int64 // of the next frame
	partial bool  // the peer knows resets that keep a part of the stream

	outstanding int // frames that were sent
	again       []*streamFrame
	next        *streamFrame
	reset       *resetFrame
	reliable    int64 // what is sent also when the stream is cancelled

	shutdownErr error
	resetErr    *streamError
	finished    bool
	finSent     bool
	completed   bool
}

func newSendStream(ctx context.Context, id int64, s sender, partial bool) *sendStream {
	st := &sendStream{id: id, sender: s, partial: partial}
	st.ctx, st.cancel = context.WithCancelCause(ctx)
	return st
}

// Write takes as much of p as fits into the next frame.
func (s *sendStream) Write(p []byte) (int, error) {
	s.mu.Lock()
	switch {
	case s.resetErr != nil:
		defer s.mu.Unlock()
		return 0, s.resetErr
	case s.shutdownErr != nil:
		defer s.mu.Unlock()
		return 0, s.shutdownErr
	case s.finished:
		s.mu.Unlock()
		return 0, errClosed
	}
	if s.next == nil {
		s.next = getStreamFrame()
		s.next.id, s.next.offset = s.id, s.offset
	}
	n := min(len(p), maxFrame-len(s.next.data))
	s.next.data = append(s.next.data, p[:n]...)
	s.mu.Unlock()
	s.sender.onHasData(s.id, s)
	return n, nil
}

// MarkReliable has all sent that was written so far, come what may.
func (s *sendStream) MarkReliable() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reliable = s.offset
	if s.next != nil {
		s.reliable = s.next.end()
	}
}

func (s *sendStream) reliableOffset() int64 {
	if !s.partial {
		return 0
	}
	return s.reliable
}

// pop returns the next frame to send, of at most max bytes, or nil. What it
// returns comes back to the handler.
func (s *sendStream) pop(max int) (*streamFrame, frameHandler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.popFrame(max)
	if f == nil {
		return nil, nil
	}
	s.outstanding++
	return f, (*ackHandler)(s)
}

func (s *sendStream) popFrame(max int) *streamFrame {
	if s.shutdownErr != nil || s.resetErr != nil && s.reliableOffset() == 0 {
		return nil
	}
	if len(s.again) > 0 {
		f := s.again[0]
		if len(f.data) > max {
			return f.split(max)
		}
		s.again = s.again[1:]
		return f
	}
	f := s.next
	if f == nil {
		if !s.finished || s.finSent {
			return nil
		}
		s.finSent = true
		return &streamFrame{id: s.id, offset: s.offset, fin: true}
	}
	if len(f.data) > max {
		f = f.split(max)
	} else {
		s.next = nil
		f.fin = s.finished
		s.finSent = f.fin
	}
	s.offset = f.end()
	return f
}

func (s *sendStream) newlyCompleted() bool {
	if s.completed || s.outstanding > 0 || len(s.again) > 0 || s.next != nil || s.reset != nil {
		return false
	}
	s.completed = s.finSent || s.resetErr != nil
	return s.completed
}

func (s *sendStream) Close() error {
	s.mu.Lock()
	s.finished = true
	err := s.resetErr
	s.mu.Unlock()
	if err != nil {
		return err
	}
	s.sender.onHasData(s.id, s)
	s.cancel(nil)
	return nil
}

// dropFrames puts back what waits to be sent.
func (s *sendStream) dropFrames() {
	for _, f := range s.again {
		f.PutBack()
	}
	clear(s.again)
	s.again = nil
	if s.next != nil {
		s.next.PutBack()
		s.next = nil
	}
}

// CancelWrite ends the stream before what was written is sent.
func (s *sendStream) CancelWrite(code uint64) {
	s.mu.Lock()
	if s.shutdownErr != nil || s.resetErr != nil {
		s.mu.Unlock()
		return
	}
	s.resetErr = &streamError{code: code}
	s.cancel(s.resetErr)
	reliable := s.reliableOffset()
	if reliable == 0 {
		s.outstanding = 0
		s.dropFrames()
	} else if s.next != nil {
		if s.next.offset >= reliable {
			s.next.PutBack()
			s.next = nil
		} else if s.next.end() > reliable {
			s.next.data = s.next.data[:reliable-s.next.offset]
		}
	}
	s.reset = &resetFrame{id: s.id, code: code, size: max(s.offset, reliable), reliable: reliable}
	s.mu.Unlock()
	s.sender.onHasControl(s.id, s)
}

// handleStop is called when the peer does not read any more.
func (s *sendStream) handleStop(code uint64) {
	s.mu.Lock()
	if s.shutdownErr != nil || s.resetErr != nil && s.reliableOffset() == 0 {
		s.mu.Unlock()
		return
	}
	s.reliable = 0
	s.outstanding = 0
	s.dropFrames()
	if s.resetErr == nil {
		s.resetErr = &streamError{code: code, remote: true}
		s.cancel(s.resetErr)
	}
	s.reset = &resetFrame{id: s.id, code: s.resetErr.code, size: s.offset}
	s.mu.Unlock()
	s.sender.onHasControl(s.id, s)
}

// shutdown ends the stream when the connection ends. The peer is not told.
func (s *sendStream) shutdown(err error) {
	s.mu.Lock()
	if s.shutdownErr == nil {
		s.shutdownErr = err
		s.dropFrames()
	}
	s.mu.Unlock()
}

func (s *sendStream) popControl() (frame, frameHandler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reset == nil {
		return nil, nil
	}
	f := s.reset
	s.reset = nil
	s.outstanding++
	return f, (*resetHandler)(s)
}

// done counts one frame less, and tells the sender if it was the last.
func (s *sendStream) done() {
	s.mu.Lock()
	s.outstanding--
	completed := s.newlyCompleted()
	s.mu.Unlock()
	if completed {
		s.sender.onCompleted(s.id)
	}
}

type ackHandler sendStream

func (h *ackHandler) OnAcked(f frame) {
	s := (*sendStream)(h)
	f.(*streamFrame).PutBack()
	s.mu.Lock()
	if s.resetErr != nil && s.reliableOffset() == 0 {
		s.mu.Unlock()
		return
	}
	s.mu.Unlock()
	s.done()
}

func (h *ackHandler) OnLost(f frame) {
	s := (*sendStream)(h)
	sf := f.(*streamFrame)
	s.mu.Lock()
	if s.shutdownErr != nil || s.resetErr != nil && s.reliableOffset() == 0 {
		// Nothing is sent again.
		sf.PutBack()
		s.mu.Unlock()
		return
	}
	if s.resetErr != nil && sf.offset >= s.reliableOffset() {
		sf.PutBack()
		s.mu.Unlock()
		s.done()
		return
	}
	s.outstanding--
	s.again = append(s.again, sf)
	s.mu.Unlock()
	s.sender.onHasData(s.id, s)
}

type resetHandler sendStream

func (h *resetHandler) OnAcked(frame) { (*sendStream)(h).done() }

func (h *resetHandler) OnLost(f frame) {
	s := (*sendStream)(h)
	s.mu.Lock()
	s.reset = f.(*resetFrame)
	s.outstanding--
	s.mu.Unlock()
	s.sender.onHasControl(s.id, s)
}
