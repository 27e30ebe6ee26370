package bytespool

import (
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/engine"
)

func init() {
	check.RegisterPackage[CapacityPools]()
	engine.Of = func(pools any) *engine.Pool { return &pools.(*CapacityPools).pool }
}
