package sanitize_test

import (
	"slices"
	"sync"

	"github.com/octet-go/octet/internal/sanitize"
)

// A pool hands out what was released last.
type pool struct {
	mu   sync.Mutex
	idle [][]byte
}

func (p *pool) get(n int) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := len(p.idle) - 1; i >= 0; i-- {
		if b := p.idle[i]; cap(b) >= n {
			p.idle = slices.Delete(p.idle, i, i+1)
			sanitize.Reused(b)
			return b[:n]
		}
	}
	b := make([]byte, n)
	sanitize.Reused(b)
	return b
}

func (p *pool) put(b []byte) {
	sanitize.Released(b)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, b)
}
