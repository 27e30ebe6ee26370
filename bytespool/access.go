package bytespool

import "github.com/octet-go/octet/internal/engine"

func init() {
	engine.Of = func(pools any) *engine.Pool { return &pools.(*CapacityPools).pool }
}
