package oct003

import "github.com/octet-go/octet/bytespool"

// A spooler sends blocks, one after the other or several at a time.
type spooler struct {
	workers int // at least one
	send    func([]byte)
}

// next sends block. If there are several workers, one of them releases it.
func (s *spooler) next(block []byte) {
	if s.workers == 1 {
		s.send(block)
		return
	}
	go func() {
		s.send(block)
		bytespool.Release(block)
	}()
}

// ok: if there is not one worker, there are several.
func (s *spooler) spool(read func([]byte) bool) {
	block := bytespool.Get(4096)
	for read(block) {
		s.next(block)
		if s.workers > 1 {
			block = bytespool.Get(4096)
		}
	}
	bytespool.Release(block)
}

// bad: two workers share a block.
func (s *spooler) spoolForMany(read func([]byte) bool) {
	block := bytespool.Get(4096)
	for read(block) {
		s.next(block) // want "OCT003: block is released twice .*in an earlier round of the loop"
		if s.workers > 2 {
			block = bytespool.Get(4096)
		}
	}
	bytespool.Release(block)
}
