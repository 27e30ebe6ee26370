package paths

import pools "github.com/fufuok/bytespool" // want "github.com/octet-go/octet/bytespool"

var small = pools.NewCapacityPools(64, 1024)

func name(s string) int {
	b := small.NewString(s)
	defer small.Release(b)
	return len(b)
}
