package poolz

import (
	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/internal/engine"
)

// A pool is what is known of a pool at one time.
type pool struct {
	id uint64 // of this pool alone; later pools have larger ones
	bytespool.Stats
}

// observe returns all pools that are alive, the oldest first.
func observe() (list []pool) {
	for p := range bytespool.Pools() {
		list = append(list, pool{engine.Of(p).ID(), p.Stats()})
	}
	return list
}
