package buffer

import "github.com/octet-go/octet/compat/bytespool"

// UseDefaultPools undoes SetCapacity.
func UseDefaultPools() { use(bytespool.DefaultCapacityPools) }
