// Package take is a helper of the tests: what it does with its arguments is
// seen from another package.
package take

import (
	"io"
	"sync"

	"github.com/octet-go/octet/bytespool"
)

// Outbox releases what it holds in Flush.
type Outbox struct {
	mu   sync.Mutex
	msgs [][]byte
}

// Add takes p over.
func (o *Outbox) Add(p []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.msgs = append(o.msgs, p)
}

// Flush writes and releases everything.
func (o *Outbox) Flush(w io.Writer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, p := range o.msgs {
		w.Write(p)
		bytespool.Release(p)
	}
	o.msgs = nil
}
