package poolz

import (
	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/stats"
)

// A pool is what is known of a pool at one time.
type pool struct{ stats.Pool }

// observe returns all pools that are alive, the oldest first.
func observe() (list []pool) {
	for p := range bytespool.Pools() {
		list = append(list, pool{p.Stats()})
	}
	return list
}
